import type { CompiledScheduleOptions, ScheduleClientInterceptor } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { composeInterceptors } from '@temporalio/common/lib/interceptors';
import type { ScheduleDefinition, StoredAction } from '../core/definition/definition';
import type { ScheduleOptions } from '../core/schedule/options';

/** Temporal's interceptors, as its `Client` or its `ScheduleClient` takes them. */
export type ScheduleInterceptors = ScheduleClientInterceptor[] | { schedule?: ScheduleClientInterceptor[] | undefined };

/** Calls `create` through the interceptors, which may change the options and set headers. */
export async function intercepted(
  interceptors: ScheduleClientInterceptor[],
  options: ScheduleOptions,
  create: (options: ScheduleOptions, headers: Record<string, Payload>) => Promise<void>,
): Promise<void> {
  if (interceptors.length === 0) return create(options, {});
  const { scheduleId, action } = options;
  const { workflowType } = action;
  const ownId = `${scheduleId}-workflow`;
  const compiled = {
    ...options,
    action: {
      ...action,
      workflowType: typeof workflowType === 'string' ? workflowType : workflowType.name,
      workflowId: action.workflowId ?? ownId,
      args: action.args ?? [],
    },
  };
  const run = composeInterceptors(interceptors, 'create', async (input) => {
    const { workflowId, ...others } = input.options.action;
    // If neither the caller nor an interceptor chose a workflow ID, the action is stored without one.
    const wasGiven = action.workflowId !== undefined || workflowId !== ownId;
    const result = { ...input.options, action: wasGiven ? input.options.action : others };
    await create(result as ScheduleOptions, input.headers);
    // Temporal's interface asks for a conflict token. Updates here lock the schedule and need none.
    return { conflictToken: new Uint8Array() };
  });
  await run({ options: compiled as unknown as CompiledScheduleOptions, headers: {} });
}

/** A new definition with the headers that were set when the schedule was created. An update itself sets no headers. */
export function withHeadersOf({ headers }: StoredAction, definition: ScheduleDefinition): ScheduleDefinition {
  return headers ? { ...definition, action: { ...definition.action, headers } } : definition;
}
