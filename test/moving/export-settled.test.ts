import { expect, it, vi } from 'vitest';
import { clientContext } from '../../client/context';
import { compileSpec } from '../../core/occurrences';
import type { ScheduleOptions } from '../../index';
import { exportSchedules } from '../../moving/export/export';
import { untilSettled } from '../../moving/export/settled';
import { watchedPool } from '../support/connections/watched-pool';
import { uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker();

const DAY = 86_400_000;

/** The spec that is due each day at the time of day of an instant. */
const dailyAt = (instant: number) => ({ intervals: [{ every: DAY, offset: instant % DAY }] });

/** Create a schedule as if it were a minute before an instant. */
function createBefore(instant: number, scheduleId: string, spec: ScheduleOptions['spec']) {
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  return ledger()
    .newClient({ now: () => new Date(instant - 60_000) })
    .create({ scheduleId, spec, action });
}

it('an export waits for what is due by the clock of Postgres, also if its own clock is behind', async () => {
  const nominal = Math.floor(Date.now() / 1_000) * 1_000 - 5_000;
  const { scheduleId } = await createBefore(nominal, uniqueName('behind'), dailyAt(nominal));
  let reads = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('as "answeredTo"')) reads += 1;
    },
  });
  const real = Date.now;
  const behind = vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
  const order: string[] = [];
  const settled = untilSettled(clientContext({ pool }), scheduleId).then(() => order.push('settled'));
  // By its own clock, it would have waited long enough by then.
  await expect.poll(() => reads).toBeGreaterThan(9);
  behind.mockRestore();
  order.push('claimed');
  const { passes } = await ledger().trigger({ clock: undefined as never });
  await passes.claim();
  await passes.dispatch();
  await settled;
  expect(order).toEqual(['claimed', 'settled']);
});

it('an export says how long jitter delays an occurrence that is due here', async () => {
  const nominal = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
  const spec = { ...dailyAt(nominal), jitter: DAY };
  const startOf = (scheduleId: string) => compileSpec(spec, { scheduleId }).startTime(nominal);
  let scheduleId = uniqueName('jitter');
  while (startOf(scheduleId) < nominal + DAY / 2) scheduleId = uniqueName('jitter');
  await createBefore(nominal, scheduleId, spec);
  const exports = exportSchedules({ ledger: { connectionString: ledger().databaseUrl }, to: worker().client });
  const [at, until] = [nominal, startOf(scheduleId)].map((time) => new Date(time).toISOString());
  expect((await exports.next()).value).toMatchObject({
    scheduleId,
    status: 'left',
    reason: `jitter delays its occurrence of ${at} until ${until}; both schedules are live, and nothing fires twice: export again after that`,
  });
  await exports.return(undefined);
  await worker().client.schedule.getHandle(scheduleId).delete();
});
