import type { CompiledSpec } from '../../core/occurrences';
import type { NativeRun } from '../native/native';
import type { Silence } from '../silence';
import type { GoesOn } from './unpause';

/** The largest difference between two clocks that is assumed. */
export const CLOCKS_APART_MILLISECONDS = 60_000;

interface About {
  /** The times of the Temporal schedule. */
  theirs: CompiledSpec;
  answeredTo: number;
  goesOn: GoesOn;
  now: number;
  silence: Silence;
  /** The number of remaining actions. */
  atMost: number;
}

/**
 * The nominal times that neither side has handled and that are to run here: this ledger stopped before them, and the
 * Temporal schedule continues after them.
 *
 * If an earlier call unpaused the Temporal schedule, these times end before the first time that it has started since.
 * Later times without a run are ones that the Temporal schedule itself has left out. If it is uncertain whether the
 * Temporal schedule handles a time, the time is included: if both sides start it, the second start finds the workflow
 * ID in use.
 *
 * If the spec was changed on one side, the ledger may have times that the Temporal schedule does not have. Such times
 * are included only up to the unpause.
 *
 * @param runOf finds the run with the workflow ID of a nominal time
 * @returns those times, and how many others a freeze has held back
 */
export async function leftOver(
  compiled: CompiledSpec,
  { theirs, answeredTo, goesOn, now, silence, atMost }: About,
  runOf: (nominal: number) => Promise<NativeRun | undefined>,
): Promise<{ left: number[]; held: number }> {
  const { first, since } = goesOn;
  const left: number[] = [];
  let held = 0;
  const isBefore = (at: number) => {
    if (theirs.next(at - 1) !== at) return at <= (since ?? now);
    return first === null ? at <= now : at < first;
  };
  let at = compiled.next(answeredTo);
  for (; at !== undefined && left.length < atMost && (at <= now || isBefore(at)); at = compiled.next(at)) {
    if (!isBefore(at)) continue;
    const isSilent = silence.isSilent(at);
    // A silent time never runs here, so its run matters only after an earlier unpause, where the run may end these
    // times.
    const isAsked = !isSilent || (since !== null && at > since);
    const run = isAsked ? await runOf(at) : undefined;
    if (run) {
      if (since !== null && run.startedAt > since + CLOCKS_APART_MILLISECONDS) break;
    } else if (!isSilent) left.push(at);
    else if (silence.isFrozen(at)) held += 1;
  }
  return { left, held };
}
