/** A value as it stands in an error: as in JSON, never too long, whatever it is. */
export function show(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  text ??= typeof value === 'function' ? 'a function' : String(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
