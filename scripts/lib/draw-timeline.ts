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
}

const COLUMN_MILLISECONDS = 10 * 60_000;
const COLUMNS_PER_HOUR = 6;

/** One line for each row, with ten minutes per column: `o` due, `=` runs, `x` away. */
export function drawTimeline(rows: Row[], { from, to, away }: Frame): string {
  const columns = (to - from) / COLUMN_MILLISECONDS;
  const width = Math.max(...[...rows, ...(away ? [away] : [])].map(({ label }) => label.length)) + 2;
  const column = (instant: number) => Math.floor((Math.min(instant, to) - from) / COLUMN_MILLISECONDS);
  const hours = Array.from({ length: Math.ceil(columns / COLUMNS_PER_HOUR) }, (_, hour) =>
    new Date(from + hour * COLUMNS_PER_HOUR * COLUMN_MILLISECONDS).toISOString().slice(11, 13).padEnd(COLUMNS_PER_HOUR),
  );
  const lines = [`${' '.repeat(width)}${hours.join('')}`];
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
