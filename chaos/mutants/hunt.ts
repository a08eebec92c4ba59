import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MEMBERS } from '../members';
import { planOf } from '../plan';
import { run } from '../run';
import type { Result } from '../summary';
import type { AtEnd } from '../world/at-end';
import { type Program, ROOT, SHIPPED } from '../world/program';
import { type Mutant, planted } from './mutants';

export interface HuntOptions {
  settleMilliseconds: number;
  onProgress: (line: string) => void;
}

/**
 * A short run with a third of the schedules, in which starts fail now and then. The fault of each mutant must show in
 * it.
 */
const PLAN = planOf({ seed: 4, milliseconds: 20_000, share: 0.3, members: MEMBERS, faults: ['starts'] });

/**
 * Makes the short run with a mutant of the program, or with the program as it is shipped. @returns what the checker
 * reported
 */
export async function hunt(mutant: Mutant | undefined, options: HuntOptions, atEnd: AtEnd): Promise<Result> {
  const program = mutant ? copyWith(mutant, atEnd) : SHIPPED;
  return (await run({ ...options, program, plan: PLAN }, atEnd)).result;
}

/**
 * Whether the checker found a violation of the mutant's kind. That the run has not settled in time is reported as never
 * closed, and does not count here: the check of rows and workflows must find something.
 */
export function isFoundBy({ violations, settledSeconds }: Result, { kind }: Mutant): boolean {
  const ofRun = kind === 'never closed' && settledSeconds === null ? 1 : 0;
  return violations[kind] > ofRun;
}

/** Copies the built package and the workload's worker, and plants the mutant's fault in the copy. */
function copyWith(mutant: Mutant, atEnd: AtEnd): Program {
  const folder = join(ROOT, '.cache', 'mutants', mutant.name);
  const dist = join(folder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  atEnd(() => rm(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, 'dist'), dist, { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const file = join(dist, `${mutant.file}.js`);
  writeFileSync(file, planted(mutant, readFileSync(file, 'utf8')));
  // In this folder, the relative imports of the worker lead to the copy of the package.
  const workload = join(dist, 'chaos', 'workload');
  cpSync(join(ROOT, 'chaos', 'workload'), workload, { recursive: true });
  return { command: join(dist, 'cli', 'main.js'), worker: join(workload, 'worker-main.ts') };
}
