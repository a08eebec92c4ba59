import { mustArrive } from './alerts';
import { mustBook } from './effects';
import type { Facts, Violation } from './facts';
import { limitOf } from './overlap';
import { abandonedOf } from './skips';

/**
 * For each kind of violation, the number of things that were checked for it. If nothing was checked, finding no
 * violation says nothing.
 */
export type CheckedCounts = Record<Violation['kind'], number>;

/** What was checked for each kind of violation, as docs/reliability.md names it. */
export const CHECKED: Record<Violation['kind'], string> = {
  missed: 'occurrences',
  doubled: 'workflows',
  unexplained: 'workflows',
  early: 'workflows with a nominal time',
  'wrongly skipped': 'skips, gaps and abandoned starts',
  'overlap violated': 'workflows of schedules with a limit',
  'linked to the wrong run': 'rows with a run',
  'never closed': 'rows of firings',
  'effect lost or doubled': 'completed jobs',
  'alert not delivered': 'messages',
  'secret logged': 'lines of logs',
};

/** @param expected the number of occurrences that must have an answer */
export function countChecked(facts: Facts, expected: number): CheckedCounts {
  const { chains, firings, gaps, logs, schedules } = facts;
  const limited = new Set(schedules.flatMap((one) => (limitOf(one) === undefined ? [] : [one.scheduleId])));
  return {
    missed: expected,
    doubled: chains.length,
    unexplained: chains.length,
    early: chains.filter(({ kind, firstTaskAt }) => kind !== 'manual' && firstTaskAt !== undefined).length,
    'wrongly skipped':
      firings.filter(({ state }) => state === 'skipped').length + abandonedOf(facts).length + gaps.length,
    'overlap violated': chains.filter(({ scheduleId }) => limited.has(scheduleId)).length,
    'linked to the wrong run': firings.filter(({ runId }) => runId !== null).length,
    'never closed': firings.length,
    'effect lost or doubled': mustBook(facts).length,
    'alert not delivered': mustArrive(facts).length,
    'secret logged': logs.reduce((sum, { text }) => sum + text.split('\n').filter((line) => line !== '').length, 0),
  };
}

/**
 * Counts what happened in a run besides plain starts, by the names that docs/reliability.md uses. If a count is 0, the
 * run tested nothing of this kind.
 */
export function countEvents(facts: Facts): Record<string, number> {
  const { firings, gaps, chains, asked, effects, lost } = facts;
  const skipped = (...reasons: string[]) =>
    firings.filter(({ state, reason }) => state === 'skipped' && reasons.includes(reason ?? '')).length;
  return {
    'skips for an overlap': skipped('overlap', 'overlap_waiting', 'superseded'),
    'skips by a pause or deletion': skipped('paused', 'schedule_paused', 'schedule_deleted'),
    'occurrences in gaps': gaps.reduce((sum, { count }) => sum + count, 0),
    'abandoned starts': abandonedOf(facts).length,
    'workflows that an overlap policy ended': chains.filter(({ status }) => ['CANCELED', 'TERMINATED'].includes(status))
      .length,
    redrives: asked.filter(({ ask, answered }) => ask === 'redrive' && answered !== undefined).length,
    'jobs that wrote again under a new token': effects.filter(({ tokens }) => tokens.length > 1).length,
    'stretches of writes that the ledger lost': lost.length,
  };
}
