import { isPausedAt } from '../../core/decisions/pause';
import { DEFAULTS } from '../../core/defaults';
import type { ScheduleDefinition } from '../../core/definition/definition';
import { completedPolicies } from '../../core/definition/legible';
import { nextOccurrences } from '../../core/occurrences';
import { specInWords } from '../../core/occurrences/describe';
import { isManual } from '../../core/occurrences/manual';
import type { Freeze } from '../../store/freezes/rows';
import type { Firing } from '../../store/reads/read-firings';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import type { ActionInfo, TakenAction } from '../../store/schedules/schedule-actions';
import { unlessInvalid } from '../context';
import { withLazy } from '../list/lazily';
import { fromTexts } from '../payload-texts';
import type { DecodedValues } from '../payloads';
import { describeAction, describeSearchAttributes, plainAction } from './describe-action';
import { describedSpec, reviveSpec } from './described-spec';
import type { ScheduleDescription, ScheduleExecutionActionResult, ScheduleSummary } from './schedule-description';

/** How many next times a description has, as in Temporal. */
const NEXT_TIMES = 10;
const LISTED_TIMES = 5;

/** The next `most` times are computed only when they are read. */
export function summarize(
  row: ScheduleRow,
  { memo, times, recent }: SummaryParts,
  most = LISTED_TIMES,
): ScheduleSummary {
  const { spec, scheduleId, specError } = row;
  const count = Math.min(most, row.remainingActions ?? most);
  const paused = isPausedAt(row, times.after.getTime());
  const coming = () =>
    (specError === null && unlessInvalid(() => comingTimes({ spec, scheduleId }, { ...times, count }))) || [];
  return {
    scheduleId: row.scheduleId,
    tenant: row.tenant,
    ...(row.source === null ? {} : { source: row.source }),
    ...known({ owner: row.owner, runbook: row.runbook, externalId: row.externalId }),
    ...readableDefinition(row),
    spec: describedSpec(row.spec),
    definition: { spec: reviveSpec(row.spec) },
    action: plainAction(row.action),
    ...(memo === undefined ? {} : { memo }),
    ...describeSearchAttributes(row.searchAttributes),
    state: {
      paused,
      ...(paused ? known({ pausedAt: row.pausedAt, pausedBy: row.pausedBy, pausedUntil: row.pausedUntil }) : {}),
      ...(row.note === null ? {} : { note: row.note }),
      ...(row.shadow ? { shadow: true as const } : {}),
      ...(row.remainingActions === null ? {} : { remainingActions: row.remainingActions }),
      ...(isCompleted(row)
        ? { completed: true, ...known({ completedAt: row.completedAt, completedBy: row.completedBy }) }
        : {}),
      ...(row.specError === null ? {} : { specError: row.specError, ...known({ setAsideAt: row.setAsideAt }) }),
    },
    info: withLazy(
      {
        version: row.version,
        createdAt: row.createdAt,
        lastUpdatedAt: row.updatedAt ?? undefined,
        nextFireAt: row.nextFireAt ?? undefined,
        lastFireAt: row.lastFireAt ?? undefined,
        answeredTo: row.answeredTo,
        recentActions: recent.map((taken) => ({
          scheduledAt: taken.scheduledTime,
          takenAt: taken.takenAt,
          action: resultOf(taken),
        })),
      },
      'nextActionTimes',
      coming,
    ),
  };
}

/**
 * A stored definition without its action, in the form that people read and `update` accepts: with dates, and without
 * the nulls of JSON.
 */
export function readableDefinition({ namespace, spec, ...stored }: ScheduleDefinition) {
  const policies = completedPolicies(stored);
  const { catchupLimit, maxConcurrent, ...others } = policies;
  return {
    namespace,
    spec: reviveSpec(spec),
    policies: {
      ...others,
      catchupLimit: catchupLimit ?? Number.POSITIVE_INFINITY,
      ...(maxConcurrent === null ? {} : { maxConcurrent }),
      parkedHolds: policies.parkedHolds ?? DEFAULTS.policies.parkedHolds,
    },
  };
}

export interface SummaryParts {
  memo: Record<string, unknown> | undefined;
  /** The next times are later than `after`. Excluded times are in epoch milliseconds. */
  times: { after: Date; excluded: Set<number> };
  recent: TakenAction[];
}

export interface DescriptionParts extends Omit<SummaryParts, 'recent'> {
  decoded: DecodedValues;
  actions: ActionInfo;
  handedOver: Firing[];
  delayedUntil: Date | undefined;
  frozen: Freeze | undefined;
}

export function describe(row: ScheduleRow, parts: DescriptionParts): ScheduleDescription {
  const { decoded, memo, times, actions, handedOver, delayedUntil, frozen } = parts;
  const summary = summarize(row, { memo, times, recent: actions.recent }, NEXT_TIMES);
  return {
    ...summary,
    action: describeAction(row.action, decoded),
    raw: {
      schedule: {
        action: {
          startWorkflow: { header: { fields: unlessInvalid(() => fromTexts(row.action.headers ?? {})) ?? {} } },
        },
      },
    },
    info: {
      ...summary.info,
      description: (row.specError === null && unlessInvalid(() => specInWords(row.spec, row.scheduleId))) || [],
      ...(frozen ? { frozen: { freezeId: frozen.freezeId, until: frozen.to, ...known({ note: frozen.note }) } } : {}),
      ...(delayedUntil ? { delayedUntil } : {}),
      runningActions: actions.running.map(resultOf),
      handedOver: handedOver.map(({ scheduledTime, startsAt }) => ({
        scheduledAt: scheduledTime,
        startsAt: startsAt ?? scheduledTime,
      })),
      parkedActions: actions.parked,
      numActionsTaken: actions.taken,
      numActionsMissedCatchupWindow: actions.missedCatchupWindow,
      numActionsSkippedOverlap: actions.skippedOverlap,
      countedFrom: actions.countedFrom,
    },
  };
}

function resultOf({ workflowId, runId }: TakenAction): ScheduleExecutionActionResult {
  return { type: 'startWorkflow', workflow: { workflowId, firstExecutionRunId: runId } };
}

export function comingTimes(
  { spec, scheduleId }: Pick<ScheduleRow, 'spec' | 'scheduleId'>,
  { after, count, excluded }: { after: Date; count: number; excluded: Set<number> },
): Date[] {
  const candidates = nextOccurrences(spec, { after, count: count + excluded.size, scheduleId });
  return candidates.filter((time) => !excluded.has(time.getTime())).slice(0, count);
}

/** The object without the fields that are null. */
function known<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never;
}

/**
 * Whether the schedule has no actions left, or its spec has ended. The next time may also be null while a schedule is
 * paused or set aside, or while a freeze holds its last occurrences back. It is null for one that fires only by hand.
 */
function isCompleted(row: ScheduleRow): boolean {
  if (row.remainingActions === 0) return true;
  return (
    row.nextFireAt === null && row.completedAt !== null && !row.paused && row.specError === null && !isManual(row.spec)
  );
}
