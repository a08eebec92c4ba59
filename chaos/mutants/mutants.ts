import type { Violation } from '../check/facts';

/** A fault that is planted in a copy of the program, and the kind of violation by which the checker must find it. */
export interface Mutant {
  name: string;
  kind: Violation['kind'];
  /** What the program does wrong, as the end of a text that begins with "a program that". */
  does: string;
  /** The changed file, without its ending: sources and the built package have the same names. */
  file: string;
  /** The replaced text. The file must contain it once, both in the sources and in the built package. */
  from: string;
  to: string;
}

/** At least one mutant for each kind of violation. */
export const MUTANTS: readonly Mutant[] = [
  {
    ...{ name: 'drops-claims', kind: 'missed', does: 'drops one claim of ten' },
    ...{ file: 'trigger/claim/record-decisions', from: 'answered.flatMap((one) => one.firings),' },
    to: 'answered.flatMap((one) => one.firings).filter(() => Math.random() > 0.1),',
  },
  {
    ...{ name: 'two-workflow-ids', kind: 'doubled', does: 'calls each start under another workflow ID' },
    ...{ file: 'temporal/start-request', from: 'workflowId: firing.workflowId,' },
    to: 'workflowId: firing.workflowId + Math.random(),',
  },
  {
    ...{ name: 'asked-again', kind: 'unexplained', does: 'says of each start that somebody had asked for it again' },
    ...{ file: 'trigger/dispatch/call-starts', from: 'epoch: firing.epoch,', to: 'epoch: firing.epoch + 1,' },
  },
  {
    ...{ name: 'fast-clock', kind: 'early', does: 'goes by a clock that is two seconds ahead' },
    ...{ file: 'trigger/clock', from: 'this.#reading.database + (', to: 'this.#reading.database + 2_000 + (' },
  },
  {
    ...{ name: 'skips-buffered', kind: 'wrongly skipped', does: 'skips what is to wait' },
    ...{ file: 'core/decisions/overlap', from: "case 'BUFFER_ALL':" },
    to: "case 'BUFFER_ALL': if (policy === 'BUFFER_ALL') return void decisions.push('skip');",
  },
  {
    ...{ name: 'no-overlap', kind: 'overlap violated', does: 'knows no overlap' },
    ...{ file: 'core/decisions/overlap', from: 'const capacity = maxConcurrent ??' },
    to: 'const capacity = Number.POSITIVE_INFINITY ??',
  },
  {
    ...{ name: 'all-completed', kind: 'linked to the wrong run', does: 'records each end as a good one' },
    ...{ file: 'trigger/observe/chain', from: "const { outcome = 'unknown', closedAt" },
    to: "const outcome = 'completed'; const { closedAt",
  },
  {
    ...{ name: 'no-ends', kind: 'never closed', does: 'records no end' },
    ...{ file: 'store/firings/close', from: 'if (ended.length === 0)', to: 'if (ended.length >= 0)' },
  },
  {
    ...{ name: 'works-twice', kind: 'effect lost or doubled', does: 'does the work under a lease twice' },
    ...{ file: 'activities/with-lease', from: 'return await fn({' },
    to: 'return await (async (lease) => { await fn(lease); return fn(lease); })({',
  },
  {
    ...{ name: 'silent-alerts', kind: 'alert not delivered', does: 'sends no alert and says that it did' },
    ...{ file: 'alerts/post', from: 'const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS);' },
    to: 'return undefined;',
  },
  {
    ...{ name: 'tells-passwords', kind: 'secret logged', does: 'logs where its database is' },
    ...{ file: 'cli/environment', from: 'if (!connectionString) {' },
    to: 'console.error(connectionString); if (!connectionString) {',
  },
];

/**
 * The text of the mutant's file with the fault planted.
 *
 * @throws {Error} if the text to replace is not there exactly once: then nothing, or too much, would be planted
 */
export function planted({ name, file, from, to }: Mutant, text: string): string {
  const parts = text.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`mutant '${name}' is refused: ${file} has its text ${parts.length - 1} times, and not once: ${from}`);
}
