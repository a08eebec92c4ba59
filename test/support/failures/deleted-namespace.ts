import type { Trigger } from '../../../trigger';
import { someSchedule, type TestLedger } from '../ledger';

/** A schedule whose firing of 01:00 runs. */
export async function running(ledger: TestLedger) {
  const handle = await ledger.client.create(someSchedule());
  const trigger = await ledger.trigger();
  ledger.clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  return { handle, trigger };
}

/** Let Temporal answer as it does for a namespace that was deleted, in which only the firing is left. */
export async function decommission(ledger: TestLedger) {
  await ledger.query(`update escapement.schedule_versions set namespace = 'decommissioned' where version = 1`);
  await ledger.query(`update escapement.firings set namespace = 'decommissioned'`);
}

/** Run passes each minute, as the loops do, and those of another trigger before them. */
export async function minutesOfPasses(
  ledger: TestLedger,
  { passes }: Trigger,
  minutes: number,
  beside?: () => Promise<void>,
) {
  for (let minute = 0; minute < minutes; minute++) {
    ledger.clock.advance(60_000);
    await beside?.();
    await passes.heartbeat();
    await passes.askAway();
    await passes.reconcile();
    await passes.observe();
    await passes.claim();
    await passes.verify();
    await passes.dispatch();
    await passes.sweep();
  }
}
