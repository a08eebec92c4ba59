import type { Priority, RetryPolicy } from '@temporalio/common';
import { type AlertRules, type ScheduleAlerts, storedRules } from '../alert-rules';
import { didYouMean } from '../closest';
import { DEFAULTS } from '../defaults';
import { InvalidScheduleError } from '../errors';
import { workflowIdPrefix } from '../identity';
import { type CompiledSpec, compileSpec } from '../occurrences';
import { isManual, TIMES } from '../occurrences/manual';
import { show } from '../occurrences/show';
import {
  type BackfillRange,
  OVERLAP_POLICIES,
  type OverlapPolicy,
  type ScheduleOptions,
  type ScheduleSpec,
} from '../schedule';
import { checkStorable } from '../storable';
import { checkEncodable } from './encodable';
import type { EncodedArgs } from './encoded-args';
import { parseRetry } from './retry';
import { parseSearchAttributes, type StoredSearchAttributes } from './search-attributes';
import { durationMilliseconds, optionalMilliseconds, readShape } from './shape';
import { unlessEmpty } from './unless-empty';

/** A Temporal `Payload` from the user's converter and codec: the bytes of the message in base64. */
export type EncodedPayload = string;

/** The action in stored form: plain JSON, durations in milliseconds. The arguments are stored separately, encoded. */
export interface StoredAction {
  type: 'startWorkflow';
  /** Name of the workflow. */
  workflowType: string;
  /** Task queue of its workers. */
  taskQueue: string;
  /** Prefix of the workflow IDs; if absent, `<schedule ID>-workflow`. */
  workflowId?: string;
  /** Retry policy of the workflow; if absent, no retries. */
  retry?: RetryPolicy;
  /** Milliseconds for the whole chain; if absent, no limit. */
  workflowExecutionTimeout?: number;
  /** Milliseconds for one run; if absent, no limit. */
  workflowRunTimeout?: number;
  /** Milliseconds for one workflow task; if absent, Temporal's default. */
  workflowTaskTimeout?: number;
  /** Milliseconds after its start when a workflow is asked to cancel itself; if absent, never. */
  softTimeout?: number;
  /** Priority and fairness of its tasks; if absent, the server's defaults. */
  priority?: Priority;
  /** Search attributes of the workflow, unencoded. If absent, it has none. */
  searchAttributes?: StoredSearchAttributes;
  /** Memo of the workflow, each value encoded. If absent, it has only Escapement's own. */
  memo?: Record<string, EncodedPayload>;
  /** One-line summary for the Temporal UI, encoded. If absent, a line that names the firing. */
  staticSummary?: EncodedPayload;
  /** Longer text for the Temporal UI, encoded. If absent, there is none. */
  staticDetails?: EncodedPayload;
  /** Headers that an interceptor set when the schedule was created, unchanged. If absent, there are none. */
  headers?: Record<string, EncodedPayload>;
}

/** The action with the values that the user's converter and codec will encode. */
export interface ParsedAction extends Omit<StoredAction, 'memo' | 'staticSummary' | 'staticDetails' | 'headers'> {
  memo?: Record<string, unknown>;
  staticSummary?: string;
  staticDetails?: string;
}

/** The policies in force. */
export interface EffectivePolicies {
  /** What happens to an occurrence while an earlier firing is open. */
  overlap: OverlapPolicy;
  /** Milliseconds. */
  catchupWindow: number;
  /** `null` means no limit, since JSON has no infinity. */
  catchupLimit: number | null;
  /** Whether a failed firing pauses the schedule. */
  pauseOnFailure: boolean;
  /** What happens to a start that Temporal may have forgotten. */
  onUncertain: 'SKIP' | 'START';
  /** Whether firings may be handed to Temporal ahead of their time; a number is the maximum in milliseconds. */
  preStart: boolean | number;
  /** Maximum number of open firings; `null` means no limit. */
  maxConcurrent: number | null;
  /** `false`: a firing does not count as running while one of its steps is parked. If absent, it does. */
  parkedHolds?: false;
  /** Maximum time for which a step may be parked, in milliseconds; if absent, no limit. */
  parkedAtMost?: number;
  /** The schedule's own alert rules, with times in milliseconds. */
  alerts?: AlertRules;
}

