import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { migrate, migrations, SCHEMA_VERSION } from '../../migrations';
import { migrateBy } from '../../migrations/migrate';
import { step } from '../../migrations/migration';
import { openStore } from '../../store/connection';
import { handOverToVersionBefore } from '../../store/firings/let-wait';
import { DatabaseClock } from '../../trigger/clock';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';
import { PREVIOUS_SCHEMA_VERSION, previousVersion, startPass, triggerOf } from '../support/packages/previous';
import { runNode } from '../support/processes/child';

// The version before is real: as it was packed, on the ledger beside this one.
const previous = previousVersion();
afterAll(() => previous.remove());
const ledger = useLedger();

const connection = () => ({ address: inject('temporalAddress') });
const previousClient = (now?: () => Date) => {
  const client = new previous.client.EscapementClient({ connectionString: ledger().databaseUrl, identity: 'old', now });
  ledger().beforeClose(() => client.close());
  return client;
};

const previousTrigger = () => triggerOf(previous, ledger());

describe('a trigger of the version before', () => {
  it('and one of this version fire side by side through a migration: none is lost or doubled', async () => {
    await ledger().query('drop schema escapement cascade');
    await previous.migrations.migrate({ connectionString: ledger().databaseUrl });
    const workflowType = uniqueName('side-by-side');
    const { scheduleId } = await previousClient().create(
      someSchedule({
        spec: { cron: '* * * * * *' },
        action: { type: 'startWorkflow', workflowType, taskQueue: 'nobody-polls' },
        policies: { overlap: 'ALLOW_ALL' },
      }),
    );
    const old = runNode([previous.command, 'run'], {
      DATABASE_URL: ledger().databaseUrl,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
    });
    await old.line(/"msg":"linked"/);
    expect(await migrate({ connectionString: ledger().databaseUrl })).toEqual(
      Object.keys(migrations('escapement')).slice(PREVIOUS_SCHEMA_VERSION),
    );
    const firedBefore = old.output.length;
    await vi.waitFor(() => expect(old.output.slice(firedBefore).join()).toMatch(/"msg":"linked"/), 60_000);

    const logger = new MemoryLogger();
    const own = await ledger().trigger({ clock: new DatabaseClock(), logger });
    const running = own.run();
    try {
      await vi.waitFor(async () => {
        expect(await ledger().query('select from escapement.triggers')).toHaveLength(2);
      }, 60_000);
      const together = (await firings(scheduleId)).length;
      await vi.waitFor(async () => expect((await firings(scheduleId)).length).toBeGreaterThan(together + 3), 60_000);
      old.kill('SIGKILL');
      await old.ended();
      await vi.waitFor(() => expect(logger.messages()).toContain('linked'), 60_000);
      // The claims of the dead trigger are recovered too; after a pause of the schedule they would be abandoned.
      await vi.waitFor(async () => {
        const ofDead = `state = 'claimed' and (owner <> $1 or recovery is not null)`;
        expect(await ledger().query(`select from escapement.firings where ${ofDead}`, [own.id])).toEqual([]);
      }, 60_000);
      await previousClient().getHandle(scheduleId).pause();
      await vi.waitFor(async () => {
        expect((await firings(scheduleId)).filter((firing) => firing.state !== 'linked')).toEqual([]);
      }, 60_000);
    } finally {
      own.shutdown();
      await running;
    }

    const fired = await firings(scheduleId);
    const seconds = fired.map((firing) => Math.round(firing.at.getTime() / 1_000));
    expect(seconds).toEqual(fired.map((_, index) => seconds[0]! + index));
    expect(await ledger().query(`select from escapement.gaps where reason <> 'paused'`)).toEqual([]);
    expect(new Set(fired.map((firing) => firing.run)).size).toBe(fired.length);
    const temporal = new Client({ connection: await Connection.connect(connection()) });
    ledger().beforeClose(() => temporal.connection.close());
    await vi.waitFor(async () => {
      const { count } = await temporal.workflow.count(`WorkflowType = '${workflowType}'`);
      expect(count).toBe(fired.length);
    }, 60_000);
  });

  it('is started on the migrated schema, where the program is rolled back, and makes all its passes', async () => {
    const { clock } = ledger();
    await ledger().client.create(someSchedule());
    const own = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await own.passes.heartbeat();
    await own.passes.claim();
    await own.passes.dispatch();

    // The old version ignores what it does not know.
    await ledger().client.settings.set({ staleAfter: '1 minute', retention: '1 year' });
    clock.set('2026-03-01T02:00:00Z');
    const old = await previousTrigger();
    await old.passes.heartbeat();
    expect((await old.passes.claim()).claimed).toHaveLength(0);
    await old.passes.verify();
    await old.passes.sweep();
    await old.passes.reconcile();
    await old.passes.interrupt();
    await old.passes.observe();
    await old.passes.reset();
    await old.passes.redrive();
    await old.passes.adopt();
    await own.passes.heartbeat();
    await own.passes.observe();
  });

  it('starts what this version has claimed and not announced, where the program is rolled back', async () => {
    const { clock } = ledger();
    const { scheduleId } = await ledger().client.create(someSchedule());
    const own = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await own.passes.claim();
    const old = await previousTrigger();
    await old.passes.heartbeat();
    expect((await old.passes.reconcile()).taken).toBe(0);

    // As the last trigger of this version does when it stops.
    const store = openStore({ connectionString: ledger().databaseUrl });
    expect(await handOverToVersionBefore(store, new Date(clock.now()))).toBe(1);
    await store.close();
    expect((await old.passes.reconcile()).taken).toBe(1);
    expect((await startPass(old)).linked).toBe(1);
    expect(await ledger().firings(scheduleId)).toMatchObject([{ state: 'linked' }]);
  });

  it('records what fails as a dead letter, which both versions read and act on', async () => {
    const { clock } = ledger();
    const client = previousClient(() => new Date(clock.now()));
    const handle = await client.create(
      someSchedule({
        action: {
          type: 'startWorkflow',
          workflowType: 'nobodyRuns',
          taskQueue: 'nobody-polls',
          workflowExecutionTimeout: '1 second',
        },
      }),
    );
    const old = await previousTrigger();
    for (const [hour, mode] of [
      ['01', 'discard'],
      ['02', 'discard by this version'],
    ]) {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      await old.passes.claim();
      await startPass(old);
      await vi.waitFor(async () => {
        clock.advance(60_000);
        await old.passes.observe();
        const open = `select from escapement.dead_letters where state = 'open'`;
        expect(await ledger().query(open)).toHaveLength(1);
      }, 60_000);
      const [letter] = await lettersOf(client, handle.scheduleId);
      const [same] = await lettersOf(ledger().client, handle.scheduleId);
      expect(same).toMatchObject({ letterId: letter!.letterId, scheduledTime: letter!.scheduledTime, state: 'open' });
      if (mode === 'discard') await client.deadLetters.discard(letter!.letterId, { note: 'paid by hand' });
      else await ledger().client.deadLetters.discard(letter!.letterId, { note: 'paid by hand' });
    }
    const states = await ledger().query('select state from escapement.dead_letters');
    expect(states).toEqual([{ state: 'discarded' }, { state: 'discarded' }]);
  });

  it('is told to leave the schema as it is where its own migration is run again', async () => {
    const again = runNode([previous.command, 'db', 'migrate'], { DATABASE_URL: ledger().databaseUrl });
    expect(await again.ended()).toEqual({ code: 1, signal: null });
    expect(again.errors).toEqual([expect.stringMatching(/was migrated by a newer program .*0010-programs/)]);
  });
});

