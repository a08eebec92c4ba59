/** A type in which every field that may be undefined is optional. */
export type Given<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> };

/** The object without its undefined fields, so that they do not override other values. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

export function givenOrNone<Fields extends object>(fields: Fields): Given<Fields> | undefined {
  const some = given(fields);
  return Object.keys(some).length === 0 ? undefined : some;
}
