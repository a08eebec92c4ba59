import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
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
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
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

  it('of 255 bytes is the longest, and its workflow starts under the longest prefix', async () => {
    const scheduleId = `${run}${'x'.repeat(255 - run.length)}`;
    const action = { ...someSchedule().action, workflowId: `${run}${'y'.repeat(210 - run.length)}` };
    await ledger().client.create(someSchedule({ scheduleId, action }));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  });

  it('with which a workflow ID could be over 255 characters is refused by the field to shorten; nothing is written', async () => {
    const { client } = ledger();
    const long = someSchedule({ scheduleId: 'x'.repeat(202) });
    const named = someSchedule({ scheduleId: 'named', action: { ...long.action, workflowId: 'x'.repeat(211) } });
    await expect(client.create(long)).rejects.toMatchObject({ path: 'scheduleId', problem: /action\.workflowId/ });
    await expect(client.create(named)).rejects.toMatchObject({ path: 'action.workflowId' });
    const applied = client.apply([long, named], { source: 'deploy', revision: 1 });
    await expect(applied).rejects.toMatchObject({
      problems: [
        { index: 0, path: 'scheduleId' },
        { index: 1, path: 'action.workflowId' },
      ],
    });
    const acme = ledger().newClient({ tenant: 'acme' });
    const scoped = { ...named, action: { ...named.action, workflowId: 'x'.repeat(205) } };
    await expect(acme.create(scoped)).rejects.toMatchObject({ path: 'action.workflowId', problem: /\[acme\]/ });
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);

    const handle = await client.create(someSchedule({ scheduleId: 'named' }));
    const update = handle.update((previous) => ({ ...previous, action: named.action }));
    await expect(update).rejects.toMatchObject({ path: 'action.workflowId' });
    expect((await handle.describe()).info.version).toBe(1);
  });

  it('that was registered before such IDs were refused is updated, paused and triggered as ever', async () => {
    const handle = await ledger().client.create(someSchedule({ scheduleId: 'old' }));
    await ledger().query(
      `update escapement.schedule_versions set action = action || jsonb_build_object('workflowId', repeat('x', 300))`,
    );
    await handle.pause('for now');
    await handle.update((previous) => ({ ...previous, policies: { ...previous.policies, overlap: 'ALLOW_ALL' } }));
    expect(await handle.describe()).toMatchObject({ policies: { overlap: 'ALLOW_ALL' }, info: { version: 2 } });
    expect(await handle.trigger()).toMatchObject({ workflowId: expect.stringMatching(/^x{300}-2026/) });
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
