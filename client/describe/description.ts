import type { temporal } from '@temporalio/proto';
import { DEFAULTS } from '../../core/defaults';
import type { EffectivePolicies, ScheduleDefinition } from '../../core/definition';
import { nextOccurrences } from '../../core/occurrences';
import { specInWords } from '../../core/occurrences/describe';
import { isManual } from '../../core/occurrences/manual';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule';
import type { Freeze } from '../../store/freezes/rows';
import type { Firing } from '../../store/reads/read-firings';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import type { ActionInfo, ParkedAction, TakenAction } from '../../store/schedules/schedule-actions';
import { unlessInvalid } from '../context';
import { withLazy } from '../list/lazily';
import { type DecodedValues, fromTexts } from '../payloads';
import {
  type DescribedAction,
  type DescribedSearchAttributes,
  describeAction,
  describeSearchAttributes,
  type PlainAction,
  plainAction,
} from './describe-action';
import { describedSpec, reviveSpec } from './described-spec';

/** As many as Temporal's describe returns. */
const NEXT_TIMES = 10;
const LISTED_TIMES = 5;

/** A workflow that a schedule started. */
export interface ScheduleExecutionActionResult {
  type: 'startWorkflow';
  /** The workflow. */
  workflow: {
    /** Its ID. */
    workflowId: string;
    /** First run of the chain: retries, continue-as-new and resets have others. */
    firstExecutionRunId: string;
  };
}

/** A firing that became a workflow. */
export interface ScheduleExecutionResult {
  /** Nominal time, without jitter. */
  scheduledAt: Date;
  /** When its start was recorded. */
  takenAt: Date;
  /** What it became. */
  action: ScheduleExecutionActionResult;
}

/** A live schedule, with its policies as they are in force. */
export interface ScheduleSummary extends DescribedSearchAttributes {
  /** Its name. */
  scheduleId: string;
  /** Temporal namespace that its workflows start in. */
  namespace: string;
  /** Whose it is; empty unless given. */
  tenant: string;
  /** What declared it, for schedules that are synced from code; a tenant's source by the ledger's name, to clients of all tenants. */
  source?: string;
  /** When it fires, as Temporal's own describe has it; as it was registered where it cannot be read any more. */
  spec: ScheduleSpecDescription;
  /** What of it was registered in another form. */
  definition: {
    /** When it fires, word for word, with every instant as a Date. */
    spec: ScheduleSpec;
  };
  /** The workflow that it starts, without what is encoded of it; durations in milliseconds. */
  action: PlainAction;
  /** The policies in force; durations in milliseconds. */
  policies: Omit<EffectivePolicies, 'catchupLimit' | 'maxConcurrent' | 'parkedHolds'> & {
    /** Missed firings that start after downtime; infinity is no limit. */
    catchupLimit: number;
    /** No bound without it. */
    maxConcurrent?: number;
    /** Whether a firing holds the schedule while a step of it is parked. */
    parkedHolds: boolean;
  };
  /** Who answers for it; without it nobody is named. */
  owner?: string;
  /** Where it says what to do when it fails; without it there is none. */
  runbook?: string;
  /** What another system calls it; without it nothing. */
  externalId?: string;
  /** Of the schedule itself; without it there is none. */
  memo?: Record<string, unknown>;
  /** Why `memo` is left out: this client's converter and codec cannot decode it. */
  memoError?: string;
  /** Whether it fires, and why not. */
  state: {
    /** Whether it claims nothing new. */
    paused: boolean;
    /** Since when it is paused; without it that is not known, since an older version paused it. */
    pausedAt?: Date;
    /** Who paused it; nobody where `pauseOnFailure` did. */
    pausedBy?: string;
    /** When the pause ends by itself; without it somebody must unpause it. */
    pausedUntil?: Date;
    /** Why it is in that state. */
    note?: string;
    /** `true` where it answers and starts nothing: it was imported in shadow, and Temporal's own schedule still runs it. */
    shadow?: true;
    /** Firings that are left; no limit without it. */
    remainingActions?: number;
    /** `true` when nothing will fire any more: no action is left, or the spec has ended. */
    completed?: boolean;
    /** Since when nothing will fire; without it that is not known. */
    completedAt?: Date;
    /** Who ended it; nobody where its spec ended, or its last action was taken. */
    completedBy?: string;
    /** Why the schedule was set aside: its stored spec cannot be evaluated. */
    specError?: string;
    /** Since when it is set aside; without it that is not known. */
    setAsideAt?: Date;
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
    /** The next five nominal times, whether paused or not; as many as `remainingActions` leaves. */
    nextActionTimes: Date[];
    /** Of the latest twenty firings those that became workflows, the last five, the latest last. */
    recentActions: ScheduleExecutionResult[];
  };
}

