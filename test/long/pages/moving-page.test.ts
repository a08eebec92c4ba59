import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, inject, it, vi } from 'vitest';
import { uniqueName, useLedger } from '../../support/ledger';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';
import { useWorker } from '../../support/temporal';

const DOCS = resolve(__dirname, '../../../docs');
const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const page = readFileSync(resolve(DOCS, 'moving.md'), 'utf8');

/** The commands of the steps, in order, word for word. */
const [, steps] = /## Step by step\n([\s\S]*?)\n## /.exec(page)!;
const commands = [...steps!.matchAll(/```bash\nescapement (.*)\n```/g)].map(([, command]) => command!.split(' '));

it('the steps of docs/moving.md, followed word for word, lead over from native schedules and back, each time run once', async () => {
  const { client: from, taskQueue, namespace } = worker();
  const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue, args: [0] };
  const ids = [uniqueName('page'), uniqueName('page')];
  for (const [index, scheduleId] of ids.entries()) {
    const spec = { intervals: [{ every: `${index + 1}s` as const }] };
    await from.schedule.create({ scheduleId, spec, action, policies: { overlap: 'ALLOW_ALL' } });
  }
  await vi.waitFor(async () => {
    let listed = 0;
    for await (const _ of from.schedule.list()) listed += 1;
    expect(listed).toBe(ids.length);
  }, 60_000);
  const env = {
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: namespace,
  };
  const runs = async (side: 'ours' | 'native') => {
    const found: string[] = [];
    for await (const run of from.workflow.list()) {
      const isOurs = run.memo !== undefined && 'escapement' in run.memo;
      if (isOurs === (side === 'ours')) found.push(run.workflowId);
    }
    return found;
  };
  const more = async (side: 'ours' | 'native') => {
    const counts = async () => {
      const found = await runs(side);
      return ids.map((scheduleId) => found.filter((id) => id.startsWith(`${scheduleId}-workflow-`)).length);
    };
    const before = await counts();
    // Of each schedule: the slowest too fires in each stretch.
    await vi.waitFor(
      async () => expect((await counts()).filter((count, index) => count <= before[index]!)).toEqual([]),
      60_000,
    );
  };
  const trigger = runCli(['run'], env);
  try {
    await trigger.line(/trigger running/);
    expect(commands.map(([name]) => name)).toEqual(['import', 'import', 'compare', 'cut-over', 'roll-back']);
    const [dryRun, shadow, compare, cutOver, rollBack] = commands;
    const follow = async (command: string[]) => expect(await runCommand(command, env)).toMatchObject({ code: 0 });
    await follow(dryRun!);
    expect(await ledger().query('select 1 from escapement.schedules')).toEqual([]);
    await follow(shadow!);
    await more('native');
    await follow(compare!);
    expect(await runs('ours')).toEqual([]);
    for (let round = 0; round < 2; round++) {
      await follow(cutOver!);
      await more('ours');
      await follow(rollBack!);
      await more('native');
    }
    for (const scheduleId of ids) await from.schedule.getHandle(scheduleId).pause('the test is over');
    await expect
      .poll(() => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`))
      .toEqual([]);
  } finally {
    trigger.kill('SIGTERM');
    await trigger.ended();
  }
  // Visibility need not follow in order.
  const all = await vi.waitFor(async () => {
    const all = [...(await runs('ours')), ...(await runs('native'))];
    for (const [index, scheduleId] of ids.entries()) {
      const seconds = all
        .filter((id) => id.startsWith(`${scheduleId}-workflow-`))
        .map((id) => Date.parse(id.slice(-20)) / 1_000)
        .sort((one, other) => one - other);
      // Five stretches: three there and two here.
      expect(seconds.length).toBeGreaterThanOrEqual(5);
      expect(seconds).toEqual(seconds.map((_, place) => seconds[0]! + place * (index + 1)));
    }
    return all;
  }, 60_000);
  expect(new Set(all).size).toBe(all.length);
});
