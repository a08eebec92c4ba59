import type { EffectivePolicies, StoredAction } from '../core/definition';
import { describeSpec } from '../core/occurrences/describe';
import type { ScheduleSpec } from '../core/schedule';
import type { ScheduleRow } from '../store/read-schedules';

const NEXT_TIMES = 5;

/** A live schedule, with its policies as they are in force. */
export interface ScheduleSummary {
  scheduleId: string;
  namespace: string;
  tenant: string;
  spec: ScheduleSpec;
  action: StoredAction;
  policies: Omit<EffectivePolicies, 'catchupLimit' | 'maxConcurrent'> & {
    catchupLimit: number;
    /** No bound without it. */
    maxConcurrent?: number;
  };
  state: {
    paused: boolean;
    note?: string;
    /** Firings that are left; no limit without it. */
    remainingActions?: number;
    /** `true` when nothing will fire any more: no action is left, or the spec has ended. */
    completed?: boolean;
    /** Why the schedule was set aside: its stored spec cannot be evaluated. */
    specError?: string;
  };
  info: {
    /** Grows with each change of the definition. */
    version: number;
    createdAt: Date;
    lastUpdatedAt: Date | undefined;
    /** The next nominal time; undefined while paused, or when the spec ends. */
    nextFireAt: Date | undefined;
    /** Nominal time of the latest firing of the spec. */
    lastFireAt: Date | undefined;
    /** Every occurrence up to here has its answer: a firing or a gap. */
    answeredTo: Date;
  };
}

/** A schedule with its arguments decoded and its next times. */
export interface ScheduleDescription extends ScheduleSummary {
  action: StoredAction & { args: unknown[] };
  info: ScheduleSummary['info'] & {
    /** The spec in words, a line for each part. */
    description: string[];
    /** The next nominal times, whether paused or not. */
    nextActionTimes: Date[];
  };
}

/** The row as people read it. */
export function summarize(row: ScheduleRow): ScheduleSummary {
  const { catchupLimit, maxConcurrent, ...policies } = row.policies;
  return {
    scheduleId: row.scheduleId,
    namespace: row.namespace,
    tenant: row.tenant,
    spec: reviveSpec(row.spec),
    action: row.action,
    policies: {
      ...policies,
      catchupLimit: catchupLimit ?? Number.POSITIVE_INFINITY,
      // Not null: what describe returns is what update takes.
      ...(maxConcurrent === null ? {} : { maxConcurrent }),
    },
    state: {
      paused: row.paused,
      ...(row.note === null ? {} : { note: row.note }),
      ...(row.remainingActions === null ? {} : { remainingActions: row.remainingActions }),
      ...(isCompleted(row) ? { completed: true } : {}),
      ...(row.specError === null ? {} : { specError: row.specError }),
    },
    info: {
      version: row.version,
      createdAt: row.createdAt,
      lastUpdatedAt: row.updatedAt ?? undefined,
      nextFireAt: row.nextFireAt ?? undefined,
      lastFireAt: row.lastFireAt ?? undefined,
      answeredTo: row.answeredTo,
    },
  };
}

/** {@link summarize} with what takes decoding and computing. */
export function describe(row: ScheduleRow, args: unknown[], after: Date): ScheduleDescription {
  const summary = summarize(row);
  const { lines, next } =
    row.specError === null
      ? describeSpec(row.spec, { after, count: NEXT_TIMES, scheduleId: row.scheduleId })
      : { lines: [], next: [] };
  return {
    ...summary,
    action: { ...summary.action, args },
    info: { ...summary.info, description: lines, nextActionTimes: next },
  };
}

/** A schedule that is paused or set aside has no next time either, and is not over. */
function isCompleted(row: ScheduleRow): boolean {
  if (row.remainingActions === 0) return true;
  return row.nextFireAt === null && !row.paused && row.specError === null;
}

/** JSON has no dates: put them back where a spec has them. */
function reviveSpec(spec: ScheduleSpec): ScheduleSpec {
  const date = (value: Date | string | undefined) => (value === undefined ? undefined : new Date(value));
  return {
    ...spec,
    ...(spec.startAt ? { startAt: date(spec.startAt) } : {}),
    ...(spec.endAt ? { endAt: date(spec.endAt) } : {}),
    ...(spec.at ? { at: [spec.at].flat().map((at) => new Date(at)) } : {}),
    ...(spec.intervals
      ? {
          intervals: spec.intervals.map((interval) =>
            interval.anchor ? { ...interval, anchor: new Date(interval.anchor) } : interval,
          ),
        }
      : {}),
  };
}
