import type { FiringKey } from '../../../core/firing';
import type { Store } from '../../../store/connection';
import { makeFarChecksDue } from '../../../store/far-checks';
import { readFired, readOpenPolicies } from '../../../store/firings/backfill';
import { readGaps } from '../../../store/firings/gaps';
import { readFiringsOfLocked } from '../../../store/firings/open-firings';
import { withLockTimeout } from '../../../store/join';
import { acquireLease } from '../../../store/leases';
import { settleLetters } from '../../../store/letters/open-and-resolve';
import { buryStep, mayHaveLostFiring } from '../../../store/letters/park-step';
import { readParkedHolder } from '../../../store/letters/parked-holder';
import { readLettersOf } from '../../../store/letters/read-letters';
import { readNow } from '../../../store/now';
import { readAgenda } from '../../../store/reads/agenda';
import { readParkedPolicy, readStandingClaim, readTaskQueue } from '../../../store/reads/causes';
import { readFiringsSettled } from '../../../store/reads/read-firings';
import { readShadows } from '../../../store/reads/read-shadows';
import { handBack } from '../../../store/schedules/cut-over';
import { lockSchedule } from '../../../store/schedules/lock';
import { readImportedAt, readMoves } from '../../../store/schedules/moves';
import { transact } from '../../../store/transaction';

/** Send statements that only workers or the testing kit send, or that need a firing in a rare state. */
export async function sendOddStatements(
  store: Store,
  { now, owner, waiting, parked }: { now: Date; owner: string; waiting: FiringKey; parked: FiringKey },
): Promise<void> {
  const { scheduleId, scheduledTime } = waiting;
  const step = {
    activityType: 'chargeCard',
    activityId: '1',
    burial: 1,
    retryState: 'MAXIMUM_ATTEMPTS_REACHED',
    failure: { type: 'CardDeclined', message: 'no money' },
  };
  const end = { epoch: 0, outcome: 'failed', closedAt: now, runId: 'run', failedStep: undefined } as const;
  const calls: (() => Promise<unknown>)[] = [
    () => transact(store, (transaction) => withLockTimeout(transaction, '2s', async () => undefined)),
    () => acquireLease(store, { resource: 'bank', holder: 'one', ttlMilliseconds: 1_000 }),
    () => readFired(store, scheduleId, [scheduledTime]),
    () => readOpenPolicies(store, scheduleId),
    () => readGaps(store, scheduleId),
    () => readNow(store),
    () =>
      transact(store, (transaction) => {
        const skipped = { skips: true, replaces: { from: now, before: now } };
        const schedules = [{ scheduleId, overlap: 'BUFFER_ALL' as const, isCapped: true, isFrozen: true, ...skipped }];
        return readFiringsOfLocked(transaction, { schedules, holdable: [], lettingGo: [], planned: [] }, 1);
      }),
    () =>
      buryStep(store, {
        ...{ installation: owner, scheduleId, scheduledTime: scheduledTime.toISOString(), epoch: 0 },
        ...{ step, failedAt: now.getTime(), workflowId: 'w', runId: 'run' },
      }),
    () =>
      mayHaveLostFiring(store, {
        installation: owner,
        scheduleId,
        scheduledTime: scheduledTime.toISOString(),
        epoch: 0,
        startedAt: now.getTime(),
      }),
    () => readParkedHolder(store, { ...waiting, at: now }),
    () => readLettersOf(store, waiting),
    () => transact(store, (transaction) => settleLetters(transaction, [{ ...end, ...parked }], now)),
    () => readAgenda(store, owner),
    () => readStandingClaim(store, waiting, { tenant: undefined, now }),
    () => readTaskQueue(store, { scheduleId, scheduleVersion: 1 } as Parameters<typeof readTaskQueue>[1]),
    () => readParkedPolicy(store, scheduleId),
    () => readFiringsSettled(store, now, now),
    () => readMoves(store, { scheduleIds: [scheduleId] }),
    () => readImportedAt(store, scheduleId).catch(() => undefined),
    () => readShadows(store, scheduleId, { after: now, to: now }, 1),
    () =>
      transact(store, async (transaction) => {
        const locked = await lockSchedule(transaction, scheduleId, now);
        await handBack(transaction, locked!, { note: 'handed back', actor: 'a test' });
      }),
  ];
  for (const call of calls) await call();
  // To a clock of long ago, all checks are far ahead.
  await makeFarChecksDue(store, new Date(0), () => true);
}
