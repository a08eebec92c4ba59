import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { runsOf, useMoves, wholeRunsOf } from '../../support/moving/moving';
import { useWorker } from '../../support/temporal';
import { withCalls } from '../../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const moves = useMoves(ledger, worker);

/** How long the server is kept from applying an unpause: long enough for more than one due time. */
const LATE_MILLISECONDS = 2_500;

it('runs each nominal time once where the server comes to the unpause long after the call has returned', async () => {
  const { client: from } = worker();
  const scheduleId = await moves.nativeSchedule();
  const client = await moves.imported(scheduleId);
  let land: (() => Promise<unknown>) | undefined;
  let sentAt = 0;
  const late = withCalls(from, {
    patchSchedule: async (request, real) => {
      land = () => real(request);
      sentAt = Date.now();
      return {} as never;
    },
    describeSchedule: async (request, real) => {
      if (Date.now() - sentAt > LATE_MILLISECONDS) {
        await land?.();
        land = undefined;
      }
      return real(request);
    },
  });
  await moves.withTrigger(async () => {
    await moves.untilRan(scheduleId, 'native', 1);
    await client.cutOver({ from, scheduleIds: [scheduleId] });
    await moves.untilRan(scheduleId, 'ours', 2);
    const { schedules } = await client.rollBack({ from: late, scheduleIds: [scheduleId] });
    await land?.();
    expect(schedules).toMatchObject([{ status: 'moved', notes: [] }]);
    expect(schedules[0]!.taken.length).toBeGreaterThanOrEqual(2);
    const natives = [...(await runsOf(from, scheduleId)).values()].flat().filter((side) => side === 'native').length;
    await moves.untilRan(scheduleId, 'native', natives + 2);
    await from.schedule.getHandle(scheduleId).pause('the test is over');
    await moves.untilNothingIsOpen();
  });
  const runs = await wholeRunsOf(from, scheduleId);
  expect([...runs.values()].every((sides) => sides.length === 1)).toBe(true);
});
