import { type TimeForm, UTC } from './times';

/** How a run of the command writes what it has to say. */
export interface OutputStyle {
  /** Of what is read by programs, where `--json` or `--output` asks for it. */
  format: 'json' | 'yaml';
  isColored: boolean;
  times: TimeForm;
}

/** What a pipe gets. */
const PLAIN: OutputStyle = { format: 'json', isColored: false, times: UTC };

let current = PLAIN;

/** One process has one output: each command says how it is written before it writes. */
export function setStyle(style: OutputStyle): void {
  current = style;
}

export function style(): OutputStyle {
  return current;
}

/** Select Graphic Rendition: what turns each on, and off again. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
type Tone = keyof typeof CODES;

/** A text in a colour, on a terminal that wants them. */
export function toned(text: string, tone: Tone | undefined): string {
  if (!current.isColored || !tone || text === '') return text;
  const [on, off] = CODES[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** The tone of a word that says how something is. */
export function toneOf(word: string): Tone | undefined {
  return TONES.get(word);
}

const TONES = new Map<string, Tone>([
  ...each('red', 'failed', 'timed_out', 'abandoned', 'terminated', 'set aside', 'dead', 'away'),
  ...each('yellow', 'skipped', 'paused', 'parked', 'open', 'canceled', 'unknown', 'buffered', 'in part', 'busy'),
  ...each('green', 'completed', 'live', 'running', 'resolved', 'linked', 'answers'),
  ...each('dim', 'discarded'),
]);

function each(tone: Tone, ...words: string[]): [string, Tone][] {
  return words.map((word) => [word, tone]);
}
