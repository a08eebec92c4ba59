/** Search attributes as the API takes them: null takes one away. */
export type Attributes = Record<string, unknown[] | null>;

/** Reads `Team=ops, Tier=2, Region=`: numbers, true and false are such, also a text in quotes; nothing behind the sign takes one away. */
export function readAttributes(text: string): { attributes: Attributes; problem?: string } {
  const attributes: Attributes = {};
  // Commas within quotes part nothing.
  for (const part of text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []) {
    if (part.trim() === '') continue;
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined) return { attributes: {}, problem: `“${part.trim()}” is not such as Team=ops` };
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
