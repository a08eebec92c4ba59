import type { CompiledSpec } from '../../core/occurrences';
import { nominalAt, type Standing } from '../native/standing';

/** Nominal times behind the first one that are looked through at most; beyond, native has certainly come to none. */
const LOOKED_THROUGH = 1_000;

/**
 * The first nominal time that is ours once the native schedule is paused; undefined where none is left.
 *
 * Native comes to its times in order. Up to the last that it started it has come to all. Behind it lie those that it left out, as many
 * as its count of these has grown by: not one more is taken for left out, so that none can be lost. Where a buffer may account for the
 * growth, the time is ours: should native have started it all the same, its workflow ID is taken.
 *
 * @param before just before the pause
 * @param after when it was paused
 * @param isStarted whether native has started a workflow for a nominal time
 */
export async function firstOfOurs(
  compiled: CompiledSpec,
  { before, after, now }: { before: Standing; after: Standing; now: number },
  isStarted: (nominal: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (before.first === null) return compiled.next(Math.max(now, after.last ?? now));
  let nominal: number | undefined = nominalAt(compiled, before.first);
  let leftOut = Math.max(0, after.leftOut - before.leftOut - before.buffered);
  for (let looked = 0; nominal !== undefined && nominal <= now && looked < LOOKED_THROUGH; looked++) {
    const isBehindTheLast = after.last === null || nominal > after.last;
    if (!isBehindTheLast) {
      if (leftOut > 0 && !(await isStarted(nominal))) leftOut -= 1;
    } else if (leftOut > 0) leftOut -= 1;
    else return nominal;
    nominal = compiled.next(nominal);
  }
  return nominal;
}

/** Which nominal times may wait in a native schedule, by its policy: those behind the last that it started, or the last that it came to. */
export function maybeBuffered(
  compiled: CompiledSpec,
  { first, last, buffered }: Standing,
  isFirstKept: boolean,
): number[] {
  if (buffered === 0 || first === null) return [];
  const times: number[] = [];
  const end = nominalAt(compiled, first);
  if (isFirstKept && last !== null) {
    for (
      let at = compiled.next(last);
      at !== undefined && at < end && times.length < buffered;
      at = compiled.next(at)
    ) {
      times.push(at);
    }
    return times;
  }
  for (let at = compiled.previous(end); at !== undefined && times.length < buffered; at = compiled.previous(at)) {
    times.unshift(at);
  }
  return times;
}
