import { randomUUID } from 'node:crypto';
import type { AlertResult } from '../../../alerts/open-and-resolve';
import type { TestLedger } from '../ledger';

/** What an alert pass at `time` opened and resolved, without `no_trigger`, which a jump of the clock opens. */
export async function alertsAt(
  passes: { alert(): Promise<AlertResult> },
  clock: { set(time: string): void },
  time: string,
): Promise<string[]> {
  clock.set(time);
  const isTold = ({ condition }: { condition: string }) => condition !== 'no_trigger';
  const first = await passes.alert();
  // If the first pass opened `no_trigger`, it may have held back other alerts, which the next pass opens.
  const results = first.opened.every(isTold) ? [first] : [first, await passes.alert()];
  return [
    ...results.flatMap(({ opened }) => opened.filter(isTold).map((one) => `${one.condition} of ${one.scheduleId}`)),
    ...results.flatMap(({ resolved }) => resolved.filter(isTold).map(({ condition }) => `${condition} is over`)),
  ];
}

/** {@link alertsAt} for a new trigger of the ledger, which has already made one alert pass. */
export async function alertsOf(ledger: TestLedger): Promise<(time: string) => Promise<string[]>> {
  const { passes } = await ledger.trigger();
  await passes.alert();
  return (time) => alertsAt(passes, ledger.clock, time);
}

/** Write or change a firing, in any possible state. */
export async function writeFiring(
  ledger: TestLedger,
  scheduledTime: string,
  columns: Record<string, unknown> & { schedule_id: string },
): Promise<void> {
  await ledger.query('select escapement.ensure_partition($1)', [scheduledTime]);
  const row = {
    scheduled_time: scheduledTime,
    kind: 'schedule',
    namespace: 'default',
    schedule_version: 1,
    claimed_at: scheduledTime,
    ...columns,
  };
  const names = Object.keys(row);
  await ledger.query(
    `insert into escapement.firings (${names.join()}) values (${names.map((_, i) => `$${i + 1}`).join()})
      on conflict (schedule_id, scheduled_time) do update set ${names.map((name) => `${name} = excluded.${name}`).join()}`,
    Object.values(row),
  );
}

/** The columns of a firing that has ended. */
export const closed = (outcome: string, at: string, linkedAt = at) => ({
  state: 'closed',
  outcome,
  workflow_id: 'w',
  run_id: randomUUID(),
  linked_at: linkedAt,
  closed_at: at,
});

/** The columns of a firing that runs. */
export const running = (linkedAt: string) => ({ state: 'linked', workflow_id: 'w', run_id: 'r', linked_at: linkedAt });
