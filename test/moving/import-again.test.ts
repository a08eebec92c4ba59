import { expect, it, vi } from 'vitest';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule } = useMoves(ledger, worker);

const HOURLY = { spec: { intervals: [{ every: '1h' as const }] } };

it('takes a schedule for the same in whatever order the server answers the keys of its maps', async () => {
  const { client: real, taskQueue } = worker();
  const client = ledger().newClient({ now: undefined as never });
  const memo = { one: 1, two: 2 };
  const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue, args: [0], memo };
  const scheduleId = await nativeSchedule({ ...HOURLY, action });
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      const answer = await call(request);
      const { memo } = answer.schedule!.action!.startWorkflow!;
      const fields = Object.entries(memo!.fields!).sort(([one], [other]) => one.localeCompare(other));
      memo!.fields = Object.fromEntries(described++ % 2 === 0 ? fields : fields.reverse());
      return answer;
    },
  });
  const query = `ScheduleId = '${scheduleId}'`;
  const first = await vi.waitFor(async () => {
    const { schedules } = await client.importSchedules({ from, query });
    expect(schedules).toHaveLength(1);
    return schedules;
  }, 60_000);
  expect(first).toMatchObject([{ status: 'imported' }]);
  for (let times = 0; times < 3; times++) {
    expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'unchanged' }]);
  }
  // The order is now another one than at the import.
  expect(described).toBe(5);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
});
