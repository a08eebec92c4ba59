import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { CompiledSpec } from '../../core/occurrences';
import type { RunningNative } from '../../store/schedules/take-over';
import type { RawSchedule } from './native';

/** How the note of every pause by us begins. */
const OURS = 'Paused by Escapement';

/** Where a native schedule stands, in plain JSON. */
export interface Standing {
  /** The first start that it has not come to yet, jitter included; null where there is none. Epoch milliseconds. */
  first: number | null;
  /** The nominal time of the last workflow that it started; null where it has started none. */
  last: number | null;
  /** The instant at which it started that workflow; null where it has started none. */
  lastStartedAt: number | null;
  /** How many wait in it. */
  buffered: number;
}

/** What the server's answer says of where a schedule stands. */
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

/** The nominal time that a start belongs to: jitter moves it by less than the time to the next one. */
export function nominalAt(compiled: CompiledSpec, start: number): number {
  return compiled.previous(start + 1) ?? start;
}

/** The runs of a native schedule that are under way. The nominal time of each is the end of its workflow ID. */
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

/** Whether it is paused, and whether that was a person. */
export function pauseOf({ schedule }: RawSchedule): 'no' | 'ours' | 'of a person' {
  if (!schedule?.state?.paused) return 'no';
  return schedule.state.notes?.startsWith(OURS) ? 'ours' : 'of a person';
}

/** The note of a native schedule that was cut over. */
export function pauseNote(actor: string): string {
  return `${OURS}, which runs this schedule now (cut over by ${actor}; \`escapement roll-back\` takes it back)`;
}
