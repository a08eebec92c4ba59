import { isClean, type Result } from '../summary';
import type { AtEnd } from '../world/at-end';
import { type HuntOptions, hunt, isFoundBy } from './hunt';
import { MUTANTS, type Mutant } from './mutants';

/** The unchanged program comes first: for it, the checker must report nothing. Then comes each mutant. */
const ALL = [undefined, ...MUTANTS];
const FOUND = 'ok';

/**
 * Makes the short run of one mutant or, for `all`, of the unchanged program and then of each mutant. Prints a table of
 * what the checker reported.
 *
 * @param cleaned runs work, and afterwards stops what the work has started
 * @returns whether the checker reported each mutant with its kind of violation, and nothing for the unchanged program.
 * @throws {Error} if no mutant has this name
 */
export async function huntEach(
  name: string,
  options: HuntOptions,
  cleaned: (work: (atEnd: AtEnd) => Promise<Result>) => Promise<Result>,
): Promise<boolean> {
  const mutants = name === 'all' ? ALL : MUTANTS.filter((mutant) => mutant.name === name);
  if (mutants.length === 0) {
    throw new Error(`there is no mutant '${name}': there are ${MUTANTS.map((mutant) => mutant.name).join(', ')}, all`);
  }
  const rows: string[][] = [];
  for (const mutant of mutants) {
    const result = await cleaned((atEnd) => {
      options.onProgress(mutant ? `${mutant.name}: a program that ${mutant.does}` : 'the program as it is');
      return hunt(mutant, options, atEnd);
    });
    rows.push(rowOf(mutant, result));
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return rows.every(([verdict]) => verdict === FOUND);
}

function rowOf(mutant: Mutant | undefined, result: Result): string[] {
  const reported = Object.entries(result.violations).filter(([, count]) => count > 0);
  const isFound = mutant ? isFoundBy(result, mutant) : isClean(result);
  return [
    ...[isFound ? FOUND : 'FAILED', mutant?.name ?? 'no mutant', mutant?.does ?? 'is as it is shipped'],
    `must report: ${mutant?.kind ?? 'nothing'}`,
    `reported: ${reported.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing'}`,
  ];
}
