import type { CompiledSpec } from '../../core/occurrences';
import type { NativeRun } from '../native/native';
import type { GoesOn } from './unpause';

/** By how much two clocks are taken to differ at most. */
const CLOCKS_APART_MILLISECONDS = 60_000;

/**
 * The nominal times that neither side has come to: this one stopped before them, and the native schedule goes on behind them.
 *
 * Where an earlier call unpaused it, the first that native has started since ends them: native had left out what it did not start
 * behind that one. In doubt a time is among them: should native start it all the same, its workflow ID is taken.
 *
 * @param runOf what has the workflow ID of a nominal time
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
