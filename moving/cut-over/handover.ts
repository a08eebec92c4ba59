import type { CompiledSpec } from '../../core/occurrences';
import { nominalAt, type Standing } from '../native/standing';

/**
 * The first nominal time that belongs to this ledger once the Temporal schedule is paused; undefined if none is left.
 *
 * A Temporal schedule handles its times in order, so it has handled all times up to the last one that it started. Later
 * times that were due while the Temporal schedule was being paused belong to this ledger. The Temporal schedule may
 * have skipped later times by its overlap policy, which applies here too. If both sides start one time, the second
 * start finds the workflow ID in use.
 *
 * If the spec was changed here, it may have times that the Temporal schedule does not have. Such a time belongs to this
 * ledger if it is due after `before.readAt`, or from the nominal time of `before.first` on.
 *
 * @param theirs the times of the Temporal schedule
 * @param before the state of the Temporal schedule just before the pause
 * @param after the state of the Temporal schedule after the pause
 */
export function firstOfOurs(
  compiled: CompiledSpec,
  about: { theirs: CompiledSpec; before: Standing; after: Standing; now: number },
): number | undefined {
  const { theirs, before, after, now } = about;
  const last = after.last ?? Number.NEGATIVE_INFINITY;
  if (before.first === null) return compiled.next(Math.max(now, last));
  const first = nominalAt(theirs, before.first);
  let at = compiled.next(Math.max(Math.min(first - 1, before.readAt ?? now), last));
  // If the server's clock is ahead, the Temporal schedule has handled times that are still to come by our clock.
  while (at !== undefined && at < first && theirs.next(at - 1) === at) at = compiled.next(at);
  return at;
}

/** The overlap policies under which the server buffers starts, by the server's numbers. */
const BUFFER_ONE = 2;
const BUFFER_ALL = 3;
const BUFFERS = new Set([BUFFER_ONE, BUFFER_ALL, 4, 5]);
/** The longest delay with which a Temporal schedule is assumed to handle a due time. */
const BEHIND_MILLISECONDS = 10_000;

/**
 * The nominal times that a Temporal schedule may have buffered, by its policy: none up to its last start. Under
 * `BUFFER_ALL`, buffering begins with the time after the last start. Under `CANCEL_OTHER` and `TERMINATE_OTHER`, the
 * latest times are buffered. Under `BUFFER_ONE`, the first time after the start of the current run is buffered. If a
 * time was due just before the start of the current run, it is unclear whether that time or the next is buffered, so
 * both are returned. The server's number of buffered starts also counts starts by hand.
 *
 * @param policy the overlap policy, by the server's number
 */
export function maybeBuffered(compiled: CompiledSpec, standing: Standing, policy: number): number[] {
  const { first, last, lastStartedAt, buffered } = standing;
  if (!BUFFERS.has(policy) || buffered === 0) return [];
  // Without a first, the spec has no times after this instant.
  const end = first === null ? (standing.readAt ?? Date.now()) : nominalAt(compiled, first);
  const latest = lastTimes(compiled, end, buffered).filter((at) => last === null || at > last);
  if (last === null || (policy !== BUFFER_ONE && policy !== BUFFER_ALL)) return latest;
  if (policy === BUFFER_ALL) return times(compiled, last, end, buffered);
  const startedAt = lastStartedAt ?? last;
  const justBefore = compiled.previous(Math.min(startedAt + 1, end));
  const isInDoubt = justBefore !== undefined && justBefore > last && justBefore > startedAt - BEHIND_MILLISECONDS;
  const behind = times(compiled, Math.max(last, startedAt), end, buffered);
  const either = [...(isInDoubt ? [justBefore] : []), ...behind];
  return either.length > 0 ? either : latest;
}

/** The first times in `(after, end)`, up to a maximum number. */
function times(compiled: CompiledSpec, after: number, end: number, atMost: number): number[] {
  const found: number[] = [];
  for (let at = compiled.next(after); at !== undefined && at < end && found.length < atMost; at = compiled.next(at)) {
    found.push(at);
  }
  return found;
}

/** The last times before `end`, up to a maximum number. */
function lastTimes(compiled: CompiledSpec, end: number, atMost: number): number[] {
  const found: number[] = [];
  for (let at = compiled.previous(end); at !== undefined && found.length < atMost; at = compiled.previous(at)) {
    found.unshift(at);
  }
  return found;
}
