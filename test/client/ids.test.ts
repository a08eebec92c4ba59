import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../index';
import { runCommand } from '../support/command';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** The Temporal server is shared, and these are no names to make unique but at their end. */
const run = Date.now().toString(36);
const odd = [
  '-s',
  '--json',
  'a/b/../c',
  '100% %2F %2e%2e',
  ' around and  within ',
  'emoji 🕰️ and 日本語',
  `quote's "and" ;-- \\ $HOME`,
  '?query=1&x#fragment',
  '€'.repeat(75),
].map((id) => `${id}${run}`);

describe('a schedule’s ID', () => {
  it.each(odd)('%j works in the workflow ID, in a URL and in the command alike', async (scheduleId) => {
    const { client: temporal, taskQueue } = worker();
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue };
    const handle = await ledger().client.create(someSchedule({ scheduleId, action }));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.start()).toMatchObject({ linked: 1 });
    const workflowId = `${scheduleId}-workflow-2026-03-01T01:00:00Z`;
    expect(await temporal.workflow.getHandle(workflowId).result()).toMatchObject({ firing: { scheduleId } });
    expect((await handle.describe()).info.recentActions[0]!.action.workflow.workflowId).toBe(workflowId);

    const { pathname } = new URL(`http://localhost/schedules/${encodeURIComponent(scheduleId)}/firings`);
    expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'schedules', scheduleId, 'firings']);

    const described = await runCommand(['schedule', 'describe', '-s', scheduleId, '--json'], {
      DATABASE_URL: ledger().databaseUrl,
    });
    expect(described).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(described.stdout)).toMatchObject({ scheduleId });
  });

  it('of 255 bytes is the longest, and its workflow starts', async () => {
    const scheduleId = `${run}${'x'.repeat(255 - run.length)}`;
    // A server on Postgres keeps 255 characters of a workflow ID, which the schedule's ID alone would fill.
    const action = { ...someSchedule().action, workflowId: run };
    await ledger().client.create(someSchedule({ scheduleId, action }));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.start()).toMatchObject({ linked: 1 });
  });

  it.each([
    ['that is empty', ''],
    ['of 256 bytes', 'x'.repeat(256)],
    ['of 300 bytes', '€'.repeat(100)],
    ['with a NUL', 'a\0b'],
    ['with a line feed', 'a\nb'],
    ['with an escape', '\u001b[2J'],
    ['with half of a surrogate pair', 'a\ud83d'],
    ['that a URL takes for this folder', '.'],
    ['that a URL takes for the folder above', '..'],
  ])('%s is refused, and nothing is written', async (_, scheduleId) => {
    const attempt = ledger().client.create(someSchedule({ scheduleId }));
    await expect(attempt).rejects.toBeInstanceOf(InvalidScheduleError);
    await expect(attempt).rejects.toMatchObject({ path: 'scheduleId' });
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
  });
});