/** The memo key under which a workflow finds its firing. */
export const OUR_MEMO_KEY = 'escapement';

/** One immutable version of a schedule, without its arguments. */
export interface ScheduleDefinition {
  namespace: string;
  /** Plain JSON: instants in ISO 8601. */
  spec: ScheduleSpec;
  action: StoredAction;
  policies: EffectivePolicies;
}

/** A definition before anything is encoded. */
export interface ParsedDefinition extends Omit<ScheduleDefinition, 'action'> {
  action: ParsedAction;
}

/** The options of `create`, validated and with every default filled in. */
export interface ParsedSchedule {
  scheduleId: string;
  tenant: string;
  definition: ParsedDefinition;
  /** Memo of the schedule itself; undefined if it was left out. */
  memo: Record<string, unknown> | undefined;
  /** Search attributes of the schedule itself; undefined if they were left out. */
  searchAttributes: StoredSearchAttributes | undefined;
  /** Empty for none; undefined if it was left out. */
  owner: string | undefined;
  /** Empty for none; undefined if it was left out. */
  runbook: string | undefined;
  /** Empty for none; undefined if it was left out. */
  externalId: string | undefined;
  compiled: CompiledSpec;
  /** Plain values, or already encoded. */
  args: unknown[] | EncodedArgs;
  paused: boolean;
  note: string | undefined;
  /** Number of firings before the schedule is completed; undefined means no limit. */
  remainingActions: number | undefined;
  triggerImmediately: boolean;
  /** The unchecked value, which must be compared with the clock. */
  backfill: BackfillRange[];
}

/**
 * Validate all options of a schedule before anything is written.
 *
 * @throws {InvalidScheduleError} with the path of the first bad field
 */
export function parseScheduleOptions(options: ScheduleOptions, namespace: string): ParsedSchedule {
  const shape = readShape(options);
  const compiled = compileSpec(options.spec, { scheduleId: shape.scheduleId });
  checkStorable(options.spec, 'spec');
  const spec: ScheduleSpec = JSON.parse(JSON.stringify(options.spec));
  if (isManual(spec) && !isManual(options.spec)) {
    const part = TIMES.find((name) => name in options.spec);
    throw new InvalidScheduleError(`spec.${part}`, 'has no value; a spec that is to be triggered by hand alone is {}');
  }

  const { action, policies = {}, state = {} } = shape;
  if (action.memo && Object.hasOwn(action.memo, OUR_MEMO_KEY)) {
    throw new InvalidScheduleError(`action.memo.${OUR_MEMO_KEY}`, 'is Escapement’s own key; use another');
  }
  for (const [path, values] of [
    ['action.args', action.args],
    ['action.memo', action.memo],
    ['memo', shape.memo],
  ] as const) {
    checkEncodable(values, path);
  }
  return {
    scheduleId: shape.scheduleId,
    tenant: shape.tenant ?? '',
    definition: {
      namespace: shape.namespace ?? namespace,
      spec,
      action: {
        type: 'startWorkflow',
        workflowType: typeof action.workflowType === 'string' ? action.workflowType : action.workflowType.name,
        taskQueue: action.taskQueue,
        workflowId: workflowIdPrefix(shape.scheduleId, shape.tenant ?? '', action.workflowId),
        retry: parseRetry(action.retry),
        workflowExecutionTimeout: timeout('action.workflowExecutionTimeout', action.workflowExecutionTimeout),
        workflowRunTimeout: timeout('action.workflowRunTimeout', action.workflowRunTimeout),
        workflowTaskTimeout: timeout('action.workflowTaskTimeout', action.workflowTaskTimeout),
        softTimeout: optionalMilliseconds('action.softTimeout', action.softTimeout),
        priority: unlessEmpty(withoutUndefined(action.priority)),
        searchAttributes: unlessEmpty(parseSearchAttributes('action', action)),
        memo: unlessEmpty(action.memo),
        staticSummary: action.staticSummary,
        staticDetails: action.staticDetails,
      },
      policies: {
        overlap: policies.overlap ?? DEFAULTS.policies.overlap,
        catchupWindow: catchupWindow(policies.catchupWindow),
        catchupLimit: catchupLimit(policies.catchupLimit),
        pauseOnFailure: policies.pauseOnFailure ?? DEFAULTS.policies.pauseOnFailure,
        onUncertain: policies.onUncertain ?? DEFAULTS.policies.onUncertain,
        preStart: preStart(policies.preStart),
        maxConcurrent: policies.maxConcurrent ?? DEFAULTS.policies.maxConcurrent,
        ...((policies.parkedHolds ?? DEFAULTS.policies.parkedHolds) ? {} : { parkedHolds: false as const }),
        ...parkedAtMost(policies.parkedAtMost),
        ...alertsOf(policies.alerts as ScheduleAlerts | undefined),
      },
    },
    memo: shape.memo,
    searchAttributes: parseSearchAttributes('', shape),
    owner: shape.owner,
    runbook: shape.runbook,
    externalId: shape.externalId,
    compiled,
    args: action.args ?? [],
    paused: state.paused ?? false,
    note: state.note,
    remainingActions: state.remainingActions,
    triggerImmediately: state.triggerImmediately ?? false,
    backfill: (state.backfill ?? []) as BackfillRange[],
  };
}

