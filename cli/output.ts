/** Print a value as one line of JSON. */
export function printJson(value: unknown): void {
  // JSON escapes some of what moves a cursor, and means the same by the escapes of the rest.
  print(JSON.stringify(value));
}

/** Print rows as a plain table, its columns as wide as they need to be. */
export function printTable(columns: string[], rows: (string | undefined)[][]): void {
  const cells = [columns, ...rows.map((row) => row.map((cell) => oneLine(cell ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  for (const row of cells)
    print(
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    );
}

/** Print text for a person. */
export function print(text: string): void {
  printSafely(process.stdout, [text]);
}

/** Print lines for a person: what a workflow or a stranger wrote into them moves no cursor and changes no colour. */
export function printSafely(stream: NodeJS.WritableStream, lines: string[]): void {
  stream.write(`${safe(lines.join('\n'))}\n`);
}

/**
 * A text with its control characters made visible: an escape sequence could otherwise hide lines, or make a terminal do
 * things. Line breaks and tabs stay.
 */
export function safe(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}

/** {@link safe}, and on one line. */
function oneLine(text: string): string {
  return safe(text.replace(/\r\n|[\r\n\u2028\u2029]/g, '\\n').replaceAll('\t', ' '));
}

/** C0 but for tab and line feed, DEL, C1, and marks that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An instant to the second, in UTC; manual firings keep their milliseconds. */
export function printTime(instant: Date | null | undefined): string | undefined {
  return instant?.toISOString().replace('.000Z', 'Z');
}

/** Say how to see the next page, beside the rows: those may go into a file or another program. */
export function printMore(nextCursor: string | undefined): void {
  if (nextCursor !== undefined) printSafely(process.stderr, [`There are more: --cursor ${nextCursor}`]);
}
