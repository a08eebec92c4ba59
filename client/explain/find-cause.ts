import { problemOfStored, UnknownDefinitionError } from '../../core/definition/stored-definition';
import type { FiringKey } from '../../core/firing';
import { type ParkedStep, stepNameOf } from '../../core/letters/failed-step';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import { readFreezeAt, readHeldUntil } from '../../store/freezes/matching';
import { readParkedHolder } from '../../store/letters/parked-holder';
import { type DeadLetter, readLetter, readLettersOf } from '../../store/letters/read-letters';
import {
  readConditions,
  readDecidedBy,
  readHolder,
  readParkedPolicy,
  readStandingClaim,
  readTaskQueue,
} from '../../store/reads/causes';
import type { Firing } from '../../store/reads/read-firings';
import { firingLockHolders, type LockHolder, lockHolders } from '../../store/schedules/lock-holders';
import { readHourUsedUp } from '../../store/schedules/tenant-hours';
import { SPEC_FORMAT } from '../../store/spec-format';
import type { ClientContext } from '../context';
import { asSeen } from '../freezes/errors';
import { withText } from '../letters/text';
import { nowOf } from '../update/change';
import type { Cause, LetterOfCause } from './cause';

/** Reasons of skipped firings that a parked firing of their schedule may explain. */
const HELD_BY_A_RUN = ['overlap', 'overlap_waiting'];

export async function causeOf(context: ClientContext, firing: Firing): Promise<Cause | undefined> {
  const { store } = context;
  switch (firing.state) {
    case 'buffered':
      return causeOfDue(context, firing, () => frozen(context, firing));
    case 'claimed':
      return (await standstill(context, () => firingLockHolders(store, firing))) ?? notStarted(context, firing);
    case 'linked':
      return parkedOrStalled(context, firing);
    case 'closed':
      return firing.outcome === 'completed' ? undefined : failed(context, firing);
    case 'abandoned':
      return failed(context, firing);
    case 'skipped':
      return behindParked(context, firing);
  }
}

/**
 * Why no trigger decides an occurrence that is due, or a firing that is buffered.
 *
 * @param readFreeze finds the freeze that holds the firing. @default none
 */
export async function causeOfDue(
  context: ClientContext,
  key: FiringKey,
  readFreeze: () => Promise<Cause | undefined> = async () => undefined,
): Promise<Cause | undefined> {
  return (
    (await beyondThisVersion(context, key)) ??
    (await standstill(context, () => lockHolders(context.store, key.scheduleId))) ??
    (await readFreeze()) ??
    (await behind(context, key)) ??
    beyondQuota(context, key)
  );
}

/** Whether only a newer trigger can decide an occurrence or a firing. */
export async function beyondThisVersion({ store }: ClientContext, key: FiringKey): Promise<Cause | undefined> {
  const decidedBy = await readDecidedBy(store, key);
  if (!decidedBy) return undefined;
  const { overlap, form } = decidedBy;
  const because = (problem: string) => ({ kind: 'newer_trigger' as const, problem: `this version ${problem}` });
  if (form > SPEC_FORMAT) {
    return because(
      `cannot read its definition: it is in form ${form} of a newer program; upgrade the triggers, or delete the schedule and create it again`,
    );
  }
  const unknown = problemOfStored(decidedBy);
  if (unknown instanceof UnknownDefinitionError) return because(`cannot read its definition: ${unknown.message}`);
  const isKnown = overlap === null || OVERLAP_POLICIES.includes(overlap);
  return isKnown ? undefined : because(`does not know its overlap policy '${overlap}'`);
}

async function standstill(
  { store, now }: ClientContext,
  readHolders: () => Promise<LockHolder[]>,
): Promise<Cause | undefined> {
  const { isTriggerAlive, lastHeartbeatAt, isAdopting } = await readConditions(store, now?.());
  if (!isTriggerAlive) return { kind: 'no_trigger', lastHeartbeatAt };
  const holders = await readHolders();
  if (holders.length > 0) return { kind: 'locked', holders };
  return isAdopting ? { kind: 'adoption' } : undefined;
}

