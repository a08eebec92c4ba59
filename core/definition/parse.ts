import type { Priority } from '@temporalio/common';
import { type ScheduleAlerts, storedRules } from '../alert-rules';
import { DEFAULTS } from '../defaults';
import { InvalidScheduleError } from '../errors';
import { workflowIdPrefix } from '../identity';
import { type CompiledSpec, compileSpec } from '../occurrences';
import { isManual, TIMES } from '../occurrences/manual';
import type { BackfillRange, ScheduleOptions } from '../schedule/options';
import type { ScheduleSpec } from '../schedule/spec';
import { checkStorable } from '../storable';
import { type EffectivePolicies, OUR_MEMO_KEY, type ScheduleDefinition, type StoredAction } from './definition';
import { checkEncodable } from './encodable';
import type { EncodedArgs } from './encoded-args';
import { parseRetry } from './retry';
import { parseSearchAttributes, type StoredSearchAttributes } from './search-attributes';
import { durationMilliseconds, optionalMilliseconds, readShape } from './shape';
import { unlessEmpty } from './unless-empty';

/** The action with values that the user's converter and codec have not encoded yet. */
export interface ParsedAction extends Omit<StoredAction, 'memo' | 'staticSummary' | 'staticDetails' | 'headers'> {
  memo?: Record<string, unknown>;
  staticSummary?: string;
  staticDetails?: string;
}

export interface ParsedDefinition extends Omit<ScheduleDefinition, 'action'> {
  action: ParsedAction;
}

/**
 * The options of `create`, with every default filled in. A label that was left out is undefined; a label that was given
 * as an empty text or object is empty.
 */
export interface ParsedSchedule {
  scheduleId: string;
  tenant: string;
  definition: ParsedDefinition;
  memo: Record<string, unknown> | undefined;
  searchAttributes: StoredSearchAttributes | undefined;
  owner: string | undefined;
  runbook: string | undefined;
  externalId: string | undefined;
  compiled: CompiledSpec;
  args: unknown[] | EncodedArgs;
  paused: boolean;
  note: string | undefined;
  /** Undefined means no limit. */
  remainingActions: number | undefined;
  triggerImmediately: boolean;
  /** Validated later, since the ranges must be compared with the clock. */
  backfill: BackfillRange[];
}

/**
 * Validate the options of a schedule, and fill in the defaults.
 *
 * @param given whether the caller gives the spec now. A stored spec that is kept may contain what is refused in a new
 * one.
 * @throws {InvalidScheduleError} with the path of the first bad field
 */
export function parseScheduleOptions(
  options: ScheduleOptions,
  namespace: string,
  { given = true }: { given?: boolean } = {},
): ParsedSchedule {
  const shape = readShape(options);
  const compiled = compileSpec(options.spec, { scheduleId: shape.scheduleId, given });
  checkStorable(options.spec, 'spec');
  const spec: ScheduleSpec = JSON.parse(JSON.stringify(options.spec));
  if (isManual(spec) && !isManual(options.spec)) {
    // JSON has left out a part that is undefined. An empty list stays, and means that the schedule has no times on
    // purpose.
    const part = TIMES.find((name) => name in options.spec && !(name in spec));
    throw new InvalidScheduleError(
      `spec.${part}`,
      'has no value; for a schedule that is only triggered by hand, use {}',
    );
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

/** The priority without undefined fields: Temporal's own `describe` returns unset fields of a priority too. */
function withoutUndefined(priority: Priority | undefined): Priority | undefined {
  return priority && Object.fromEntries(Object.entries(priority).filter(([, value]) => value !== undefined));
}

/**
 * Reads a timeout in milliseconds. In Temporal, a timeout of 0 counts as not given, and `describe` may return 0 for one
 * that was not given.
 */
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
