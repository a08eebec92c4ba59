import type { CompiledSpec } from '../../core/occurrences';
import { nominalAt, type Standing } from '../native/standing';

/**
 * The first nominal time that is ours once the native schedule is paused; undefined where none is left.
 *
 * Native comes to its times in order: up to the last that it started it has come to all. What fell due behind that one, while the
 * pause was on its way, is ours, though native may have left it out for overlap: the same policy decides here. Should native have
 * started it all the same, its workflow ID is taken.
 *
 * @param before just before the pause
 * @param after when it was paused
 */
export function firstOfOurs(
  compiled: CompiledSpec,
  { before, after, now }: { before: Standing; after: Standing; now: number },
): number | undefined {
  const last = after.last ?? Number.NEGATIVE_INFINITY;
  if (before.first === null) return compiled.next(Math.max(now, last));
  return compiled.next(Math.max(nominalAt(compiled, before.first) - 1, last));
}

/** By the server's numbers: overlap policies by which something waits. */
const BUFFER_ONE = 2;
const BUFFER_ALL = 3;
const BUFFERS = new Set([BUFFER_ONE, BUFFER_ALL, 4, 5]);
/** How long native may take to come to what is due, as a rule. */
const BEHIND_MILLISECONDS = 10_000;

/**
 * Which nominal times may wait in a native schedule, by its policy. Under `BUFFER_ALL` the first that waits is the one behind the
 * last that was started. Under `CANCEL_OTHER` and `TERMINATE_OTHER` the latest time waits. Under `BUFFER_ONE` the first time
 * waits that came after the start of the run. Where a time fell due just before that start, nobody can say which
 * of the two it holds: then either may wait.
 *
 * @param policy the overlap policy, by the server's number
 */
export function maybeBuffered(compiled: CompiledSpec, standing: Standing, policy: number): number[] {
  const { first, last, lastStartedAt, buffered } = standing;
  if (!BUFFERS.has(policy) || buffered === 0 || first === null) return [];
  const end = nominalAt(compiled, first);
  if (last === null || (policy !== BUFFER_ONE && policy !== BUFFER_ALL)) return lastTimes(compiled, end, buffered);
  if (policy === BUFFER_ALL) return times(compiled, last, end, buffered);
  const startedAt = lastStartedAt ?? last;
  const justBefore = compiled.previous(Math.min(startedAt + 1, end));
  const isInDoubt = justBefore !== undefined && justBefore > last && justBefore > startedAt - BEHIND_MILLISECONDS;
  const behind = times(compiled, Math.max(last, startedAt), end, buffered);
  const either = [...(isInDoubt ? [justBefore] : []), ...behind];
  return either.length > 0 ? either : lastTimes(compiled, end, buffered);
}

/** So many at most in `(after, end)`, the first of them. */
function times(compiled: CompiledSpec, after: number, end: number, atMost: number): number[] {
  const found: number[] = [];
  for (let at = compiled.next(after); at !== undefined && at < end && found.length < atMost; at = compiled.next(at)) {
    found.push(at);
  }
  return found;
}

/** So many at most before `end`, the last of them. */
function lastTimes(compiled: CompiledSpec, end: number, atMost: number): number[] {
  const found: number[] = [];
  for (let at = compiled.previous(end); at !== undefined && found.length < atMost; at = compiled.previous(at)) {
    found.unshift(at);
  }
  return found;
}
