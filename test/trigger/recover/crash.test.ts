import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { runScript } from '../../support/processes/child';

const ledger = useLedger('2026-03-01T00:30:00Z');
let connection: Connection;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
});
afterAll(() => connection.close());

const DUE = '2026-03-01T01:00:00Z';

describe('a trigger process that is killed', () => {
  it('before its claim is committed has changed nothing, and another one claims', async () => {
    const handle = await ledger().client.create(someSchedule());
    await ledger().query(`create function escapement.held() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(7); return null; end'`);
    await ledger().query(`create trigger held after insert on escapement.firings
      for each row execute function escapement.held()`);
    const child = runScript('test/support/processes/crash-child.ts', [
      ledger().databaseUrl,
      inject('temporalAddress'),
      DUE,
    ]);
    await child.line(/^ready/);
    await ledger().query('select pg_advisory_lock(7)');
    child.write('claim');
    // Its row is written, and not committed.
    await vi.waitFor(async () => {
      expect(
        await ledger().query(`select from pg_locks where locktype = 'advisory' and objid = 7 and not granted
        and database = (select oid from pg_database where datname = current_database())`),
      ).toHaveLength(1);
    }, 60_000);
    child.kill('SIGKILL');
    expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
    await ledger().query('select pg_advisory_unlock(7)');

    ledger().clock.set(DUE);
    const other = await ledger().trigger();
    await vi.waitFor(async () => expect((await other.passes.claim()).claimed).toHaveLength(1), 60_000);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await ledger().query('select owner from escapement.firings')).toEqual([{ owner: null }]);
  });

  it('after its claim leaves a firing that another one starts, once', async () => {
    const handle = await ledger().client.create(someSchedule());
    const child = runScript('test/support/processes/crash-child.ts', [
      ledger().databaseUrl,
      inject('temporalAddress'),
      DUE,
    ]);
    await child.line(/^ready/);
    child.write('claim');
    await child.line(/^done claim/);
    child.kill('SIGKILL');
    expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await startAttempted(handle.scheduleId)).toBe(false);

    ledger().clock.set(DUE);
    const other = await ledger().trigger();
    expect(await other.passes.dispatch()).toMatchObject({ linked: 1 });
    const firing = (await ledger().firings(handle.scheduleId))[0]!;
    expect(firing).toMatchObject({ state: 'linked', recovery: null });
    expect(await runsOf(handle.scheduleId)).toEqual([firing.runId]);
  });

  it('after its start and before its link leaves a workflow that another one links, and starts no second', async () => {
    // The trigger's first questions to a namespace are answered.
    await ledger().client.create(someSchedule({ spec: {}, state: { triggerImmediately: true } }));
    const proxy = await proxyOf(inject('temporalAddress'));
    const child = runScript('test/support/processes/crash-child.ts', [ledger().databaseUrl, proxy.address, DUE]);
    await child.line(/^ready/);
    child.write('claim');
    await child.line(/^done claim/);
    child.write('dispatch');
    await child.line(/^done dispatch/);
    const handle = await ledger().client.create(someSchedule());
    child.write('claim');
    await child.line(/^done claim/);
    // The start reaches Temporal; its answer never comes back.
    proxy.holdAnswers();
    child.write('dispatch');
    const [started] = await vi.waitFor(async () => {
      const runs = await runsOf(handle.scheduleId);
      expect(runs).toHaveLength(1);
      return runs;
    }, 60_000);
    child.kill('SIGKILL');
    expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await startAttempted(handle.scheduleId)).toBe(true);

    const firing = await recoverBy(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'linked',
      runId: started,
      recovery: { number: 1, reason: 'trigger_lost' },
    });
    expect(await runsOf(handle.scheduleId)).toEqual([started]);
    // It may have ended before what is listed by now.
    const polled = 'select check_at = linked_at as "isDue" from escapement.firings where schedule_id = $1';
    expect(await ledger().query(polled, [handle.scheduleId])).toEqual([{ isDue: true }]);
  });
});

/** Twelve seconds later, let another trigger find what the dead one left. */
async function recoverBy(scheduleId: string) {
  ledger().clock.set('2026-03-01T01:00:12Z');
  const other = await ledger().trigger();
  await other.passes.heartbeat();
  expect((await other.passes.reconcile()).deadTriggers).toHaveLength(1);
  expect(await other.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
  return (await ledger().firings(scheduleId))[0]!;
}

/** Whether the row says that a start was called. A recovery must know that before it abandons anything. */
async function startAttempted(scheduleId: string): Promise<boolean> {
  const [row] = await ledger().query<{ attempted: boolean }>(
    'select start_attempted_at is not null as attempted from escapement.firings where schedule_id = $1',
    [scheduleId],
  );
  return row!.attempted;
}

/** Every run that Temporal has under the firing's workflow ID. */
async function runsOf(scheduleId: string): Promise<string[]> {
  const client = new Client({ connection });
  try {
    const description = await client.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe();
    const runs = [description.runId];
    // REJECT_DUPLICATE allows one run under an ID; visibility would name a second one.
    for await (const run of client.workflow.list({ query: `WorkflowId = '${description.workflowId}'` })) {
      if (!runs.includes(run.runId)) runs.push(run.runId);
    }
    return runs;
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return [];
    throw error;
  }
}
