import { describe, expect, it, vi } from 'vitest';
import { useLedger } from '../../support/ledger';
import { runsOf, useMoves } from '../../support/moving/moving';
import { runCommand } from '../../support/processes/command';
import { useWorker } from '../../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { environment, withTrigger, nativeSchedule, imported } = useMoves(ledger, worker);

describe('a schedule that fires each second', () => {
  it('names what waits in the native schedule, and runs it here for its own time where that is asked for', async () => {
    const { client: from, taskQueue } = worker();
    // One runs for as long as this lets it, so that it is the one that runs when native is paused.
    const action = { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue };
    const scheduleId = await nativeSchedule({ action, policies: { overlap: 'BUFFER_ALL' } });
    const client = await imported(scheduleId);
    await vi.waitFor(async () => {
      const { raw } = await from.schedule.getHandle(scheduleId).describe();
      expect(Number(raw.info?.bufferSize)).toBeGreaterThanOrEqual(2);
    }, 60_000);
    const moved = await client.cutOver({ from, scheduleIds: [scheduleId] });
    const { buffered, running, from: first } = moved.schedules[0]!;
    expect(buffered.length).toBeGreaterThanOrEqual(2);
    expect(running).toHaveLength(1);
    expect(buffered.at(-1)!.getTime()).toBeLessThan(first!.getTime());
    const linked = await ledger().query(`select workflow_id as id from escapement.firings where state = 'linked'`);
    expect(linked).toEqual(running.map((id) => ({ id })));
    await client.getHandle(scheduleId).pause();
    const isAsleep = () => ledger().query(`select wake_at = 'infinity' as asleep from escapement.timers`);
    await withTrigger(() => expect.poll(isAsleep).toEqual([{ asleep: true }]));
    const taken = await runCommand(['cut-over', scheduleId, '--take-buffer', '--json'], environment());
    expect(JSON.parse(taken.stdout)).toMatchObject({ status: 'unchanged', buffered: [] });
    const finishAll = async () => {
      const open = await ledger().query<{ id: string }>(
        `select workflow_id as id from escapement.firings where state = 'linked'`,
      );
      for (const { id } of open)
        await from.workflow
          .getHandle(id)
          .signal('finish')
          .catch(() => undefined);
      return ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
    };
    await withTrigger(() => expect.poll(finishAll).toEqual([]));
    const runs = await vi.waitFor(async () => {
      const listed = await runsOf(from, scheduleId);
      for (const time of buffered) expect(listed.get(time.getTime())).toEqual(['ours']);
      return listed;
    }, 60_000);
    const nominals = [...runs.keys()].filter((nominal) => nominal < first!.getTime());
    expect(nominals).toEqual(nominals.map((_, index) => nominals[0]! + index * 1_000));
  });
});
