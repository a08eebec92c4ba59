import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import { uniqueName, useLedger } from '../../support/ledger';
import { wordsOf } from '../../support/pages/page-commands';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';
import { useWorker } from '../../support/temporal';

const PAGE = readFileSync(resolve(__dirname, '../../../docs/leaving.md'), 'utf8');
const ledger = useLedger();
const worker = useWorker();

const environment = () => ({ DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') });
const escapement = (...args: string[]) => runCommand(args, environment());
const action = (more: object = {}) => ({
  ...{ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue, ...more },
});
const exported = async (...args: string[]) => {
  const { code, stdout } = await escapement('export', '--json', ...args);
  const rows = stdout.split('\n').filter(Boolean);
  return { code, rows: rows.map((line) => JSON.parse(line)) };
};

describe('leaving', () => {
  it('loses no time and fires none twice: schedules fire here, then there', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const scheduleId = uniqueName('leaving');
    const args = [{ region: 'emea' }, 7];
    const policies = { overlap: 'ALLOW_ALL' } as const;
    await client.create({ scheduleId, spec: { cron: '* * * * * *' }, action: action({ args }), policies });
    const trigger = runCli(['run'], environment());
    await trigger.line(/trigger running/);
    const { schedule, workflow } = worker().client;
    const query = `TemporalScheduledById = '${scheduleId}'`;
    const count = async () => (await workflow.count(query)).count;
    await vi.waitFor(async () => expect(await count()).toBeGreaterThanOrEqual(2), { timeout: 60_000 });

    // Each command of the page, in its order; those that write a file print it here.
    const lines = [...PAGE.matchAll(/^escapement .*$/gm)].map(([line]) => wordsOf(line.replace(/ > \S+$/, ''), {}));
    expect(lines.map((words) => words[1])).toEqual([
      'export',
      'export',
      'firing',
      'dead-letter',
      'firing',
      'schedule',
      'dead-letter',
    ]);
    for (const [index, [, ...words]] of lines.entries()) {
      const { code, stdout, stderr } = await escapement(...words!);
      expect([words, code, stderr.replace(/There are more: .*/, '')]).toEqual([words, 0, '']);
      if (index === 0) {
        expect(stdout).toMatch(new RegExp(`^${scheduleId} +default +planned +catchupLimit 100`, 'm'));
        await expect(schedule.getHandle(scheduleId).describe()).rejects.toThrow();
      }
    }

    const native = schedule.getHandle(scheduleId);
    const atExport = (await native.describe()).info.numActionsTaken;
    await vi.waitFor(
      async () => expect((await native.describe()).info.numActionsTaken).toBeGreaterThanOrEqual(atExport + 3),
      { timeout: 60_000 },
    );
    await native.pause();
    expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({
      paused: true,
      note: expect.stringContaining('Exported'),
    });
    trigger.kill('SIGTERM');
    await trigger.ended();

    const runs = await vi.waitFor(
      async () => {
        const found: string[] = [];
        for await (const { workflowId } of workflow.list({ query })) found.push(workflowId.slice(-20));
        const seconds = [...new Set(found)].map((time) => Date.parse(time) / 1_000).sort();
        expect(seconds.length).toBe(seconds.at(-1)! - seconds[0]! + 1);
        return found;
      },
      { timeout: 60_000 },
    );
    expect(new Set(runs).size).toBe(runs.length);
    // As the user gave them.
    const last = runs.sort().at(-1)!;
    expect((await workflow.getHandle(`${scheduleId}-workflow-${last}`).result()).args).toEqual(args);
    await native.delete();
  });

  it('lets what waits behind a running workflow start here', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const scheduleId = uniqueName('behind');
    const query = `ScheduleId = "${scheduleId}"`;
    const policies = { overlap: 'BUFFER_ALL' } as const;
    const handle = await client.create({
      ...{ scheduleId, policies, spec: { cron: '* * * * * *' } },
      action: action({ workflowType: 'untilFinished' }),
    });
    const trigger = runCli(['run'], environment());
    await trigger.line(/trigger running/);
    const firings = async (state: 'buffered' | 'linked') =>
      (await client.firingsPage({ scheduleId, state: [state] })).firings;
    await vi.waitFor(async () => expect((await firings('buffered')).length).toBeGreaterThan(1), { timeout: 60_000 });
    expect((await exported('--query', query)).rows[0].status).toBe('created');
    const native = worker().client.schedule.getHandle(scheduleId);
    await native.pause();
    expect((await handle.describe()).state.paused).toBe(true);
    const oldest = (await firings('buffered')).at(-1)!;
    const [running] = await firings('linked');
    await worker().client.workflow.getHandle(running!.workflowId!).signal('finish');
    await vi.waitFor(async () => expect((await firings('linked'))[0]?.scheduledTime).toEqual(oldest.scheduledTime), {
      timeout: 60_000,
    });
    trigger.kill('SIGTERM');
    await trigger.ended();
    await native.delete();
  });
});
