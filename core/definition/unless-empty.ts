export function unlessEmpty<Fields extends object>(fields: Fields | null | undefined): Fields | undefined {
  return fields && Object.keys(fields).length > 0 ? fields : undefined;
}