it('a client of the version before does its work on the migrated schema', async () => {
  const client = previousClient(() => new Date(ledger().clock.now()));
  const handle = await client.create(someSchedule());
  await handle.pause('for a while');
  await handle.unpause();
  await handle.update((schedule) => ({ ...schedule, policies: { catchupLimit: 3 } }));
  await handle.trigger();
  await handle.backfill({ start: new Date('2026-02-28T00:00:00Z'), end: new Date('2026-02-28T01:00:00Z') });
  await handle.exclude('2026-03-01T05:00:00Z');
  await handle.explain('2026-03-01T05:00:00Z');
  await client.stats();
  await client.apply([someSchedule()], { source: 'billing', revision: 1 });
  for await (const listed of client.list()) expect(listed.scheduleId).toBeDefined();
  expect((await ledger().client.getHandle(handle.scheduleId).describe()).scheduleId).toBe(handle.scheduleId);
  await handle.delete();
});

describe('a migration that takes something away', () => {
  const contract = (oldestProgram: number, force?: boolean) =>
    migrateBy(
      (schema) => ({
        ...migrations(schema),
        '0999-contract': { oldestProgram, steps: [step(sql`alter table escapement.triggers drop column tz`)] },
      }),
      { connectionString: ledger().databaseUrl, force },
    );
  const schemaState = () => ledger().query(`select value from escapement.meta where key = 'schema'`);

  it('is refused while a trigger of the version before is alive, unless it is forced', async () => {
    const old = runNode([previous.command, 'run'], {
      DATABASE_URL: ledger().databaseUrl,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
    });
    await old.line(/trigger running/);
    await vi.waitFor(
      async () => expect(await ledger().query('select from escapement.triggers')).toHaveLength(1),
      60_000,
    );
    const before = await schemaState();
    await expect(contract(SCHEMA_VERSION)).rejects.toMatchObject({
      name: 'SchemaInUseError',
      message: expect.stringMatching(
        /after 0999-contract, these live triggers are too old: .* \(escapement 0\.1\.0 on .*\); stop them first/,
      ),
    });
    expect(await schemaState()).toEqual(before);
    expect(await contract(SCHEMA_VERSION, true)).toEqual(['0999-contract']);
    await expect(previousTrigger()).rejects.toMatchObject({ name: 'SchemaTooNewError' });
  });

  it('takes no notice of triggers that are as new as it asks for, or dead', async () => {
    const own = await ledger().trigger({ clock: new DatabaseClock() });
    await own.passes.heartbeat();
    await ledger().query(`insert into escapement.triggers (id, host, version, heartbeat_at)
      values (gen_random_uuid(), 'gone', '0.1.0', now() - interval '1 minute')`);
    expect(await contract(SCHEMA_VERSION)).toEqual(['0999-contract']);
  });
});

async function firings(scheduleId: string) {
  return ledger().query<{ at: Date; run: string; state: string }>(
    `select scheduled_time as at, run_id as run, state from escapement.firings where schedule_id = $1 order by 1`,
    [scheduleId],
  );
}

async function lettersOf(
  client: { deadLetters: ReturnType<typeof ledger>['client']['deadLetters'] },
  scheduleId: string,
) {
  const letters = [];
  for await (const letter of client.deadLetters.list({ scheduleId, state: 'open' })) letters.push(letter);
  return letters;
}
