import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const page = readFileSync(resolve(__dirname, '../../../docs/model.md'), 'utf8');

/** What docs/model.md says: the states of each scenario, and what is violated without each guard, as `name: result`. */
export const SEARCHED = rowsBelow('What was searched').map(([scenario, , states]) => resultOf(scenario!, states!));
export const NEEDED = rowsBelow('Each guard is needed').map(([guard, , without]) =>
  resultOf(guard!, /: `(\w+)`$/.exec(without!)?.[1] ?? ''),
);

/** A name and a result without punctuation, which page and search set differently. */
export function resultOf(name: string, result: string): string {
  return `${name}: ${result}`.replace(/[`',]|:(?=.*:)/g, '');
}

/** The rows of the table below a heading. */
function rowsBelow(heading: string): string[][] {
  const [, text] = new RegExp(`\n## ${heading}\n([^#]*)`).exec(page)!;
  const rows = text!.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.slice(2, -2).split(' | '));
}
