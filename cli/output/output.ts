import { stringify } from 'yaml';
import { style, toned, toneOf } from './style';
import { timeInWords } from './times';

/** Print a value for a program, as one line of JSON or as a document of YAML. */
export function printJson(value: unknown): void {
  // JSON escapes only some control characters, so escape the rest as well. JSON and quoted YAML read the escapes the
  // same way.
  print(style().format === 'json' ? JSON.stringify(value) : `---\n${yamlOf(value)}`);
}

/** Instants become texts, as in JSON. */
function yamlOf(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value));
  return stringify(plain, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }).trimEnd();
}

/** Print rows as a table, with columns as wide as needed. */
export function printTable(columns: string[], rows: Cell[][]): void {
  new Table(columns).print(rows);
}

/** Cell of a table; undefined for an empty one. */
export type Cell = string | undefined;

/** Columns whose words describe a state, and are therefore coloured. */
const OF_STATES = ['STATE', 'OUTCOME, REASON', 'APPLIED', 'KIND'];

/** A table whose rows arrive over time. A column that is too narrow gets wider from then on. */
export class Table {
  readonly #widths: number[];
  #isBegun = false;

  constructor(private readonly columns: string[]) {
    this.#widths = columns.map(() => 0);
  }

  print(rows: Cell[][]): void {
    const cells = rows.map((row) => row.map((cell) => oneLine(cell ?? '-')));
    const lines = this.#isBegun ? cells : [this.columns, ...cells];
    for (const row of lines) {
      for (const [index, cell] of row.entries()) this.#widths[index] = Math.max(this.#widths[index]!, cell.length);
    }
    if (!this.#isBegun) write([this.#lineOf(this.columns, () => 'bold')]);
    this.#isBegun = true;
    for (const row of cells) {
      write([
        this.#lineOf(row, (cell, index) => (OF_STATES.includes(this.columns[index]!) ? toneOf(cell) : undefined)),
      ]);
    }
  }

  #lineOf(cells: string[], tone: (cell: string, index: number) => Parameters<typeof toned>[1]): string {
    const last = cells.findLastIndex((cell) => cell !== '');
    return cells
      .slice(0, last + 1)
      .map((cell, index) => {
        const padding = index === last ? '' : ' '.repeat(this.#widths[index]! - cell.length);
        return toned(cell, tone(cell, index)) + padding;
      })
      .join('  ')
      .trimEnd();
  }
}

/** Print text for a person. */
export function print(text: string): void {
  write([safe(text)]);
}

/** Print lines whose text is already safe and whose colours are our own. */
export function write(lines: string[]): void {
  for (const line of lines) (kept ?? process.stdout).write(`${line}\n`);
}

/** Receives the output while it is captured. */
let kept: { write(text: string): void } | undefined;

/** Capture what `work` prints. */
export async function printed(work: () => Promise<void>): Promise<string> {
  const texts: string[] = [];
  kept = { write: (text) => void texts.push(text) };
  try {
    await work();
  } finally {
    kept = undefined;
  }
  return texts.join('');
}

/**
 * Print lines for a person. Control characters in text from workflows or other users are made visible, so they cannot
 * move the cursor or change colours.
 */
export function printSafely(stream: NodeJS.WritableStream, lines: string[]): void {
  // On a screen that is redrawn, the text is placed below the rows that it is about.
  const to = kept && process.stdout.isTTY ? kept : stream;
  to.write(`${safe(lines.join('\n'))}\n`);
}

/**
 * A text with its control characters made visible. An escape sequence could otherwise hide lines, or control the
 * terminal. Line breaks and tabs stay.
 */
export function safe(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}

/** {@link safe}, on a single line. */
function oneLine(text: string): string {
  return safe(text.replace(/\r\n|[\r\n\u2028\u2029]/g, '\\n').replaceAll('\t', ' '));
}

/** C0 except tab and line feed, DEL, C1, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An instant in the format that the user chose; for a pipe in UTC, to the second. */
export function printTime(instant: Date | null | undefined): string | undefined {
  return instant ? timeInWords(instant, style().times) : undefined;
}

/** Say how to get the next page. The hint is not printed among the rows, which may go to a file or a program. */
export function printMore(nextCursor: string | undefined): void {
  if (nextCursor !== undefined) printSafely(process.stderr, [`There are more: --cursor ${nextCursor}`]);
}
