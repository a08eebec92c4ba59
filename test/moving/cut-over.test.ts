import { describe, expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { runsOf, useMoves, wholeRunsOf } from '../support/moving/moving';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { environment, withTrigger, nativeSchedule, imported, untilRan, untilNothingIsOpen } = useMoves(ledger, worker);

describe('a schedule that fires each second', () => {
  it('runs each nominal time once while it is cut over and rolled back: there before the instant, here from it on', async () => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule();
    const client = await imported(scheduleId, true);
    const { over, back } = await withTrigger(async () => {
      await untilRan(scheduleId, 'native', 3);
      const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
      const over = await client.cutOver({ from, scheduleIds: [scheduleId], at });
      expect(over.schedules).toMatchObject([{ status: 'moved', from: expect.any(Date) }]);
      expect(over.schedules[0]!.from!.getTime()).toBeGreaterThanOrEqual(at.getTime());
      const { state } = await from.schedule.getHandle(scheduleId).describe();
      expect(state).toMatchObject({ paused: true, note: expect.stringContaining('Escapement') });
      await untilRan(scheduleId, 'ours', 4);
      expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
        { status: 'unchanged' },
      ]);
      const natives = [...(await runsOf(from, scheduleId)).values()].flat().filter((one) => one === 'native').length;
      const back = await client.rollBack({ from, all: true });
      expect(back.schedules).toMatchObject([{ status: 'moved' }]);
      await untilRan(scheduleId, 'native', natives + 3);
      await from.schedule.getHandle(scheduleId).pause('the test is over');
      await untilNothingIsOpen();
      return { over, back };
    });
    expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(true);
    const runs = await wholeRunsOf(from, scheduleId);
    expect([...runs.values()].every((sides) => sides.length === 1)).toBe(true);
    const cut = over.schedules[0]!.from!.getTime();
    for (const [nominal, [side]] of runs) {
      if (nominal < cut) expect(side).toBe('native');
      else if (nominal < back.schedules[0]!.from!.getTime()) expect(side).toBe('ours');
    }
  });
});

it('stays paused on both sides where a person had paused it, and what was not imported is refused with 1', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ state: { paused: true, note: 'by a person' } });
  const client = await imported(scheduleId);
  const { code, stdout } = await runCommand(['cut-over', scheduleId, 'nobody', '--json'], environment());
  expect(code).toBe(1);
  const rows = stdout.split('\n').map((line) => JSON.parse(line));
  expect(rows.find((row) => row.scheduleId === scheduleId)).toMatchObject({ status: 'moved', paused: true });
  expect(rows.find((row) => row.scheduleId === 'nobody')).toMatchObject({ status: 'refused' });
  expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: true, note: 'by a person' });
  expect((await client.rollBack({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ paused: true }]);
  const { state } = await from.schedule.getHandle(scheduleId).describe();
  expect(state).toMatchObject({ paused: true, note: 'by a person' });
});
