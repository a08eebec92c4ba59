import { stringify } from 'yaml';
import { style, toned, toneOf } from './style';
import { timeInWords } from './times';

/** Print a value for a program, as one line of JSON or as a document of YAML. */
export function printJson(value: unknown): void {
  // JSON escapes only some control characters; `print` escapes the others. JSON and quoted YAML read these escapes in
  // the same way.
  print(style().format === 'json' ? JSON.stringify(value) : `---\n${yamlOf(value)}`);
}

/** Formats a value as YAML; instants become texts, as in JSON. */
function yamlOf(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value));
  return stringify(plain, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }).trimEnd();
}

export function printTable(columns: string[], rows: Cell[][]): void {
  new Table(columns).print(rows);
}

/** The text of a table cell; undefined is printed as `-`. */
export type Cell = string | undefined;

/** Columns in which words for a state are coloured. */
const OF_STATES = ['STATE', 'OUTCOME, REASON', 'APPLIED', 'KIND'];

/** A table whose rows arrive over time. If a cell is wider than its column, the column gets wider from then on. */
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

/** Print text, with its control characters made visible. */
export function print(text: string): void {
  write([safe(text)]);
}

/** Print lines that contain no unsafe characters, except the colour codes of {@link toned}. */
export function write(lines: string[]): void {
  for (const line of lines) (kept ?? process.stdout).write(`${line}\n`);
}

/** The receiver of the output while the output is captured. */
let kept: { write(text: string): void } | undefined;

/** Capture the text that `work` prints. */
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

/** Print lines to a stream, with their control characters made visible. */
export function printSafely(stream: NodeJS.WritableStream, lines: string[]): void {
  // While a screen is redrawn, a message becomes part of the screen.
  const to = kept && process.stdout.isTTY ? kept : stream;
  to.write(`${safe(lines.join('\n'))}\n`);
}

/**
 * Makes the control characters of a text visible. Otherwise an escape sequence in the text could hide lines, or control
 * the terminal. Line feeds and tabs are kept.
 */
export function safe(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}

/** Like {@link safe}, but the result is on a single line. */
function oneLine(text: string): string {
  return safe(text.replace(/\r\n|[\r\n\u2028\u2029]/g, '\\n').replaceAll('\t', ' '));
}

/** The control characters C0 (except tab and line feed), DEL and C1, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Formats an instant in the form that the user chose, by default in UTC for a pipe. */
export function printTime(instant: Date | null | undefined): string | undefined {
  return instant ? timeInWords(instant, style().times) : undefined;
}

export function printMore(nextCursor: string | undefined): void {
  if (nextCursor !== undefined) printHint(`There are more: --cursor ${nextCursor}`);
}

/** Print a hint about a list. The hint goes to stderr, since the rows may go to a file or a program. */
export function printHint(text: string): void {
  printSafely(process.stderr, [text]);
}
