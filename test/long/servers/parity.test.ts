import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type EscapementClient, nextOccurrences, type ScheduleOptions } from '../../../index';
import { fiftySchedules } from '../../client/fifty-schedules';
import { uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-01-01T00:00:00Z');
const worker = useWorker();
const NEVER = { type: 'startWorkflow' as const, workflowType: 'never', taskQueue: 'nobody-polls' };

/** Around the changes of clocks in both hemispheres, in leap years, and far off. */
const RANGES = [
  ['2026-02-25', '2026-04-10'],
  ['2026-09-20', '2026-11-15'],
  ['2027-12-20', '2028-03-20'],
  ['2030-01-01', '2032-07-01'],
].map(([from, to]) => ({ from: Date.parse(from!), to: Date.parse(to!) }));
/** As many as the server lists at once. */
const MOST = 1_000;

let connection: Connection;
let native: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
  native = new Client({ connection });
});
afterAll(() => connection.close());

async function theirTimes(scheduleId: string, { from, to }: { from: number; to: number }): Promise<number[]> {
  const { startTime } = await connection.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId,
    startTime: { seconds: (from / 1_000) as never },
    endTime: { seconds: (to / 1_000) as never },
  });
  return startTime.map((time) => Number(time.seconds) * 1_000 + (time.nanos ?? 0) / 1e6);
}

/** Times by the definition in the ledger. */
async function ourTimes(client: EscapementClient, scheduleId: string, { from, to }: { from: number; to: number }) {
  const { spec } = await client.getHandle(scheduleId).describe();
  const times = nextOccurrences(spec, { after: new Date(from), count: MOST, scheduleId });
  return times.map((time) => time.getTime()).filter((time) => time <= to);
}

describe('fifty schedules written for Temporal’s ScheduleClient', () => {
  it('register here unchanged, and come due at the same instants', async () => {
    expect(fiftySchedules).toHaveLength(50);
    const { client } = ledger();
    let compared = 0;
    const compare = async (schedule: (typeof fiftySchedules)[number]) => {
      const options = { action: NEVER, state: { paused: true }, ...schedule, scheduleId: uniqueName('fifty') };
      await native.schedule.create(options);
      await client.create(options);
      const jitter = options.spec.jitter === undefined ? 0 : 300_000;
      for (const range of RANGES) {
        const theirs = await theirTimes(options.scheduleId, range);
        const ours = await ourTimes(client, options.scheduleId, range);
        const moved = theirs.map((time, index) => time - (ours[index] ?? Number.NaN));
        const label = JSON.stringify({ spec: options.spec, range });
        if (jitter === 0) expect(moved, label).toEqual(moved.map(() => 0));
        else
          expect(
            moved.every((by) => by >= 0 && by < jitter),
            label,
          ).toBe(true);
        // Times that jitter moves beyond the end of the range are not listed.
        expect(Math.abs(ours.length - theirs.length), label).toBeLessThanOrEqual(jitter === 0 ? 0 : 1);
        compared += theirs.length;
      }
      await native.schedule.getHandle(options.scheduleId).delete();
    };
    const queue = [...fiftySchedules];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await compare(next);
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(compared).toBeGreaterThan(20_000);
  });

  it('fire here at the very instants at which they fire there', async () => {
    const specs: ScheduleOptions['spec'][] = [
      { intervals: [{ every: '1s' }] },
      { intervals: [{ every: '2s', offset: '1s' }] },
      { calendars: [{ second: { start: 0, end: 59, step: 3 }, minute: '*', hour: '*' }] },
      { cronExpressions: ['*/2 * * * * * *'] },
      { cronExpressions: ['@every 3s/1s'] },
    ];
    const client = ledger().newClient({ now: undefined });
    const trigger = await ledger().trigger({ clock: undefined });
    const running = trigger.run();
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
    const schedules = specs.map((spec) => {
      const options = { scheduleId: uniqueName('fires'), spec, action, policies: { overlap: 'ALLOW_ALL' as const } };
      // Under different names, since two schedules with one name would compete for workflow IDs.
      return { theirs: options, ours: { ...options, scheduleId: `${options.scheduleId}-here` } };
    });
    try {
      for (const { theirs, ours } of schedules) {
        await client.create(ours);
        await native.schedule.create(theirs);
      }
      for (const { theirs, ours } of schedules) {
        const fired = await vi.waitFor(async () => {
          const { info } = await native.schedule.getHandle(theirs.scheduleId).describe();
          expect(info.recentActions.length).toBeGreaterThanOrEqual(4);
          return info.recentActions.map(({ scheduledAt }) => scheduledAt.toISOString());
        }, 60_000);
        await vi.waitFor(async () => {
          const linked = (await ledger().firings(ours.scheduleId)).filter(({ runId }) => runId);
          const times = linked.map(({ scheduledTime }) => scheduledTime.toISOString()).reverse();
          const [first, last] = [fired[0]!, fired.at(-1)!];
          expect(times.filter((time) => time >= first && time <= last)).toEqual(fired);
        }, 60_000);
      }
    } finally {
      for (const { theirs } of schedules) await native.schedule.getHandle(theirs.scheduleId).delete();
      trigger.shutdown();
      await running;
    }
  });
});
