import type { EffectivePolicies, ScheduleDefinition, StoredAction } from '../core/definition';
import { nextOccurrences } from '../core/occurrences';
import { specInWords } from '../core/occurrences/describe';
import type { ScheduleSpec } from '../core/schedule';
import type { ScheduleRow } from '../store/read-schedules';

const NEXT_TIMES = 5;

/** A live schedule, with its policies as they are in force. */
export interface ScheduleSummary {
  /** Its name. */
  scheduleId: string;
  /** Temporal namespace that its workflows start in. */
  namespace: string;
  /** Whose it is; empty unless given. */
  tenant: string;
  /** What declared it, for schedules that are synced from code. */
  source?: string;
  /** When it fires, with every instant as a Date. */
  spec: ScheduleSpec;
  /** The workflow that it starts; durations in milliseconds. */
  action: StoredAction;
  /** The policies in force; durations in milliseconds. */
  policies: Omit<EffectivePolicies, 'catchupLimit' | 'maxConcurrent'> & {
    /** Missed firings that start after downtime; infinity is no limit. */
    catchupLimit: number;
    /** No bound without it. */
    maxConcurrent?: number;
  };
  /** Whether it fires, and why not. */
  state: {
    /** Whether it claims nothing new. */
    paused: boolean;
    /** Why it is in that state. */
    note?: string;
    /** Firings that are left; no limit without it. */
    remainingActions?: number;
    /** `true` when nothing will fire any more: no action is left, or the spec has ended. */
    completed?: boolean;
    /** Why the schedule was set aside: its stored spec cannot be evaluated. */
    specError?: string;
  };
  /** What became of it so far. */
  info: {
    /** Grows with each change of the definition. */
    version: number;
    /** When it was created, or created again. */
    createdAt: Date;
    /** When its definition or its state was changed last; undefined if never. */
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
  /** The workflow that it starts, its `args` decoded. */
  action: StoredAction & {
    /** Arguments of the workflow. */
    args: unknown[];
  };
  /** What became of it so far, and what comes next. */
  info: ScheduleSummary['info'] & {
    /** The spec in words, a line for each part. */
    description: string[];
    /** The next nominal times, whether paused or not. */
    nextActionTimes: Date[];
  };
}

/** The row as people read it. */
export function summarize(row: ScheduleRow): ScheduleSummary {
  return {
    scheduleId: row.scheduleId,
    tenant: row.tenant,
    ...(row.source === null ? {} : { source: row.source }),
    ...readableDefinition(row),
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

/** A stored definition as people read it, and as update takes it: with dates, and without JSON's nulls. */
export function readableDefinition({ namespace, spec, action, policies }: ScheduleDefinition) {
  const { catchupLimit, maxConcurrent, ...others } = policies;
  return {
    namespace,
    spec: reviveSpec(spec),
    action,
    policies: {
      ...others,
      catchupLimit: catchupLimit ?? Number.POSITIVE_INFINITY,
      ...(maxConcurrent === null ? {} : { maxConcurrent }),
    },
  };
}

/** {@link summarize} with what takes decoding and computing. */
export function describe(
  row: ScheduleRow,
  args: unknown[],
  times: { after: Date; excluded: Set<number> },
): ScheduleDescription {
  const summary = summarize(row);
  const evaluable = row.specError === null;
  return {
    ...summary,
    action: { ...summary.action, args },
    info: {
      ...summary.info,
      description: evaluable ? specInWords(row.spec, row.scheduleId) : [],
      nextActionTimes: evaluable ? comingTimes(row, { ...times, count: NEXT_TIMES }) : [],
    },
  };
}

/** The next nominal times that are not excluded. */
export function comingTimes(
  { spec, scheduleId }: Pick<ScheduleRow, 'spec' | 'scheduleId'>,
  { after, count, excluded }: { after: Date; count: number; excluded: Set<number> },
): Date[] {
  const candidates = nextOccurrences(spec, { after, count: count + excluded.size, scheduleId });
  return candidates.filter((time) => !excluded.has(time.getTime())).slice(0, count);
}

/** A schedule that is paused or set aside has no next time either, and is not over. */
function isCompleted(row: ScheduleRow): boolean {
  if (row.remainingActions === 0) return true;
  return row.nextFireAt === null && !row.paused && row.specError === null;
}

/** JSON has no dates: put them back where a spec has them. */
export function reviveSpec(spec: ScheduleSpec): ScheduleSpec {
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
