/** Search attributes in the form of the API, where null removes an attribute. */
export type Attributes = Record<string, unknown[] | null>;

/**
 * Parses a text such as `Team=ops, Tier=2, Region=`. Numbers, true, false and quoted texts are recognised. An empty
 * value removes the attribute.
 */
export function readAttributes(text: string): { attributes: Attributes; problem?: string } {
  const attributes: Attributes = {};
  // A comma inside quotes does not separate entries.
  for (const part of text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []) {
    if (part.trim() === '') continue;
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined) return { attributes: {}, problem: `“${part.trim()}” does not have the form Team=ops` };
    attributes[name] = value === '' ? null : [readValue(value!)];
  }
  return { attributes };
}

function readValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? text : value;
  } catch {
    return text;
  }
}