/** The priority in JSON. Temporal's own `describe` returns every field, even those that were not set. */
function withoutUndefined(priority: Priority | undefined): Priority | undefined {
  return priority && Object.fromEntries(Object.entries(priority).filter(([, value]) => value !== undefined));
}

/**
 * An overlap policy by Temporal's name; undefined if none is given.
 *
 * @throws {InvalidScheduleError} naming `path`
 */
export function readOverlap(path: string, overlap: unknown): OverlapPolicy | undefined {
  if (overlap === undefined || OVERLAP_POLICIES.includes(overlap as OverlapPolicy)) return overlap as undefined;
  const hint = typeof overlap === 'string' ? didYouMean(overlap, OVERLAP_POLICIES) : '';
  throw new InvalidScheduleError(
    path,
    `${show(overlap)} is no overlap policy; ${OVERLAP_POLICIES.join(', ')} are${hint}`,
  );
}

/** Milliseconds. In Temporal 0 means no limit, and its `describe` returns 0. */
function timeout(path: string, value: string | number | undefined): number | undefined {
  return value === 0 ? undefined : optionalMilliseconds(path, value);
}

function catchupWindow(value: string | number | undefined): number {
  if (value === undefined) return DEFAULTS.policies.catchupWindowMilliseconds;
  const window = durationMilliseconds('policies.catchupWindow', value);
  if (window < DEFAULTS.onTimeMilliseconds) {
    throw new InvalidScheduleError('policies.catchupWindow', `${value} is too short; it is at least 10 seconds`);
  }
  return window;
}

function preStart(given: string | number | boolean | undefined): boolean | number {
  if (given === undefined) return DEFAULTS.policies.preStart;
  if (typeof given === 'boolean') return given;
  const milliseconds = durationMilliseconds('policies.preStart', given);
  if (milliseconds > DEFAULTS.longestPreStartMilliseconds) {
    throw new InvalidScheduleError('policies.preStart', `${given} is too long; it is at most ten minutes`);
  }
  return milliseconds;
}

function parkedAtMost(value: string | number | undefined): Pick<EffectivePolicies, 'parkedAtMost'> {
  const milliseconds = optionalMilliseconds('policies.parkedAtMost', value);
  if (milliseconds === undefined) return {};
  if (milliseconds < DEFAULTS.shortestParkedMilliseconds) {
    throw new InvalidScheduleError('policies.parkedAtMost', `${value} is too short; it is at least one minute`);
  }
  return { parkedAtMost: milliseconds };
}

function alertsOf(given: ScheduleAlerts | undefined): Pick<EffectivePolicies, 'alerts'> {
  const alerts = storedRules(given);
  return alerts ? { alerts } : {};
}

function catchupLimit(value: number | undefined): number | null {
  if (value === undefined) return DEFAULTS.policies.catchupLimit;
  return value === Number.POSITIVE_INFINITY ? null : value;
}
