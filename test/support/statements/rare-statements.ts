import type { FiringKey } from '../../../core/firing';
import { deleteOld, deleteOldOperations } from '../../../store/alerts/forget';
import { extendOutage, recordOutage, recordTaken } from '../../../store/alerts/outages';
import {
  addTargets,
  moveMessages,
  recordDelivered,
  recordUndelivered,
  takeMessage,
  writeMessages,
} from '../../../store/alerts/outbox';
import { readStillOverdue } from '../../../store/alerts/overdue';
import { endSilence, insertSilence, readSilences } from '../../../store/alerts/silences';
import { readLastPass } from '../../../store/alerts/turn';
import { beginAudit, readAudit } from '../../../store/api/audit';
import { takeKey } from '../../../store/api/requests';
import {
  hasHadTokens,
  insertToken,
  readToken,
  readTokens,
  rememberTokens,
  revokeToken,
} from '../../../store/api/tokens';
import { readArchivedTo } from '../../../store/archive/restored';
import type { Store } from '../../../store/connection';
import { adoptFiring, readLinkedNamespaces, readListed, readRan } from '../../../store/firings/adopt';
import { releaseBuffered } from '../../../store/firings/claim';
import { closeFirings } from '../../../store/firings/close';
import { readDueChecks } from '../../../store/firings/due-checks';
import {
  advanceEndCursor,
  pollEach,
  postponeLateList,
  readFiringsOfRuns,
  takeEndCursors,
  takeLateList,
} from '../../../store/firings/ends';
import { readExclusionsOf } from '../../../store/firings/exclude';
import { deleteGaps, deleteSettledLetters } from '../../../store/firings/forget';
import { insertGaps } from '../../../store/firings/gaps';
import { giveUpFiring } from '../../../store/firings/give-up';
import { pollNext, recordInterrupted, wantInterrupts, withdrawInterrupts } from '../../../store/firings/interrupt';
import { handOverToVersionBefore, letWait } from '../../../store/firings/let-wait';
import { noteStalls, pollAgain, readEndedStalls } from '../../../store/firings/observe';
import { reopenFirings } from '../../../store/firings/reset';
import { readMonthHolder, retireMonth } from '../../../store/firings/retire-month';
import { skipWaiting } from '../../../store/firings/skip-waiting';
import {
  announceAgain,
  postponeClaims,
  recordDeferral,
  recordFailing,
  recordRejection,
  takeBackAnnouncements,
} from '../../../store/firings/start';
import {
  announceWaiting,
  readExpired,
  readRedriven,
  readWaiting,
  readWaitingNamespaces,
} from '../../../store/firings/waiting';
import { readMatching } from '../../../store/freezes/matching';
import { postponeFreezes } from '../../../store/freezes/rows';
import { noticeIncarnation } from '../../../store/incarnation';
import {
  reclaimFiring,
  recordDecision,
  refuseRedrive,
  relinkFiring,
  settleByEnd,
} from '../../../store/letters/carry-out-redrive';
import { readParkedTooLong } from '../../../store/letters/expire-parked';
import {
  endParkedRound,
  leaveParkedRound,
  recordParkedPlace,
  recordRefusedQuestions,
} from '../../../store/letters/parked-round';
import {
  announceDecision,
  type PendingRedrive,
  postponeRedrive,
  readDueRedrives,
  readRedrivenNamespaces,
} from '../../../store/letters/redrive';
import { announceReset } from '../../../store/letters/redrive-turns';
import { settleResumed } from '../../../store/letters/settle-resumed';
import { readGauges } from '../../../store/reads/gauges';
import { readFiring } from '../../../store/reads/read-firings';
import { readNewPauses } from '../../../store/reads/read-pauses';
import { readStartPayloads, readUpcomingTimers, setAside } from '../../../store/schedules/due';
import { recordCompleted } from '../../../store/schedules/forgotten';
import { readOwner } from '../../../store/schedules/lock';
import { lockHolders, lockHoldersOfDue, lockHoldersOfEach } from '../../../store/schedules/lock-holders';
import { endPauses } from '../../../store/schedules/schedule-state';
import { countHours, lockHours } from '../../../store/schedules/tenant-hours';
import { transact } from '../../../store/transaction';
import { readReach, signOff } from '../../../store/triggers';

/**
 * Send statements that a trigger only sends after a failure or an action of a person, on firings in the required state.
 */
