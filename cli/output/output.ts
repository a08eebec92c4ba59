import { stringify } from 'yaml';
import { style, toned, toneOf } from './style';
import { timeInWords } from './times';

/** Print a value for a program: as one line of JSON, or as a document of YAML. */
export function printJson(value: unknown): void {
  // JSON escapes some of what moves a cursor, and means the same by the escapes of the rest. Quoted text of YAML does too.
  print(style().format === 'json' ? JSON.stringify(value) : `---\n${yamlOf(value)}`);
}

/** Instants become text, as they do in JSON. */
function yamlOf(value: unknown): string {
  const plain = JSON.parse(JSON.stringify(value));
  return stringify(plain, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }).trimEnd();
}

/** Print rows as a table, its columns as wide as they need to be. */
export function printTable(columns: string[], rows: Cell[][]): void {
  new Table(columns).print(rows);
}

/** What a table shows of one thing; undefined for nothing. */
export type Cell = string | undefined;

/** Columns of words that say how something is: those have colours. */
const OF_STATES = ['STATE', 'OUTCOME, REASON', 'APPLIED', 'KIND'];

/** A table whose rows come bit by bit: a column that was too narrow is wider from then on. */
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

/** Print lines whose text is safe already, and whose colours are ours. */
export function write(lines: string[]): void {
  for (const line of lines) (kept ?? process.stdout).write(`${line}\n`);
}

/** Where what is printed goes while it is kept. */
let kept: { write(text: string): void } | undefined;

/** What `work` prints, in place of its being printed. */
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

/** Print lines for a person: what a workflow or a stranger wrote into them moves no cursor and changes no colour. */
export function printSafely(stream: NodeJS.WritableStream, lines: string[]): void {
  // On a screen that is drawn again it stands below what it is about.
  const to = kept && process.stdout.isTTY ? kept : stream;
  to.write(`${safe(lines.join('\n'))}\n`);
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

/** C0 except tab and line feed, DEL, C1, and marks that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** An instant as the person at the terminal asked for it; to the second in UTC for a pipe. */
export function printTime(instant: Date | null | undefined): string | undefined {
  return instant ? timeInWords(instant, style().times) : undefined;
}

/** Say how to see the next page, beside the rows: those may go into a file or another program. */
export function printMore(nextCursor: string | undefined): void {
  if (nextCursor !== undefined) printSafely(process.stderr, [`There are more: --cursor ${nextCursor}`]);
}
