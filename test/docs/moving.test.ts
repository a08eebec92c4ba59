import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@temporalio/client';
import { expect, inject, it, vi } from 'vitest';
import type { BackfillResult, EscapementClient } from '../../index';
import { runCli } from '../support/child';
import { uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ROOT = resolve(__dirname, '../..');
const ledger = useLedger();
const worker = useWorker();

/** The program of the page, as it stands. */
async function program(): Promise<{
  move(temporal: Client, escapement: EscapementClient, scheduleId: string): Promise<BackfillResult>;
}> {
  const page = readFileSync(join(ROOT, 'docs/moving.md'), 'utf8');
  const [, code] = /```ts\n\/\/ move\.ts\n([\s\S]*?)```/.exec(page)!;
  const folder = join(ROOT, '.cache', 'moving');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'move.ts'), code!.replace("from 'escapement'", "from '../../index'"));
  return import(pathToFileURL(join(folder, 'move.ts')).href);
}

it('the way over from a native schedule loses no occurrence and lets none overlap, with runs under way and buffered', {
  timeout: 180_000,
}, async () => {
  const { client: temporal, taskQueue } = worker();
  const scheduleId = uniqueName('moving');
  const native = await temporal.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1s' }] },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [2_000] },
    policies: { overlap: 'BUFFER_ALL' },
  });
  await vi.waitFor(
    async () => {
      const { info, raw } = await native.describe();
      expect(info.runningActions).toHaveLength(1);
      expect(Number(raw.info?.bufferSize)).toBeGreaterThanOrEqual(2);
    },
    { timeout: 60_000 },
  );

  const client = ledger().newClient({ now: undefined as never });
  const trigger = runCli(['run'], { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') });
  await trigger.line(/trigger running/);
  const { move } = await program();
  const filled = await move(temporal, client, scheduleId);
  const handle = client.getHandle(scheduleId);
  await handle.pause();
  expect(filled.filled).toBeGreaterThan(2);
  await expect(native.describe()).rejects.toThrow();
  await expect
    .poll(() => ledger().query(`select state from escapement.firings where state not in ('closed', 'skipped')`), {
      timeout: 120_000,
    })
    .toEqual([]);
  trigger.kill('SIGTERM');
  await trigger.ended();

  const rows = await ledger().query<{ at: Date; state: string; reason: string | null; id: string }>(
    `select scheduled_time as at, state, reason, workflow_id as id from escapement.firings
     where kind = 'backfill' order by scheduled_time`,
  );
  const seconds = rows.map(({ at }) => at.getTime() / 1_000);
  expect(seconds).toEqual(seconds.map((_, index) => seconds[0]! + index));
  const reasons = new Set(rows.map(({ state, reason }) => reason ?? state));
  expect(reasons).toEqual(new Set(['native', 'closed']));

  const runs: { startedAt: number; closedAt: number }[] = [];
  for (const { id } of rows) {
    const { startTime, closeTime, status } = await temporal.workflow.getHandle(id).describe();
    expect(status.name).toBe('COMPLETED');
    runs.push({ startedAt: startTime.getTime(), closedAt: closeTime!.getTime() });
  }
  runs.sort((one, other) => one.startedAt - other.startedAt);
  for (const [index, run] of runs.slice(1).entries())
    expect(run.startedAt).toBeGreaterThanOrEqual(runs[index]!.closedAt);
});
