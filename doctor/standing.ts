import { readTriggerLoads, type TriggerLoads } from '../store/doctor/firings';
import { COUNTED_AT_MOST, type LedgerOverview, readOverview } from '../store/reads/overview';
import type { AliveTrigger } from '../store/triggers';
import type { Finding } from './finding';
import type { LedgerContext } from './ledger/context';
import { attempt } from './run-checks';

/** What goes on, beside what is wrong. */
export interface Standing {
  now: Date;
  /** Those that are alive. */
  triggers: AliveTrigger[];
  /** What each has in hand; undefined where that could not be read. */
  loads: TriggerLoads | undefined;
  /** What is due and not claimed, and how late firings were; undefined where that could not be read. */
  pace: Pick<LedgerOverview, 'due' | 'isDueCut' | 'dueSince' | 'lag'> | undefined;
}

/**
 * What could be read, and a finding for each part that could not.
 *
 * @param countedAtMost so many of each kind are counted
 */
export async function readStanding(
  { store, now, triggers }: Pick<LedgerContext, 'store' | 'now' | 'triggers'>,
  countedAtMost = COUNTED_AT_MOST,
): Promise<{ standing: Standing; findings: Finding[] }> {
  const [loads, pace] = await Promise.all([
    attempt('what triggers have in hand', () => readTriggerLoads(store, countedAtMost)),
    attempt('what is due, and how late firings are', () =>
      readOverview(store, { tenant: undefined, now, loads: false, countedAtMost }),
    ),
  ]);
  return {
    standing: { now, triggers, loads: loads.read, pace: pace.read },
    findings: [...loads.failed, ...pace.failed],
  };
}
