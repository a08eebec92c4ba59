import type { SchedulePolicies, ScheduleSpec } from '../../../index';
import type { Trigger } from '../../../trigger';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

export const DUE = '2026-03-01T01:00:00.000Z';

/** So slow that even a single start has to begin as far ahead as allowed. */
export const SLOW = { startsPerSecondAssumed: 0.01, preStartAfterMilliseconds: 0 };

/** An hourly schedule whose firing may be handed over ahead. */
export function useAhead() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  const worker = useWorker();

  async function hourly(policies: SchedulePolicies = {}, action = {}, spec: ScheduleSpec = { cron: '0 * * * *' }) {
    const handle = await ledger().client.create(
      someSchedule({
        spec,
        action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: worker().taskQueue, ...action },
        policies,
      }),
    );
    const trigger = await ledger().trigger({ limits: SLOW });
    // From here on its timer stands at its first occurrence.
    await trigger.passes.claim();
    return { handle, trigger };
  }

  /** The same with a manual firing that runs until it is told to finish. */
  async function withOneOpen(policies: SchedulePolicies) {
    const { handle, trigger } = await hourly(policies, { workflowType: 'untilFinished' });
    await handle.trigger();
    ledger().clock.set('2026-03-01T00:59:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    return { handle, trigger };
  }

  /** So many milliseconds before the occurrence. */
  function setBefore(milliseconds: number): void {
    ledger().clock.set(new Date(Date.parse(DUE) - milliseconds).toISOString());
  }

  /** Claim and start as of so many milliseconds before the occurrence. */
  async function passesBefore(trigger: Trigger, milliseconds: number) {
    setBefore(milliseconds);
    const { claimed } = await trigger.passes.claim();
    await trigger.passes.dispatch();
    return claimed;
  }

  function execution(scheduleId: string) {
    return worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
  }

  /** Milliseconds from the call to the first workflow task, by the server's history. */
  async function firstTaskAfter(scheduleId: string): Promise<number> {
    const events = (await execution(scheduleId).fetchHistory()).events!;
    const at = ({ eventTime }: (typeof events)[number]) => Number(eventTime!.seconds) * 1_000 + eventTime!.nanos! / 1e6;
    return at(events.find((event) => event.workflowTaskScheduledEventAttributes)!) - at(events[0]!);
  }

  return { ledger, worker, hourly, withOneOpen, setBefore, passesBefore, execution, firstTaskAfter };
}
