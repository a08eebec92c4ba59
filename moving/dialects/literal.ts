const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Values that are longer than this are split into lines. */
const WIDTH = 100;

/**
 * Writes a value as TypeScript source: plain objects, lists, texts, numbers, booleans and Dates. Undefined fields are
 * left out.
 */
export function literal(value: unknown, indent = ''): string {
  if (value instanceof Date) return `new Date('${value.toISOString().replace('.000Z', 'Z')}')`;
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value))
    return enclosed(
      '[',
      value.map((item) => literal(item, `${indent}  `)),
      ']',
      indent,
    );
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, held]) => held !== undefined)
      .map(([key, held]) => `${IDENTIFIER.test(key) ? key : text(key)}: ${literal(held, `${indent}  `)}`);
    return fields.length === 0 ? '{}' : enclosed('{', fields, '}', indent);
  }
  return value === Number.POSITIVE_INFINITY ? 'Number.POSITIVE_INFINITY' : String(value);
}

function enclosed(open: string, items: string[], close: string, indent: string): string {
  const space = open === '{' ? ' ' : '';
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (indent.length + line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close}`;
}

/** Writes a text in single quotes, with the escapes of JSON. */
function text(value: string): string {
  const json = JSON.stringify(value).slice(1, -1);
  return `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
