import { DEFAULTS } from '../defaults';
import { OVERLAP_POLICIES } from '../schedule/policies';
import type { EffectivePolicies, ScheduleDefinition, StoredAction } from './definition';

type Stored = Pick<ScheduleDefinition, 'action' | 'policies'>;

export const UNREADABLE: Stored = {
  action: { type: 'startWorkflow', workflowType: '', taskQueue: '' },
  policies: {
    overlap: 'SKIP',
    catchupWindow: DEFAULTS.policies.catchupWindowMilliseconds,
    catchupLimit: null,
    pauseOnFailure: false,
    onUncertain: 'SKIP',
    preStart: false,
    maxConcurrent: null,
  },
};

type Check = [is: (value: unknown) => boolean, what: string];

const text: Check = [(value) => typeof value === 'string' && value !== '', 'a text'];
const flag: Check = [(value) => value === undefined || typeof value === 'boolean', 'true or false'];
const amount: Check = [(value) => value === undefined || isAmount(value), 'a number from 0'];
const bound: Check = [(value) => value === undefined || value === null || isAmount(value), 'a number from 0, or null'];

const ACTION = {
  workflowType: text,
  taskQueue: text,
  workflowId: [(value) => value === undefined || typeof value === 'string', 'a text'],
  softTimeout: amount,
} satisfies Partial<Record<keyof StoredAction, Check>>;
const POLICIES = {
  overlap: [(value) => OVERLAP_POLICIES.includes(value as never), `one of ${OVERLAP_POLICIES.join(', ')}`],
  catchupWindow: [isAmount, 'a number from 0'],
  catchupLimit: bound,
  pauseOnFailure: flag,
  onUncertain: [(value) => [undefined, 'SKIP', 'START'].includes(value as never), 'one of SKIP, START'],
  preStart: [(value) => flag[0](value) || isAmount(value), 'true, false or a number from 0'],
  maxConcurrent: bound,
  parkedHolds: flag,
  parkedAtMost: amount,
} satisfies Partial<Record<keyof EffectivePolicies, Check>>;

/**
 * A stored field has a value that this version does not know. A newer program may have written the value, and newer
 * triggers may support it.
 */
export class UnknownDefinitionError extends Error {}

/**
 * Why a stored action or its policies cannot be used; undefined if they can be. Unknown fields are no reason, since a
 * newer program may have added them.
 *
 * @returns an {@link UnknownDefinitionError} if another version of the program may be able to use the definition
 */
export function problemOfStored({ action, policies }: { action: unknown; policies: unknown }): Error | undefined {
  return problemIn('action', action, ACTION) ?? problemIn('policies', policies, POLICIES);
}

/**
 * Whether this version can answer the remaining occurrences of a stored definition when another definition replaces it.
 * It must know the fields that decide which times fire, and under which workflow IDs. If another field is unknown, even
 * the task queue, the firings start with the new definition.
 */
export function canHandOver({ action, policies }: Stored): boolean {
  const { workflowId } = ACTION;
  const { catchupWindow, catchupLimit } = POLICIES;
  const problem =
    problemIn('action', action, { workflowId }) ?? problemIn('policies', policies, { catchupWindow, catchupLimit });
  return problem === undefined;
}

function problemIn(name: string, stored: unknown, checks: Record<string, Check>): Error | undefined {
  if (!isRecord(stored)) return new Error(`the stored ${name} of the schedule is not an object; register it again`);
  for (const [field, [is, what]] of Object.entries(checks)) {
    if (is(stored[field])) continue;
    return new UnknownDefinitionError(
      `the stored ${name}.${field} is not ${what}, as this version knows it; upgrade the triggers, or register the schedule again`,
    );
  }
  return undefined;
}

/**
 * The fields of a stored definition that pass their check, with the value from {@link UNREADABLE} for each field that
 * does not.
 */
export function readablePartOf({ action, policies }: { action: unknown; policies: unknown }): Stored {
  return {
    action: { ...UNREADABLE.action, ...passing(action, ACTION) },
    policies: { ...UNREADABLE.policies, ...passing(policies, POLICIES) },
  };
}

function passing(stored: unknown, checks: Record<string, Check>): Record<string, unknown> {
  if (!isRecord(stored)) return {};
  // A stored field may have the name of a field that every object has, such as `constructor`.
  const passes = (field: string) => Object.hasOwn(checks, field) && checks[field]![0](stored[field]);
  return Object.fromEntries(Object.entries(stored).filter(([field]) => passes(field)));
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
