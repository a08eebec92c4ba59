/** Print a value as one line of JSON. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value));
}

/** Print rows as a plain table, its columns as wide as they need to be. */
export function printTable(columns: string[], rows: (string | undefined)[][]): void {
  const cells = [columns, ...rows.map((row) => row.map((cell) => cell ?? '-'))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    );
}

/** An instant to the second, in UTC; manual firings keep their milliseconds. */
export function printTime(instant: Date | null | undefined): string | undefined {
  return instant?.toISOString().replace('.000Z', 'Z');
}

/** Say how to see the next page, beside the rows: those may go into a file or another program. */
export function printMore(nextCursor: string | undefined): void {
  if (nextCursor !== undefined) console.error(`There are more: --cursor ${nextCursor}`);
}
