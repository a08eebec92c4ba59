import { optionalTsToMs } from '@temporalio/common/lib/time';
import { LARGEST_INTEGER } from '../../core/definition/shape';
import type { CompiledSpec } from '../../core/occurrences';
import { LONGEST_NOTE } from '../../core/option-fields';
import { storableText } from '../../core/storable';
import type { RunningNative } from '../../store/schedules/cut-over';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './reads';

/** The note of a pause by Escapement begins with these words. */
const OURS = 'Paused by Escapement';

/** The progress of a Temporal schedule, in plain JSON. */
export interface Standing {
  /** When the server was asked, by our clock; missing in what older versions have recorded. Epoch milliseconds. */
  readAt?: number;
  /**
   * The first start that the schedule has not handled yet, including jitter; null if there is none. Epoch milliseconds.
   */
  first: number | null;
  /** The latest nominal time among the schedule's recent starts; null if it has none. */
  last: number | null;
  /** When the schedule started the workflow of `last`; null if `last` is null. */
  lastStartedAt: number | null;
  buffered: number;
}

export function standingOf({ info }: RawSchedule, compiled: CompiledSpec): Standing {
  const taken = (info?.recentActions ?? []).flatMap(({ startWorkflowResult, actualTime }) => {
    const nominal = startWorkflowResult?.workflowId ? nominalOf(startWorkflowResult.workflowId) : undefined;
    const isOfSpec = nominal !== undefined && compiled.next(nominal - 1) === nominal;
    return isOfSpec ? { nominal, startedAt: optionalTsToMs(actualTime) ?? nominal } : [];
  });
  const [last] = taken.sort((one, other) => other.nominal - one.nominal);
  return {
    first: optionalTsToMs(info?.futureActionTimes?.[0]) ?? null,
    last: last?.nominal ?? null,
    lastStartedAt: last?.startedAt ?? null,
    buffered: Math.max(0, Number(info?.bufferSize ?? 0)),
  };
}

/** The nominal time that belongs to a start. Jitter is always less than the time to the next nominal time. */
export function nominalAt(compiled: CompiledSpec, start: number): number {
  return compiled.previous(start + 1) ?? start;
}

/**
 * The running workflows of a Temporal schedule. A workflow counts only if its ID ends with a nominal time, as the
 * schedule's own workflow IDs do.
 */
export function runningOf({ info }: RawSchedule): RunningNative[] {
  return (info?.runningWorkflows ?? []).flatMap(({ workflowId, runId }) => {
    const time = workflowId ? nominalOf(workflowId) : undefined;
    return time === undefined || !runId ? [] : { scheduledTime: new Date(time), workflowId: workflowId!, runId };
  });
}

function nominalOf(workflowId: string): number | undefined {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(workflowId) ?? [];
  return time === undefined ? undefined : Date.parse(time);
}

/** What the workflow IDs of a Temporal schedule begin with. A change in the ledger may have made its own IDs others. */
export function workflowIdPrefixOf({ schedule }: RawSchedule): string | undefined {
  return schedule?.action?.startWorkflow?.workflowId || undefined;
}

/** The number of actions that the Temporal schedule has left; null for no limit. */
export function actionsOf({ schedule }: RawSchedule): number | null {
  const { limitedActions, remainingActions } = schedule?.state ?? {};
  return limitedActions ? Number(remainingActions ?? 0) : null;
}

/** @throws {MovingProblem} for more remaining actions than a schedule of the ledger can have */
export function refuseTooManyActions(raw: RawSchedule): void {
  const actions = actionsOf(raw);
  if (actions === null || actions <= LARGEST_INTEGER) return;
  throw new MovingProblem(
    `it has ${actions} remaining actions in Temporal, and at most ${LARGEST_INTEGER} are possible here: give it fewer, or no limit`,
  );
}

/** Each pause without Escapement's note counts as a pause by a person. */
export function pauseOf({ schedule }: RawSchedule): 'no' | 'ours' | 'of a person' {
  if (!schedule?.state?.paused) return 'no';
  return schedule.state.notes?.startsWith(OURS) ? 'ours' : 'of a person';
}

/**
 * The note of the Temporal schedule as it can be stored here; undefined for none. On a failure, the server pauses a
 * schedule with the failure's message as its note, which may be long and have any characters.
 */
export function noteOf({ schedule }: RawSchedule): string | undefined {
  return storableText((schedule?.state?.notes ?? '').slice(0, LONGEST_NOTE)) || undefined;
}

export function pauseNote(actor: string): string {
  return `${OURS}, which runs this schedule now (cut over by ${actor}; \`escapement roll-back\` takes it back)`;
}
