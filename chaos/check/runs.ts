import type { ChaosSchedule } from '../workload/definitions';
import { byKey, keyOf } from './answers';
import { type ChainFact, type Facts, type FiringFact, named, type Violation } from './facts';

/** How many milliseconds early a first task may seem, since the compared times come from several processes. */
const EARLY_MILLISECONDS = 5;
const OUTCOMES: Record<string, string> = {
  ...{
    COMPLETED: 'completed',
    FAILED: 'failed',
    TIMED_OUT: 'timed_out',
    CANCELED: 'canceled',
    TERMINATED: 'terminated',
  },
};
const STARTED = ['linked', 'closed'];
/**
 * The ends that a chain may have: its own completion, the failure of the failing workflow, and interrupts for another
 * firing by the overlap policy.
 */
const MAY_END: Record<string, (schedule: ChaosSchedule, chain: ChainFact, firings: FiringFact[]) => boolean> = {
  COMPLETED: () => true,
  FAILED: ({ workflow }) => workflow === 'failsFirst',
  CANCELED: ({ policies }, ...of) => policies.overlap === 'CANCEL_OTHER' && mayBeInterrupted(...of),
  TERMINATED: ({ policies }, ...of) => policies.overlap === 'TERMINATE_OTHER' && mayBeInterrupted(...of),
};

/**
 * Whether another firing may have ended the chain. A later one must have been due by then. An earlier one must have been
 * claimed while the chain ran, as after a failover that lost the earlier row.
 */
function mayBeInterrupted({ scheduleId, time, startedAt, closedAt }: ChainFact, firings: FiringFact[]): boolean {
  return firings.some(
    (other) =>
      other.scheduleId === scheduleId &&
      other.time <= closedAt! &&
      (other.time > time || (other.time < time && other.claimedAt >= startedAt)),
  );
}

/**
 * Checks that each firing ran once, that it did not begin early, that its row describes this run, and that it ended.
 */
export function checkRuns({ firings, chains, schedules }: Facts): Violation[] {
  const rows = byKey(firings);
  const violations: Violation[] = [];
  const add = (kind: Violation['kind'], text: string) => violations.push({ kind, text });
  const byFiring = new Map<string, ChainFact[]>();
  for (const chain of chains) {
    byFiring.set(keyOf(chain), [...(byFiring.get(keyOf(chain)) ?? []), chain]);
    if (
      chain.kind !== 'manual' &&
      chain.firstTaskAt !== undefined &&
      chain.firstTaskAt < chain.time - EARLY_MILLISECONDS
    ) {
      add('early', `${named(chain)} began ${chain.time - chain.firstTaskAt} ms early`);
    }
    if (chain.closedAt === undefined) add('never closed', `${named(chain)}: its workflow still runs`);
    const schedule = schedules.find(({ scheduleId }) => scheduleId === chain.scheduleId);
    if (chain.closedAt !== undefined && !(schedule && MAY_END[chain.status]?.(schedule, chain, firings))) {
      add('unexplained', `${named(chain)} ended as ${chain.status}, and nothing was to do that`);
    }
    const problem = unexplained(rows.get(keyOf(chain)), chain);
    if (problem) add('unexplained', `${named(chain)} ran as ${chain.workflowId}, and ${problem}`);
  }
  for (const same of byFiring.values()) {
    const [first] = same.sort((one, other) => one.epoch - other.epoch);
    if (same.some((chain, index) => index > 0 && !mayFollow(same[index - 1]!, chain)))
      add('doubled', `${named(first!)} ran ${same.length} times: ${same.map((one) => one.workflowId).join(', ')}`);
  }
  const types = new Map(schedules.map(({ scheduleId, workflow }) => [scheduleId, workflow]));
  for (const firing of firings) {
    const ran = (byFiring.get(keyOf(firing)) ?? []).filter(({ epoch }) => epoch === firing.epoch);
    if (!['closed', 'skipped', 'abandoned'].includes(firing.state))
      add('never closed', `${named(firing)} is ${firing.state}${whenEnded(ran)}`);
    if (!STARTED.includes(firing.state)) continue;
    if (ran.length === 0) add('missed', `${named(firing)} is ${firing.state}, and Temporal knows no workflow of it`);
    else if (!ran.some((chain) => isOf(firing, chain, types))) {
      add('linked to the wrong run', `${named(firing)}: ${firing.workflowId} ${firing.runId} ${firing.outcome}`);
    }
  }
  return violations;
}

/** Whether a firing may have both chains: a person restarts only what has failed, and a restart has a new epoch. */
function mayFollow(former: ChainFact, next: ChainFact): boolean {
  return former.status === 'FAILED' && next.epoch > former.epoch;
}

function whenEnded(ran: ChainFact[]): string {
  return ran
    .flatMap(({ closedAt, status, isListedAsEnded }) => {
      if (closedAt === undefined) return [];
      const isUnlisted = isListedAsEnded ? '' : ", which Temporal's list does not show";
      return [`, and its workflow was ${status} at ${new Date(closedAt).toISOString()}${isUnlisted}`];
    })
    .join('');
}

function unexplained(row: FiringFact | undefined, { epoch }: ChainFact): string | undefined {
  if (!row) return 'the ledger has no row of it';
  if (epoch > row.epoch) return 'nobody had asked for it again';
  if (epoch === row.epoch && ['skipped', 'abandoned', 'buffered'].includes(row.state)) {
    return `the ledger says ${row.state} (${row.reason})`;
  }
  return undefined;
}

function isOf(firing: FiringFact, chain: ChainFact, types: ReadonlyMap<string, string>): boolean {
  return (
    firing.workflowId === chain.workflowId &&
    firing.runId === chain.firstRunId &&
    types.get(firing.scheduleId) === chain.workflowType &&
    (firing.state === 'linked' || firing.outcome === OUTCOMES[chain.status])
  );
}