/** A schedule with what was encoded of it decoded, its next times and its last actions. */
export interface ScheduleDescription extends Omit<ScheduleSummary, 'memoError'> {
  /** What of Temporal's own response nothing else has: the headers that an interceptor set. No field of create or update. */
  raw: temporal.api.workflowservice.v1.IDescribeScheduleResponse;
  /** The workflow that it starts, with what was encoded of it decoded. */
  action: DescribedAction;
  /** What became of it so far, and what comes next. */
  info: Omit<ScheduleSummary['info'], 'nextActionTimes' | 'recentActions'> & {
    /** The spec in words, a line for each part. */
    description: string[];
    /** The next ten nominal times, whether paused or not; as many as `remainingActions` leaves. */
    nextActionTimes: Date[];
    /** The last ten firings that became workflows, manual ones too, the latest last. */
    recentActions: ScheduleExecutionResult[];
    /** The freeze that holds it now; undefined where none does. */
    frozen?: {
      /** UUID. */
      freezeId: string;
      /** When it ends. */
      until: Date;
      /** Why; without it nobody said, or it is not this tenant's to know. */
      note?: string;
    };
    /** Until when its tenant's quota of firings holds back what is due; undefined where it holds nothing back. */
    delayedUntil?: Date;
    /** Workflows that run as far as is known, the latest 1,000 at most. */
    runningActions: ScheduleExecutionActionResult[];
    /** Firings that were handed to Temporal ahead of their time: no pause, update or deletion reaches them any more. */
    handedOver: { scheduledAt: Date; startsAt: Date }[];
    /** Steps that wait for a person; `policies.parkedHolds` says whether their firings hold the schedule. */
    parkedActions: ParkedAction[];
    /** Firings that became workflows, since `countedFrom`. */
    numActionsTaken: number;
    /** How many occurrences were missed and then lay outside `catchupWindow` or over `catchupLimit`, since `countedFrom`. */
    numActionsMissedCatchupWindow: number;
    /** Firings skipped because an earlier one was open, since `countedFrom`. */
    numActionsSkippedOverlap: number;
    /** The counts reach no further back than this: to the creation, the retention or the 10,000th firing before. */
    countedFrom: Date;
  };
}

/** The row as people read it. */
export function summarize(
  row: ScheduleRow,
  { memo, times, recent }: SummaryParts,
  most = LISTED_TIMES,
): ScheduleSummary {
  const { spec, scheduleId, specError } = row;
  const count = Math.min(most, row.remainingActions ?? most);
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
      paused: row.paused,
      ...(row.paused ? known({ pausedAt: row.pausedAt, pausedBy: row.pausedBy, pausedUntil: row.pausedUntil }) : {}),
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

/** A stored definition as people read it, and as update takes it, but for its action: with dates, without JSON's nulls. */
export function readableDefinition({ namespace, spec, policies }: ScheduleDefinition) {
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

/** What of a summary is not in the row as it is. */
export interface SummaryParts {
  memo: Record<string, unknown> | undefined;
  /** Where the next times begin, and which are left out, in epoch milliseconds. */
  times: { after: Date; excluded: Set<number> };
  recent: TakenAction[];
}

/** What of a description is not in the row as it is. */
export interface DescriptionParts extends Omit<SummaryParts, 'recent'> {
  decoded: DecodedValues;
  actions: ActionInfo;
  /** Firings that were claimed ahead and have not begun. */
  handedOver: Firing[];
  /** Until when the tenant's quota holds back what is due. */
  delayedUntil: Date | undefined;
  /** The freeze that holds it. */
  frozen: Freeze | undefined;
}

/** {@link summarize} with what takes decoding, computing and counting. */
export function describe(row: ScheduleRow, parts: DescriptionParts): ScheduleDescription {
  const { decoded, memo, times, actions, handedOver, delayedUntil, frozen } = parts;
  const summary = summarize(row, { memo, times, recent: actions.recent }, NEXT_TIMES);
  return {
    ...summary,
    action: describeAction(row.action, decoded),
    raw: { schedule: { action: { startWorkflow: { header: { fields: fromTexts(row.action.headers ?? {}) } } } } },
    info: {
      ...summary.info,
      description: row.specError === null ? specInWords(row.spec, row.scheduleId) : [],
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

/** The next nominal times that are not excluded. */
export function comingTimes(
  { spec, scheduleId }: Pick<ScheduleRow, 'spec' | 'scheduleId'>,
  { after, count, excluded }: { after: Date; count: number; excluded: Set<number> },
): Date[] {
  const candidates = nextOccurrences(spec, { after, count: count + excluded.size, scheduleId });
  return candidates.filter((time) => !excluded.has(time.getTime())).slice(0, count);
}

/** Those fields that have a value. */
function known<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never;
}

/** A schedule that is paused, set aside or fired by hand alone has no next time either, and is not over. */
function isCompleted(row: ScheduleRow): boolean {
  if (row.remainingActions === 0) return true;
  return row.nextFireAt === null && !row.paused && row.specError === null && !isManual(row.spec);
}
