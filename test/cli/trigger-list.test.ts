import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../migrations';
import { DatabaseClock } from '../../trigger/clock';
import { version } from '../../version';
import { useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });

it('trigger list shows which triggers are alive, where, of which version and with which time zone data', async () => {
  expect(await escapement('trigger', 'list', '--json')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No trigger is alive: nothing fires.',
  });
  const trigger = await ledger().trigger({
    clock: new DatabaseClock(),
    maxStartsPerSecond: { taskQueues: { reports: 3 } },
  });
  await trigger.passes.heartbeat();
  // It stays alive for as long as the commands below take.
  await ledger().query(`update escapement.triggers set heartbeat_at = now() + interval '1 minute'`);
  await ledger().query(`insert into escapement.triggers values
    (gen_random_uuid(), 'dead', '0.0.1', now() - interval '11 seconds'),
    (gen_random_uuid(), 'older', '0.0.1', now() + interval '1 hour')`);

  const lines = (await escapement('trigger', 'list', '--json')).stdout.split('\n').map((line) => JSON.parse(line));
  const { tz, icu } = process.versions;
  expect(lines).toEqual([
    expect.objectContaining({
      host: 'older',
      version: '0.0.1',
      schemaVersion: 9,
      tz: null,
      icu: null,
      startCaps: null,
    }),
    {
      id: trigger.id,
      host: hostname(),
      version,
      schemaVersion: SCHEMA_VERSION,
      tz,
      icu,
      heartbeatAt: expect.any(String),
      startCaps: [{ taskQueue: 'reports', perSecond: 3 }],
      fullCaps: [],
    },
  ]);
  const table = (await escapement('trigger', 'list')).stdout.split('\n');
  expect(table[0]).toBe(table[0]!.match(/HOST +VERSION +SCHEMA +ZONE DATA +LAST HEARTBEAT +CAPS +TRIGGER/)?.[0]);
  expect(table).toHaveLength(3);
  expect(table[2]).toContain("task queue 'reports' 3/s");
});

it('client.triggers() reckons by the clock of the client', async () => {
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  expect(await ledger().client.triggers()).toMatchObject([
    { id: trigger.id, heartbeatAt: new Date('2026-03-01T00:30:00Z') },
  ]);
  ledger().clock.advance(10_000);
  expect(await ledger().client.triggers()).toEqual([]);
});
