import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { runsOf, useMoves, wholeRunsOf } from '../support/moving/moving';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

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

it('takes what runs here from the actions that are left, and says what was changed here and is not carried back', async () => {
  const { client: from } = worker();
  const state = { remainingActions: 500 };
  const scheduleId = await moves.nativeSchedule({ state });
  const client = await moves.imported(scheduleId);
  await client.getHandle(scheduleId).update((previous) => ({ ...previous, policies: { overlap: 'SKIP' } }));
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId] });
  const { remainingActions: left } = (await client.getHandle(scheduleId).describe()).state;
  // No trigger runs, so times that are due before the roll back must run here.
  const isDue = () => Date.now() > schedules[0]!.from!.getTime() + 2_000;
  await expect.poll(isDue, { timeout: 60_000 }).toBe(true);
  const native = from.schedule.getHandle(scheduleId);
  const { numActionsTaken: before } = (await native.describe()).info;
  const { code, stdout } = await runCommand(['roll-back', scheduleId, '--json'], moves.environment());
  expect(code).toBe(0);
  const row = JSON.parse(stdout);
  expect(row.taken.length).toBeGreaterThanOrEqual(3);
  const beyond = row.notes.find((note: string) => note.includes('beyond')) ?? '0';
  expect(row.notes).toContainEqual(expect.stringContaining('changed here since it was imported'));
  const { state: there, info } = await native.describe();
  await native.pause('the test is over');
  const since = info.numActionsTaken - before;
  expect(row.taken.length - Number.parseInt(beyond, 10) + since + there.remainingActions!).toBe(left);
});
