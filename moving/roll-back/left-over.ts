import type { CompiledSpec } from '../../core/occurrences';
import type { NativeRun } from '../native/native';
import type { GoesOn } from './unpause';

/** The largest difference between two clocks that is assumed. */
const CLOCKS_APART_MILLISECONDS = 60_000;

/**
 * The nominal times that neither side has handled: this ledger stopped before them, and the Temporal schedule continues
 * after them.
 *
 * If an earlier call unpaused the Temporal schedule, these times end before the first time that it has started since.
 * The Temporal schedule itself has left out later times without a run. If it is uncertain whether the Temporal schedule
 * handles a time, the time is included: if both sides start it, the second start finds the workflow ID in use.
 *
 * If the spec was changed on one side, some times are not the Temporal schedule's. They end with its unpause.
 *
 * @param about.theirs the times of the Temporal schedule
 * @param runOf finds the run with the workflow ID of a nominal time
 */
export async function leftOver(
  compiled: CompiledSpec,
  { theirs, answeredTo, goesOn, now }: { theirs: CompiledSpec; answeredTo: number; goesOn: GoesOn; now: number },
  runOf: (nominal: number) => Promise<NativeRun | undefined>,
): Promise<number[]> {
  const { first, since } = goesOn;
  const left: number[] = [];
  const isBefore = (at: number) => {
    if (theirs.next(at - 1) !== at) return at <= (since ?? now);
    return first === null ? at <= now : at < first;
  };
  for (let at = compiled.next(answeredTo); at !== undefined && (at <= now || isBefore(at)); at = compiled.next(at)) {
    if (!isBefore(at)) continue;
    const run = await runOf(at);
    if (!run) left.push(at);
    else if (since !== null && run.startedAt > since + CLOCKS_APART_MILLISECONDS) break;
  }
  return left;
}
