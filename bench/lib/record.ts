import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredCommit } from './commit';
import { measuredOn } from './report/report';
import type { Figure, Verdict } from './result';

const RESULTS = join(__dirname, '..', 'results');

/**
 * Write the results of a separate program to bench/results in the form of the scenes, with the machine, the commit and
 * the size.
 *
 * @param found.commit as it was read before the measurement
 */
export async function record(
  name: string,
  {
    commit,
    ...found
  }: {
    commit: MeasuredCommit;
    title: string;
    size: object;
    figures: Figure[];
    verdicts: Verdict[];
    notes: string[];
  },
): Promise<void> {
  const result = { scene: name, date: new Date().toISOString(), ...measuredOn(await commit.describe()), ...found };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}
