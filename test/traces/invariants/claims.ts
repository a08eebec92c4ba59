import { isOver, isWaiting, keyOf, keyOfChain, nameOf, restartOf } from '../rows';
import type { FiringRow } from '../snapshot';
import { memoOf, type PlayedChain } from '../temporal';
import type { Memory, SeenClaim } from './memory';
import type { ScheduleStep } from './step';

/**
 * A firing that a person has restarted is claimed again. It only follows its schedule's policy if it is part of a bulk
 * redrive.
 */
export function noteRestart(memory: Memory, step: ScheduleStep, row: FiringRow): void {
  const { model, eraBefore, formerly, letters } = step;
  const former = formerly.get(row.scheduled_time);
  if (!former || !isOver(former)) return;
  // A reset continues an existing claim. An abandoned firing is claimed again, even in the same millisecond.
  const isSame = former.epoch === row.epoch && former.claimed_at === row.claimed_at;
  if (isSame && (former.state !== 'abandoned' || row.state === 'abandoned')) return;
  const letter = restartOf(row, letters);
  if (!letter) return;
  const inTurn = Math.max(model.capacity(null), model.capacity(null, eraBefore.policies));
  const capacity = letter.redrive!.inTurn ? inTurn : Number.POSITIVE_INFINITY;
  memory.restarts.add(keyOf(row));
  const unordered = capacity === Number.POSITIVE_INFINITY;
  memory.claims.set(keyOf(row), { ...orderOf(memory, row), capacity, unordered });
}

export function noteClaim(
  memory: Memory,
  { model, eraBefore, was, formerly, changes }: ScheduleStep,
  row: FiringRow,
): void {
  if (row.state === 'buffered' || row.state === 'skipped') return;
  const former = formerly.get(row.scheduled_time);
  const key = keyOf(row);
  const known = memory.claims.get(key);
  const changed = changes.length > 0;
  const isOfSpec = row.kind === 'schedule' || row.kind === 'catchup';
  // A firing that was handed over ahead cannot be taken back.
  const sleeps =
    !changed &&
    row.starts_at === null &&
    !memory.restarts.has(key) &&
    was !== undefined &&
    (was.deleted || (was.paused && isOfSpec));
  if (!known) {
    if (sleeps) memory.problem(`${nameOf(row)} was claimed though its schedule is paused or deleted`);
    const capacity = Math.max(model.capacity(row.overlap), model.capacity(row.overlap, eraBefore.policies));
    memory.claims.set(key, { ...orderOf(memory, row), capacity, unordered: false });
    return;
  }
  // Nobody had announced it when its schedule was paused or deleted.
  const wasStopped =
    former?.state === 'claimed' && former.first_attempted_at === null && row.starts_at === null && sleeps;
  if (wasStopped && (row.first_attempted_at !== null || row.state === 'linked' || row.state === 'closed')) {
    memory.problem(`${nameOf(row)} was started though its schedule is paused or deleted`);
  }
}

/** A pause or a deletion ends all waiting firings, except those that a person requested. */
export function checkStopped(memory: Memory, { is, letters, firings }: ScheduleStep): void {
  for (const row of firings) {
    const isOfSpec = row.kind === 'schedule' || row.kind === 'catchup';
    if (
      !isWaiting(row) ||
      row.starts_at !== null ||
      !(is.deleted || (is.paused && isOfSpec)) ||
      restartOf(row, letters)
    )
      continue;
    memory.problem(`${nameOf(row)} waits though its schedule is ${is.deleted ? 'deleted' : 'paused'}`);
  }
}

export function checkOverlap(memory: Memory, name: string, row: FiringRow, beside: PlayedChain[]): void {
  const claim = memory.claims.get(keyOf(row));
  if (!claim) {
    memory.problem(`${name} began without a claim`);
    return;
  }
  const earlier = beside.filter((chain) => {
    const other = memory.claims.get(keyOfChain(chain));
    if (!other || memory.world.beyondPolicy.has(chain) || memory.isLetGo(chain)) return false;
    return isBefore(other, claim);
  });
  if (earlier.length >= claim.capacity) memory.problem(`${name} began beside ${earlier.length} that run`);
}

function orderOf({ step }: Memory, { claimed_at: claimedAt, scheduled_time: scheduledTime }: FiringRow) {
  return { step, claimedAt, scheduledTime };
}

/** Whether one claim was decided before another. */
function isBefore(one: SeenClaim, other: SeenClaim): boolean {
  if (one.step !== other.step) return one.step < other.step;
  if (one.claimedAt !== other.claimedAt) return one.claimedAt < other.claimedAt;
  return one.scheduledTime < other.scheduledTime && !one.unordered;
}

/** A reset of a bulk redrive follows its schedule's policy. Any other reset is a person's, and ignores every policy. */
export function noteResets(memory: Memory): void {
  const { letters } = memory.after;
  const { reset, beyondPolicy, network, interleaved, schedules } = memory.world;
  for (const { chain, beside, requestId } of network.resets.slice(memory.resetsSeen)) {
    reset.add(chain);
    const letter = letters.find(({ redrive }) => redrive?.requestId === requestId);
    if (!letter?.redrive?.inTurn) {
      beyondPolicy.add(chain);
      continue;
    }
    const { model } = schedules.find(({ scheduleId }) => scheduleId === memoOf(chain).scheduleId)!;
    // From now on it counts as running again.
    const claim = memory.claims.get(keyOfChain(chain));
    const unordered = model.capacity(null) === Number.POSITIVE_INFINITY;
    if (claim) Object.assign(claim, { step: memory.step, claimedAt: memory.world.clock.now(), unordered });
    const others = beside.filter(
      (other) => !beyondPolicy.has(other) && !memory.isLetGo(other) && memory.claims.has(keyOfChain(other)),
    );
    if (!interleaved && others.length >= model.capacity(null)) {
      memory.problem(`${keyOfChain(chain)} was resumed in its turn beside ${others.length} that run`);
    }
  }
  memory.resetsSeen = network.resets.length;
}
