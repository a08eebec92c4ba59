import { type TimeForm, UTC } from './times';

export interface OutputStyle {
  /** The format for programs, if `--json` or `--output` asks for one. */
  format: 'json' | 'yaml';
  isColored: boolean;
  times: TimeForm;
}

/** The style until a command sets its own. */
const PLAIN: OutputStyle = { format: 'json', isColored: false, times: UTC };

let current = PLAIN;

export function setStyle(style: OutputStyle): void {
  current = style;
}

export function style(): OutputStyle {
  return current;
}

/** The terminal codes that turn each style on and off (ANSI, Select Graphic Rendition). */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
type Tone = keyof typeof CODES;

export function toned(text: string, tone: Tone | undefined): string {
  if (!current.isColored || !tone || text === '') return text;
  const [on, off] = CODES[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

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
