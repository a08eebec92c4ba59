import { COUNTED_AT_MOST } from '../core/counted';
import { readTriggerLoads, type TriggerLoads } from '../store/doctor/firings';
import { type LedgerOverview, readOverview } from '../store/reads/overview';
import { isForTriggers } from '../store/rights';
import type { AliveTrigger } from '../store/triggers';
import type { Finding } from './finding';
import type { LedgerContext } from './ledger/context';
import { attempt } from './run-checks';

/** The current load of the ledger, which `escapement doctor` shows beside the problems. */
export interface Standing {
  now: Date;
  /** Whether the role of this program is meant for triggers; undefined if it could not be read. */
  isForTriggers: boolean | undefined;
  triggers: AliveTrigger[];
  /** The load of each trigger; undefined if it could not be read. */
  loads: TriggerLoads | undefined;
  /** Schedules that are due and not claimed, and the lag of firings; undefined if these could not be read. */
  pace: Pick<LedgerOverview, 'due' | 'isDueCut' | 'dueSince' | 'lag'> | undefined;
}

/** @param countedAtMost the maximum number of rows of each kind to count */
export async function readStanding(
  { store, now, triggers }: Pick<LedgerContext, 'store' | 'now' | 'triggers'>,
  countedAtMost = COUNTED_AT_MOST,
): Promise<{ standing: Standing; findings: Finding[] }> {
  const [role, loads, pace] = await Promise.all([
    attempt('the kind of this role', () => isForTriggers(store)),
    attempt('the load of the triggers', () => readTriggerLoads(store, countedAtMost)),
    attempt('the backlog and the lag', () =>
      readOverview(store, { tenant: undefined, now, loads: false, countedAtMost }),
    ),
  ]);
  return {
    standing: { now, isForTriggers: role.read, triggers, loads: loads.read, pace: pace.read },
    findings: [...role.failed, ...loads.failed, ...pace.failed],
  };
}
