/** A value as error messages show it: in JSON, and cut to a readable length. */
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