async function notStarted({ store, tenant, now }: ClientContext, firing: Firing): Promise<Cause | undefined> {
  const claim = await readStandingClaim(store, firing, { tenant, now: now?.() });
  if (!claim) return undefined;
  const { namespace, startAttempts: attempts, lastError: error } = firing;
  const { refusedSince, checkAt: nextTryAt, isBehind, before, waiting, awaySince, awayError, cap } = claim;
  // `refusedSince` stays if the namespace went away after this start had failed.
  const isAwaySince = refusedSince && awaySince && awaySince > refusedSince;
  if (refusedSince && !isAwaySince) return { kind: 'start_failing', since: refusedSince, error, nextTryAt };
  if (attempts > 0) return { kind: 'start_rejected', attempts, error, nextTryAt };
  if (awaySince) return { kind: 'temporal_away', namespace, since: awaySince, waiting, error: awayError!, nextTryAt };
  if (cap) {
    const { since, ...which } = cap;
    return { kind: 'cap', ...which, since: new Date(since), before };
  }
  return isBehind ? { kind: 'queue', namespace, before } : undefined;
}

async function behind(context: ClientContext, key: FiringKey): Promise<Cause | undefined> {
  const firing = await readHolder(context.store, key);
  return firing && { kind: 'behind', firing, cause: await causeOf(context, firing) };
}

/** A freeze holds back only firings of the spec. */
async function frozen(context: ClientContext, { scheduleId, kind }: Firing): Promise<Cause | undefined> {
  if (kind !== 'schedule' && kind !== 'catchup') return undefined;
  const freeze = await readFreezeAt(context.store, scheduleId, nowOf(context));
  if (!freeze) return undefined;
  const until = await readHeldUntil(context.store, scheduleId, freeze);
  return { kind: 'frozen', freeze: asSeen(freeze, context.tenant), until };
}

async function beyondQuota({ store, now }: ClientContext, { scheduleId }: FiringKey): Promise<Cause | undefined> {
  const usedUp = await readHourUsedUp(store, scheduleId, now?.());
  if (!usedUp) return undefined;
  const { tenant, firingsPerHour, nextHourAt: until } = usedUp;
  return { kind: 'quota', tenant, firingsPerHour, until };
}

async function parkedOrStalled(context: ClientContext, firing: Firing): Promise<Cause | undefined> {
  const [parked] = await readLettersOf(context.store, firing, 'waiting');
  if (parked) return causeOfParked(context, parked);
  const { stalled: reason } = firing;
  return reason === null
    ? undefined
    : { kind: 'stalled', reason, taskQueue: await readTaskQueue(context.store, firing) };
}

async function causeOfParked(context: ClientContext, letter: DeadLetter): Promise<Cause> {
  const { holds, atMost } = await readParkedPolicy(context.store, letter.scheduleId);
  const waited = waitedOf(letter);
  const until = atMost === null ? undefined : new Date(waited.since.getTime() + atMost);
  return { kind: 'parked', ...waited, holds, until, ...(await ofLetter(context, letter)) };
}

/**
 * For a firing that was skipped by overlap: the earliest firing of its schedule that had a parked step at that time.
 */
async function behindParked(context: ClientContext, skipped: Firing): Promise<Cause | undefined> {
  const { store } = context;
  const { scheduleId, claimedAt: at, reason } = skipped;
  if (at === null || !HELD_BY_A_RUN.includes(reason ?? '')) return undefined;
  if (!(await readParkedPolicy(store, scheduleId)).holds) return undefined;
  const holder = await readParkedHolder(store, { ...skipped, at });
  const letter = holder && (await readLetter(store, holder.letterId));
  if (!letter) return undefined;
  const { scheduledTime } = holder;
  return { kind: 'behind_parked', scheduledTime, ...waitedOf(letter), ...(await ofLetter(context, letter)) };
}

function waitedOf({ failedStep, createdAt }: DeadLetter): { since: Date; step: string | undefined } {
  const { failedAt } = (failedStep ?? {}) as Partial<ParkedStep>;
  const since = failedAt === undefined ? createdAt : new Date(failedAt);
  return { since, step: failedStep ? stepNameOf(failedStep) : undefined };
}

async function failed(context: ClientContext, firing: Firing): Promise<Cause | undefined> {
  const [letter] = await readLettersOf(context.store, firing);
  return letter && { kind: 'failed', ...(await ofLetter(context, letter)) };
}

async function ofLetter({ codec }: ClientContext, letter: DeadLetter): Promise<LetterOfCause> {
  const { letterId, state: letterState, failedStep } = await withText(codec, letter);
  const failure = failedStep?.failure && { type: failedStep.failure.type, message: failedStep.failure.message };
  return { letterId, letterState, failure };
}
