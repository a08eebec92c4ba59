import type { CompiledSpec } from '../../core/occurrences';
import type { NativeRun } from '../native/native';
import type { GoesOn } from './unpause';

/** Maximum assumed difference between two clocks. */
const CLOCKS_APART_MILLISECONDS = 60_000;

/**
 * The nominal times that neither side has handled. This ledger stopped before them, and the native schedule continues
 * after them.
 *
 * If an earlier call unpaused the native schedule, they end before the first time that native has started since. Times
 * before that one were left out by native. If it is uncertain whether native handles a time, the time is included: if
 * native starts it too, its workflow ID is already in use.
 *
 * @param runOf finds the run with the workflow ID of a nominal time
 */
export async function leftOver(
  compiled: CompiledSpec,
  { answeredTo, goesOn, now }: { answeredTo: number; goesOn: GoesOn; now: number },
  runOf: (nominal: number) => Promise<NativeRun | undefined>,
): Promise<number[]> {
  const { first, since } = goesOn;
  const left: number[] = [];
  const isBefore = (at: number) => (first === null ? at <= now : at < first);
  for (let at = compiled.next(answeredTo); at !== undefined && isBefore(at); at = compiled.next(at)) {
    const run = await runOf(at);
    if (!run) left.push(at);
    else if (since !== null && run.startedAt > since + CLOCKS_APART_MILLISECONDS) break;
  }
  return left;
}
