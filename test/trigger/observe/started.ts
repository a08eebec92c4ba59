import type { ScheduleOptions } from '../../../index';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

/** A ledger, and chains that a trigger has started. */
export function useStarted() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  const worker = useWorker();

  /** A schedule whose firing of 01:00 has been started. */
  async function started(
    workflowType: string,
    changed: Partial<ScheduleOptions> = {},
    options: Partial<TunedTriggerOptions> = {},
  ) {
    const { taskQueue, client: temporal } = worker();
    const handle = await ledger().client.create(
      someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue }, ...changed }),
    );
    const trigger = await ledger().trigger(options);
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    const execution = temporal.workflow.getHandle(`${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`);
    const firing = async () => (await ledger().firings(handle.scheduleId)).at(-1)!;
    const observe = async () => {
      ledger().clock.advance(60_000);
      await trigger.passes.observe();
      return firing();
    };
    return { handle, trigger, execution, firing, observe };
  }

  return { ledger, worker, started };
}
