import { mustArrive } from './alerts';
import { mustBook } from './effects';
import type { Facts, Violation } from './facts';
import { limitOf } from './overlap';

/** How many things a kind of violation was looked for in. A zero of violations says nothing if this is zero too. */
export type CheckedCounts = Record<Violation['kind'], number>;

/** What the page says of these things. */
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
    'wrongly skipped': firings.filter(({ state }) => ['skipped', 'abandoned'].includes(state)).length + gaps.length,
    'overlap violated': chains.filter(({ scheduleId }) => limited.has(scheduleId)).length,
    'linked to the wrong run': firings.filter(({ runId }) => runId !== null).length,
    'never closed': firings.length,
    'effect lost or doubled': mustBook(facts).length,
    'alert not delivered': mustArrive(facts).length,
    'secret logged': logs.reduce((sum, { text }) => sum + text.split('\n').filter((line) => line !== '').length, 0),
  };
}

/** What happened in a run beside plain starts, as the page says it: what did not happen was not checked. */
export function countEvents({ firings, gaps, chains, asked, effects, lost }: Facts): Record<string, number> {
  const skipped = (...reasons: string[]) =>
    firings.filter(({ state, reason }) => state === 'skipped' && reasons.includes(reason ?? '')).length;
  return {
    'skips for an overlap': skipped('overlap', 'overlap_waiting', 'superseded'),
    'skips by a pause or deletion': skipped('paused', 'schedule_paused', 'schedule_deleted'),
    'occurrences in gaps': gaps.reduce((sum, { count }) => sum + count, 0),
    'abandoned starts': firings.filter(({ state }) => state === 'abandoned').length,
    'workflows that an overlap policy ended': chains.filter(({ status }) => ['CANCELED', 'TERMINATED'].includes(status))
      .length,
    redrives: asked.filter(({ ask, answered }) => ask === 'redrive' && answered !== undefined).length,
    'jobs that wrote again under a new token': effects.filter(({ tokens }) => tokens.length > 1).length,
    'stretches of writes that the ledger lost': lost.length,
  };
}
