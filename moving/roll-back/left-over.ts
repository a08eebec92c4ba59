import type { CompiledSpec } from '../../core/occurrences';
import type { NativeRun } from '../native/native';
import { CLOCKS_APART_MILLISECONDS } from '../native/reads';
import type { Silence } from '../silence';
import type { GoesOn } from './unpause';

interface About {
  /** The times of the Temporal schedule. */
  theirs: CompiledSpec;
  answeredTo: number;
  goesOn: GoesOn;
  now: number;
  /** Of a time before this instant, Temporal may have forgotten the run. Epoch milliseconds. */
  knownFrom: number;
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
 * ID in use. But once Temporal has forgotten the first workflow, it accepts the second start. So a time that is later
 * than an earlier unpause is not included if Temporal may have forgotten its workflow.
 *
 * If the spec was changed on one side, the ledger may have times that the Temporal schedule does not have. Such times
 * are included only up to the unpause.
 *
 * @param runOf finds the run with the workflow ID of a nominal time
 * @returns those times, how many others a freeze has held back, and those whose runs may be forgotten
 */
export async function leftOver(
  compiled: CompiledSpec,
  { theirs, answeredTo, goesOn, now, knownFrom, silence, atMost }: About,
  runOf: (nominal: number) => Promise<NativeRun | undefined>,
): Promise<{ left: number[]; held: number; forgotten: number[] }> {
  const { first, since } = goesOn;
  const runsSince = since === null ? Number.POSITIVE_INFINITY : since + CLOCKS_APART_MILLISECONDS;
  const left: number[] = [];
  const forgotten: number[] = [];
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
      if (run.startedAt > runsSince) break;
    } else if (isSilent) held += silence.isFrozen(at) ? 1 : 0;
    else if (at > runsSince && at < knownFrom) forgotten.push(at);
    else left.push(at);
  }
  return { left, held, forgotten };
}

/** In words: which times do not run here, since they may have run in Temporal. */
export function forgottenNotes(scheduleId: string, forgotten: number[]): string[] {
  if (forgotten.length === 0) return [];
  const [start, end] = [forgotten[0]!, forgotten.at(-1)!].map((at) => new Date(at).toISOString());
  return [
    `${forgotten.length} times may have run in Temporal, which may have forgotten it, so they do not run here: \`escapement schedule backfill ${scheduleId} --start ${start} --end ${end} --refire\` runs them`,
  ];
}
