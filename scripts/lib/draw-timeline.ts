/** What happened to one occurrence or several. Instants are epoch milliseconds. */
export interface Row {
  label: string;
  /** The first and the last occurrence. */
  due: [number, number];
  /** From the start of its workflow to the end. */
  runs?: readonly [number, number];
  became: string;
}

interface Frame {
  from: number;
  to: number;
  /** A period in which something was away. */
  away?: { label: string; from: number; to: number };
  /** The unit that the head of the picture counts. @default 'hour' */
  unit?: 'hour' | 'day';
}

const HOUR_MILLISECONDS = 3_600_000;
const COLUMNS_PER_UNIT = 6;
const UNITS = {
  hour: { milliseconds: HOUR_MILLISECONDS, label: [11, 13] },
  day: { milliseconds: 24 * HOUR_MILLISECONDS, label: [8, 10] },
} as const;

/** One line for each row, with six columns per hour or day: `o` due, `.` within a gap, `=` runs, `x` away. */
export function drawTimeline(rows: Row[], { from, to, away, unit = 'hour' }: Frame): string {
  const { milliseconds, label } = UNITS[unit];
  const columns = ((to - from) / milliseconds) * COLUMNS_PER_UNIT;
  const width = Math.max(...[...rows, ...(away ? [away] : [])].map(({ label }) => label.length)) + 2;
  const column = (instant: number) => Math.floor(((Math.min(instant, to) - from) / milliseconds) * COLUMNS_PER_UNIT);
  const head = Array.from({ length: Math.ceil(columns / COLUMNS_PER_UNIT) }, (_, index) =>
    new Date(from + index * milliseconds)
      .toISOString()
      .slice(...label)
      .padEnd(COLUMNS_PER_UNIT),
  );
  const lines = [`${' '.repeat(width)}${head.join('')}`];
  const paint = (cells: string[], [start, end]: readonly [number, number], mark: string) =>
    cells.fill(mark, column(start), Math.max(column(start) + 1, column(end)));
  const empty = () => Array<string>(columns).fill(' ');
  if (away) lines.push(`${away.label.padEnd(width)}${paint(empty(), [away.from, away.to], 'x').join('')}`);
  for (const { label, due, runs, became } of rows) {
    const cells = empty();
    if (due[0] !== due[1]) paint(cells, due, '.');
    for (const instant of due) cells[column(instant)] = 'o';
    if (runs) paint(cells, runs, '=');
    lines.push(`${label.padEnd(width)}${cells.join('')}  ${became}`);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}