export async function sendRareStatements(
  store: Store,
  at: { now: Date; owner: string; claimed: FiringKey[]; linked: FiringKey[]; closed: FiringKey },
): Promise<void> {
  const { now, owner, closed } = at;
  const [claim, other] = at.claimed;
  const [running, ended] = at.linked;
  const { scheduleId } = claim!;
  const version = { scheduleId, version: 1 };
  const redrive = redriveOf(closed, owner);
  const turn = { tenant: '', readyAt: now, late: false };
  const lane = { tenant: '', taskQueue: '' };
  const after = { onTime: lane, overdue: lane, missed: lane };
  const waiting = { namespace: 'default', limit: 50, onTimeFrom: now, after, capped: new Map(), without: [] };
  const walk = { actor: 'walk', address: '127.0.0.1', operation: 'walk', target: '/' };
  const token = {
    ...{ tokenId: owner, name: 'walk', hash: Buffer.alloc(32), tenant: 'acme', scopes: ['read'] },
    ...{ createdBy: 'walk', expiresAt: now },
  };
  const silence = {
    silenceId: owner,
    tenant: 'acme',
    scheduleId,
    condition: null,
    until: now,
    reason: 'x',
    actor: 'x',
    now,
  };
  const parkedRound = { owner, incarnation: 'null', name: 'again' } as const;
  const calls: (() => Promise<unknown>)[] = [
    () => addTargets(store, ['webhook'], now),
    () => moveMessages(store, [{ former: 'url', target: 'webhook' }]),
    () => readStillOverdue(store, { overdueBefore: now, only: [{ scheduleId }] }),
    () => writeMessages(store, [{ messageId: owner, alertId: owner, body: '{}' }], now),
    () => takeMessage(store, 'webhook', { now, leaseUntil: now, longestPause: 1, longestFailingPause: 1 }),
    () =>
      recordUndelivered(store, 'webhook', owner, {
        ...{ error: 'away', at: now, nextAttemptAt: now, nextIfRefusedAt: now },
      }),
    () => recordDelivered(store, 'webhook', owner, now),
    () => readListed(store, 'default', [{ ...claim!, startedAt: now }]),
    () => readOwner(store, scheduleId),
    () => readRan(store, [{ scheduleId, from: 0, to: now.getTime() }]),
    () => readUpcomingTimers(store, { now, near: now, until: now }, 50),
    () => readStartPayloads(store, [version]),
    () => setAside(store, version, 'broken', now),
    () => readMatching(store, { tenant: 'acme', source: 'x', query: 'paused = true', scheduleIds: null }, [scheduleId]),
    () => transact(store, (transaction) => postponeFreezes(transaction)),
    () => readExclusionsOf(store, [{ scheduleId, after: now }]),
    () => endPauses(store, [{ scheduleId, until: now }], now),
    () => insertGaps(store, [{ scheduleId, from: 0, to: 1, count: 1, reason: 'paused' }], now),
    () => deleteOld(store, 'alerts', new Date('2025-01-01Z')),
    () => deleteOldOperations(store, new Date('2025-01-01Z')),
    () => insertToken(store, token),
    () => hasHadTokens(store),
    () => rememberTokens(store),
    () => readToken(store, token.hash),
    () => readTokens(store),
    () => revokeToken(store, token.name, 'walk'),
    () => beginAudit(store, { ...walk, token: null, tenant: 'acme' }),
    () => readAudit(store, { tenant: 'acme', before: undefined, size: 1 }),
    () => takeKey(store, { caller: 'walk', key: 'one' }, 'same'),
    () => takeKey(store, { caller: 'walk', key: 'one' }, 'same'),
    () => deleteGaps(store, new Date('2025-01-01Z')),
    () => readArchivedTo(store),
    () => insertSilence(store, silence),
    () => readSilences(store, { tenant: 'acme', now }),
    () => endSilence(store, owner, { tenant: 'acme', now: new Date('2025-01-01Z') }),
    () => deleteSettledLetters(store, { floor: new Date('2025-01-01Z'), before: new Date('2025-01-01Z') }),
    () => lockHolders(store, scheduleId),
    () => lockHoldersOfEach(store, [scheduleId]),
    () => lockHoldersOfDue(store, now),
    () => readLastPass(store),
    () => recordOutage(store, { alertId: owner, openedAt: now, resolvedAt: now, text: 'away', ordinal: 0 }),
    () => extendOutage(store, { alertId: owner, resolvedAt: now, acceptedAt: now }),
    () => recordTaken(store, { messageId: owner, alertId: owner, body: '{}' }, { targets: ['webhook'], at: now }),
    () => readFiring(store, scheduleId, claim!.scheduledTime),
    () =>
      takeEndCursors(store, {
        now,
        everyMilliseconds: 1_000,
        firstLateListAt: now,
        open: [{ namespace: 'default', until: now }],
        without: [],
      }),
    () => advanceEndCursor(store, 'default', now),
    () => takeLateList(store, 'default', { now, nextDueAt: now }),
    () => postponeLateList(store, 'default', { from: now, to: now }),
    () => readFiringsOfRuns(store, [running!, ended!]),
    () => pollEach(store, 'default', now),
    () => noteStalls(store, [{ ...running!, stalled: 'no_worker' }]),
    () => readEndedStalls(store, [{ namespace: 'default', taskQueue: 'nobody-polls', reason: 'paused' }]),
    () => pollAgain(store, [running!], now),
    () => pollNext(store, [running!], now),
    () => wantInterrupts(store, [{ ...running!, kind: 'cancel', waitingSince: now }], now),
    () => withdrawInterrupts(store, [{ ...claim!, cancelAt: null }]),
    () => recordInterrupted(store, [{ ...running!, kind: 'cancel', epoch: 0, dueAt: now }], now),
    () => readNewPauses(store, [{ scheduleId, wakeAt: now }]),
    () => releaseBuffered(store, [{ ...claim!, state: 'claimed', reason: null, ...turn }], now),
    () => readDueChecks(store, { state: 'linked', now, limit: 50, without: [], only: [running!] }),
    () =>
      readDueRedrives(store, { now, lookAt: now, paceSince: now, withoutNamespaces: [], limit: 50 }, { without: [] }),
    () => readWaitingNamespaces(store),
    () => readParkedTooLong(store, now, { without: [] }),
    () => readWaiting(store, waiting),
    () => readWaiting(store, { ...waiting, lanes: [{ tenant: '', taskQueue: 'q', late: false, from: now }] }),
    () => announceWaiting(store, [claim!], { owner, now, checkAt: now, at: now }),
    () => announceAgain(store, [claim!], { owner, now, checkAt: now, at: now }),
    () => readRedriven(store, [claim!]),
    () => readReach(store, ['default'], { now, unanswered: ['UNAVAILABLE'] }),
    () => readExpired(store, { namespace: 'default', now, refusedSince: now, refusedAtMostMilliseconds: 0, limit: 50 }),
    () => recordDeferral(store, [claim!], 'away', { checkAt: now }),
    () => recordRejection(store, { ...claim!, startAttempts: 0 }, 'no', now),
    () => recordFailing(store, claim!, 'no', now),
    () => postponeClaims(store, [claim!], now),
    () => takeBackAnnouncements(store, [claim!], { announcedAt: now, now }),
    () => letWait(store, [{ ...claim!, ...turn, taskQueue: 'jobs' }], owner),
    () => transact(store, (transaction) => skipWaiting(transaction, [scheduleId], now)),
    () => giveUpFiring(store, { ...other!, epoch: 0 }, { state: 'abandoned', reason: 'start_rejected' }, now),
    () => handOverToVersionBefore(store, now),
    () =>
      closeFirings(
        store,
        [
          {
            ...ended!,
            epoch: 0,
            outcome: 'failed',
            closedAt: now,
            runId: 'run',
            endedRunId: 'run',
            failedStep: undefined,
          },
        ],
        { now, resetCheckAt: now },
      ),
    () => reopenFirings(store, [{ ...ended!, epoch: 0, cancelAt: null }], now),
    () => announceReset(store, redrive, { runId: 'run', eventId: 1 }, now),
    () => announceDecision(store, redrive, { runId: 'run', burial: 1 }),
    () => recordDecision(store, redrive, now),
    () => postponeRedrive(store, redrive, now),
    () => readRedrivenNamespaces(store),
    () => relinkFiring(store, redrive, { now, cancelAt: null, runId: 'run' }),
    () => transact(store, (transaction) => settleResumed(transaction, redrive, { now, runId: 'run' })),
    () => settleByEnd(store, redrive, now),
    () => refuseRedrive(store, redrive, 'no', now),
    () => reclaimFiring(store, { ...redrive, state: 'closed' }, { ...redrive, epoch: 1, taskQueue: 'jobs', now }),
    () => adoptFiring(store, { ...lostOf(redrive, now), epoch: 2 }, { owner, now }),
    () => noticeIncarnation(store, now),
    () => readLinkedNamespaces(store),
    () => recordParkedPlace(store, parkedRound, 'default', 'token'),
    () => recordParkedPlace(store, parkedRound, 'default', undefined),
    () => recordRefusedQuestions(store, parkedRound, { namespace: 'default', error: 'refused', now }),
    () => leaveParkedRound(store, parkedRound),
    () => endParkedRound(store, parkedRound),
    () => readMonthHolder(store, new Date('2026-02-01Z')),
    () => retireMonth(store, new Date('2026-02-01Z')),
    () => transact(store, (transaction) => lockHours(transaction, ['acme'], now)),
    () => transact(store, (transaction) => countHours(transaction, new Map([['acme', 1]]), now)),
    () => readGauges(store, { staleAfterMilliseconds: 10_000 }),
    () => recordCompleted(store, [{ scheduleId: closed.scheduleId, spec: {}, answeredTo: now, remainingActions: 0 }]),
    () => signOff(store, owner, now),
  ];
  for (const call of calls) await call();
}

function redriveOf(closed: FiringKey, requestId: string): PendingRedrive {
  return {
    ...closed,
    letterId: requestId,
    letterKind: 'workflow',
    reason: 'failed',
    request: { mode: 'restart', requestId, force: false, askedAt: new Date(0).toISOString() },
    actor: 'test',
    state: 'closed',
    outcome: 'failed',
    isWatched: false,
    kind: 'schedule',
    namespace: 'default',
    tenant: '',
    workflowId: 'again',
    runId: 'run',
    epoch: 0,
    version: 1,
    currentVersion: 1,
    failedStep: null,
    parked: null,
  };
}

function lostOf(redrive: PendingRedrive, now: Date) {
  return { ...redrive, runId: 'run', startedAt: now, cancelAt: null, rowEpoch: null, startsAt: null };
}
