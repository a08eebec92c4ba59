import type { ScheduleDescription, ScheduleSummary } from '../../../client/describe/schedule-description';
import type { ScheduleOptions } from '../../../core/schedule/options';

/** A description as it is sent: without `raw`. */
export function toWire<Described extends ScheduleSummary | ScheduleDescription>(
  described: Described,
): Omit<Described, 'raw'> {
  const { raw: _, ...rest } = described as Described & { raw?: unknown };
  return rest;
}

/**
 * Reads a definition as it was sent. JSON has no infinity, so null means no limit. Fields that GET adds for values that
 * cannot be decoded are left out.
 */
export function fromWire(body: unknown): ScheduleOptions {
  if (!isObject(body)) return body as ScheduleOptions;
  const { memoError: _, ...rest } = body;
  const { policies, action: given } = rest;
  const action = isObject(given) ? withoutErrors(given) : given;
  return {
    ...rest,
    ...(given === undefined ? {} : { action }),
    ...(isObject(policies) && policies.catchupLimit === null
      ? { policies: { ...policies, catchupLimit: Number.POSITIVE_INFINITY } }
      : {}),
    ...(isObject(action) && isObject(action.retry) && action.retry.maximumAttempts === null
      ? { action: { ...action, retry: { ...action.retry, maximumAttempts: Number.POSITIVE_INFINITY } } }
      : {}),
  } as unknown as ScheduleOptions;
}

function withoutErrors({ argsError: _, memoError: __, textsError: ___, ...action }: Record<string, unknown>) {
  return action;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
