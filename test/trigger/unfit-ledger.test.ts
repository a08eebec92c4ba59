import { describe, expect, inject, it } from 'vitest';
import { EscapementClient } from '../../index';
import { Trigger } from '../../trigger';
import { DatabaseClock } from '../../trigger/clock';
import { everySecond, someSchedule, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';

// These tests run real loops on the real clock, and wait for events, however long they take.
const ledger = useLedger();

describe('a trigger that the schema leaves behind while it runs', () => {
  const leaveBehind = () =>
    ledger().query(`update escapement.meta set value = '{"version": 700, "oldestProgram": 300}' where key = 'schema'`);
  const message = /is at version 700, for programs of schema version 300 or newer/;

  it('stops claiming, links what it has begun and exits 3 with one sentence', async () => {
    await ledger().newClient({ now: undefined }).create(everySecond());
    const trigger = runCli(['run'], {
      DATABASE_URL: ledger().databaseUrl,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
    });
    await trigger.line(/"msg":"linked"/);
    await leaveBehind();
    expect(await trigger.ended()).toEqual({ code: 3, signal: null });
    expect(trigger.errors).toEqual([expect.stringMatching(message)]);
    expect(trigger.output.join()).toContain('the schema is too new for this trigger; it stops');
    expect(await ledger().query('select from escapement.triggers')).toEqual([]);
    // One that it had announced and not called yet is left to another trigger, as one that nobody has called.
    const begun = `select from escapement.firings where first_attempted_at is not null and state = 'claimed'`;
    expect(await ledger().query(begun)).toEqual([]);
    expect(trigger.output.at(-1)).toMatch(/trigger stopped/);
  });

  it('before its first heartbeat claims nothing', async () => {
    await ledger().newClient({ now: undefined }).create(everySecond());
    const trigger = await ledger().trigger({ clock: new DatabaseClock() });
    await leaveBehind();
    await expect(trigger.run()).rejects.toMatchObject({
      name: 'SchemaTooNewError',
      message: expect.stringMatching(message),
    });
    expect(trigger.getState()).toBe('STOPPED');
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
  });
});

describe('a program on a ledger that does not fit', () => {
  it('says what to do: not migrated', async () => {
    const options = { connectionString: ledger().databaseUrl, schema: 'elsewhere' };
    const message =
      "the database has no Escapement schema 'elsewhere'; run 'escapement db migrate --schema elsewhere' first";
    await expect(Trigger.create(options)).rejects.toMatchObject({ name: 'SchemaNotMigratedError', message });
    const client = new EscapementClient(options);
    await expect(client.create(someSchedule())).rejects.toMatchObject({ name: 'SchemaNotMigratedError', message });
    await client.close();
  });

  it('says what to do: migrated by a newer program', async () => {
    await ledger().query(
      `update escapement.meta set value = '{"version": 700, "oldestProgram": 300}' where key = 'schema'`,
    );
    const message = expect.stringMatching(/version 700.*upgrade the escapement package$/);
    await expect(ledger().trigger()).rejects.toMatchObject({ name: 'SchemaTooNewError', message });
    await expect(ledger().client.create(someSchedule())).rejects.toMatchObject({ name: 'SchemaTooNewError', message });
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
  });

  it('goes on with a newer schema that still admits it', async () => {
    await ledger().query(
      `update escapement.meta set value = '{"version": 700, "oldestProgram": 1}' where key = 'schema'`,
    );
    await ledger().client.create(someSchedule());
    expect((await (await ledger().trigger()).passes.claim()).claimed).toEqual([]);
  });
});
