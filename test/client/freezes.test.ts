import { expect, it } from 'vitest';
import { FreezeNotFoundError, ScheduleFrozenError, ScheduleNotFoundError } from '../../index';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);

it('a dry run lists what it would hold back, and writes nothing', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'hourly' }));
  await client.create(someSchedule({ scheduleId: 'daily', spec: { cron: '0 12 * * *' } }));
  await client.create(someSchedule({ scheduleId: 'paused', state: { paused: true } }));
  const resting = await client.create(someSchedule({ scheduleId: 'resting' }));
  await resting.pause({ until: time('03:30:00') });
  const planned = await client.freezes.create({
    all: true,
    from: time('02:00:00'),
    to: time('05:00:00'),
    dryRun: true,
  });
  expect(planned).toMatchObject({
    schedules: 4,
    handedOver: [],
    frozen: [
      { scheduleId: 'daily', occurrences: 0 },
      { scheduleId: 'hourly', occurrences: 3, first: time('02:00:00'), last: time('04:00:00') },
      { scheduleId: 'paused', occurrences: 0 },
      { scheduleId: 'resting', occurrences: 1, first: time('04:00:00'), last: time('04:00:00') },
    ],
  });
  expect(await client.freezes.list()).toEqual([]);
});

it('a dry run with scheduleIds reads no other schedule', async () => {
  for (const scheduleId of ['other', 'named']) await ledger().client.create(someSchedule({ scheduleId }));
  const unnamed: string[] = [];
  const before = (text: string, values: unknown[]) => {
    if (text.includes('"schedules" s') && !JSON.stringify(values).includes('named')) unnamed.push(text);
  };
  const pool = watchedPool(ledger(), { before });
  const client = ledger().newClient({ connectionString: undefined as never, pool });
  const planned = { scheduleIds: ['named', 'missing'], to: time('05:00:00'), dryRun: true };
  expect(await client.freezes.create(planned)).toMatchObject({ schedules: 1, frozen: [{ scheduleId: 'named' }] });
  expect(unnamed).toEqual([]);
});

it('a freeze is listed while it is in force or to come, shown for ever, and ended once', async () => {
  const { client } = ledger();
  const { freeze } = await client.freezes.create({ source: 'billing', to: time('05:00:00'), note: 'release 12' });
  expect(freeze).toMatchObject({
    from: time('00:30:00'),
    catchUp: 'NONE',
    actor: 'test',
    source: 'billing',
    tenant: null,
  });
  expect(await client.freezes.list()).toEqual([freeze]);
  ledger().clock.set('2026-03-01T03:00:00Z');
  const ended = await client.freezes.end(freeze.freezeId!);
  expect(ended).toEqual({ ...freeze, endedAt: time('03:00:00'), endedBy: 'test' });
  expect(await client.freezes.list()).toEqual([]);
  expect(await client.freezes.list({ ended: true })).toEqual([ended]);
  expect(await client.freezes.get(freeze.freezeId!)).toEqual(ended);
  await expect(client.freezes.end(freeze.freezeId!)).rejects.toThrow('is over already');
  for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
    await expect(client.freezes.get(id)).rejects.toThrow(FreezeNotFoundError);
  }
});

it('explain names the freeze of an occurrence that it holds, will hold and has held', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ scheduleId: 'hourly' }));
  const { freeze } = await client.freezes.create({
    all: true,
    from: time('02:00:00'),
    to: time('05:00:00'),
    note: 'release 12',
  });
  const named = `freeze ${freeze.freezeId} ('release 12') from Sun 2026-03-01 02:00:00 +00:00 to Sun 2026-03-01 05:00:00 +00:00`;
  const ahead = await handle.explain(time('03:00:00'));
  expect(ahead).toMatchObject({ answer: 'not_yet', because: 'frozen', freeze, checkAt: time('05:00:00') });
  expect(ahead.sentence).toContain(
    `it is held back by ${named}; it will not fire, and a gap 'frozen' will record that`,
  );
  expect(await handle.explain(time('05:00:00'))).toMatchObject({ because: 'ahead' });
  expect((await handle.describe()).info).not.toHaveProperty('frozen');
  clock.set('2026-03-01T03:30:00Z');
  const frozen = { freezeId: freeze.freezeId, until: time('05:00:00'), note: 'release 12' };
  expect((await handle.describe()).info).toMatchObject({ frozen });
  clock.set('2026-03-01T05:00:00Z');
  await (await ledger().trigger()).passes.claim();
  const held = await handle.explain(time('03:00:00'));
  expect(held).toMatchObject({ answer: 'gap', freeze, gap: { reason: 'frozen', count: 3 } });
  expect(held.sentence).toContain(
    `it did not fire, because the schedule was frozen by ${named}; the gap has 3 occurrences`,
  );
});

it.each([
  ['that is over', '06:00:00', false],
  ['that a person has ended', '04:00:00', true],
])('of what was held by a freeze %s, explain says why no trigger answers it', async (_, at, isEnded) => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule());
  const span = { from: time('02:00:00'), to: time('05:00:00') };
  const { freeze } = await client.freezes.create({ all: true, ...span, catchUp: 'ALL' });
  clock.set(`2026-03-01T${at}Z`);
  if (isEnded) await client.freezes.end(freeze.freezeId!);
  const explained = await handle.explain(time('03:00:00'));
  expect(explained).toMatchObject({ because: 'due', cause: { kind: 'no_trigger' } });
  expect(explained).toHaveProperty('freeze.freezeId', freeze.freezeId);
  expect(explained.sentence).toMatch(
    /it was held back by freeze .*; after that, it is due; no trigger has decided that yet: no trigger is alive/,
  );
});

it('what a person asks for while a freeze holds the schedule is refused, unless that is meant', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ scheduleId: 'hourly' }));
  await (await ledger().trigger()).passes.claim();
  const { freeze } = await client.freezes.create({ all: true, to: time('05:00:00') });
  clock.set('2026-03-01T02:30:00Z');
  const range = { start: '2026-02-28T01:00:00Z', end: '2026-02-28T03:00:00Z' };
  for (const call of [() => handle.trigger(), () => handle.backfill(range), () => handle.runAgain(time('01:00:00'))]) {
    const error = await call().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ScheduleFrozenError);
    expect(error).toMatchObject({ scheduleId: 'hourly', freezeId: freeze.freezeId, until: time('05:00:00') });
  }
  expect(await ledger().firings('hourly')).toEqual([]);
  await handle.backfill({ ...range, dryRun: true });
  await handle.trigger({ duringFreeze: true });
  await handle.backfill({ ...range, duringFreeze: true });
  await (await ledger().trigger()).passes.claim();
  expect((await ledger().firings('hourly')).map(({ kind, state }) => [kind, state])).toContainEqual([
    'manual',
    'claimed',
  ]);
});

it('a schedule to create with a backfill is refused while a freeze would hold it, and nothing is written', async () => {
  const { client } = ledger();
  const backfill = [{ start: time('00:00:00'), end: time('00:20:00') }];
  const every = someSchedule({ scheduleId: 'every', spec: { cron: '*/10 * * * *' }, state: { backfill } });
  const { freeze } = await client.freezes.create({ query: `scheduleId = 'every'`, to: time('05:00:00') });
  const refused = { name: 'ScheduleFrozenError', scheduleId: 'every', freezeId: freeze.freezeId };
  await expect(client.create(every)).rejects.toMatchObject(refused);
  expect(await ledger().query('select schedule_id from escapement.schedules')).toEqual([]);
  await client.create({ ...every, scheduleId: 'other' });
  await client.freezes.end(freeze.freezeId!);
  const handle = await client.create(every);
  await handle.delete();
  await client.freezes.create({ all: true, to: time('05:00:00') });
  await expect(client.create(every)).rejects.toThrow('is frozen until');
  await expect(handle.describe()).rejects.toThrow(ScheduleNotFoundError);
  expect(await ledger().firings('every')).toHaveLength(3);
});

it('a freeze that begins once a schedule is created does not make its create fail, and its backfill fires', async () => {
  const backfill = [{ start: time('00:00:00'), end: time('00:20:00') }];
  let isFrozen = false;
  const pool = watchedPool(ledger(), {
    // The first statement after the commit.
    before: async () => {
      if (isFrozen || (await ledger().query('select 1 from escapement.schedules')).length === 0) return;
      isFrozen = true;
      await ledger().client.freezes.create({ all: true, to: time('05:00:00') });
    },
  });
  const client = ledger().newClient({ connectionString: undefined, pool });
  await client.create(someSchedule({ scheduleId: 'every', spec: { cron: '*/10 * * * *' }, state: { backfill } }));
  expect(isFrozen).toBe(true);
  expect(await ledger().firings('every')).toHaveLength(3);
});

it('a client of one tenant freezes its own schedules, and sees of another’s freeze only that it holds them', async () => {
  const acme = ledger().newClient({ tenant: 'acme' });
  const handle = await acme.create(someSchedule({ scheduleId: 'hourly' }));
  await ledger().client.create(someSchedule({ scheduleId: 'other', tenant: 'beta' }));
  const own = await acme.freezes.create({ all: true, to: time('02:00:00') });
  expect(own).toMatchObject({ schedules: 1, freeze: { tenant: 'acme' } });
  const all = await ledger().client.freezes.create({
    scheduleIds: ['hourly', 'other'],
    query: "tenant IN ('acme', 'beta')",
    from: time('03:00:00'),
    to: time('04:00:00'),
    note: 'secret',
  });
  expect(await acme.freezes.list()).toEqual([own.freeze]);
  await expect(acme.freezes.get(all.freeze.freezeId!)).rejects.toThrow(FreezeNotFoundError);
  await expect(acme.freezes.end(all.freeze.freezeId!)).rejects.toThrow(FreezeNotFoundError);
  const explained = await handle.explain(time('03:00:00'));
  expect(explained).toMatchObject({ because: 'frozen', freeze: { note: null } });
  for (const ofOthers of ['secret', 'other', 'beta']) expect(JSON.stringify(explained)).not.toContain(ofOthers);
  await expect(acme.freezes.create({ tenant: 'beta', to: time('02:00:00') })).rejects.toMatchObject({ path: 'tenant' });
});

it('a freeze that cannot be, or that an old trigger would not keep to, is refused, and nothing is written', async () => {
  const { client } = ledger();
  const to = time('05:00:00');
  for (const [options, path] of [
    [{ to }, 'all'],
    [{ to, all: true, source: 'billing' }, 'all'],
    [{ all: true, to: time('00:30:00') }, 'to'],
    [{ all: true, from: time('06:00:00'), to }, 'to'],
    [{ all: true, to, catchUp: 'SOME' }, 'catchUp'],
    [{ all: true, to, sources: 'billing' }, 'sources'],
  ] as const) {
    await expect(client.freezes.create(options as never)).rejects.toMatchObject({ path });
  }
  await expect(client.freezes.create({ query: 'paused = 7', to })).rejects.toThrow(/paused/);
  await expect(client.freezes.create({ query: 'Tem = 5', to })).rejects.toThrow(/no schedule has a search attribute/);
  const long = `note = '${'x'.repeat(993)}'`;
  await expect(client.freezes.create({ query: long, to })).rejects.toMatchObject({
    name: 'InvalidQueryError',
    position: 1_001,
  });
  await (await ledger().trigger()).passes.heartbeat();
  await ledger().query('update escapement.triggers set schema_version = 32, heartbeat_at = $1', [time('00:30:00')]);
  await expect(client.freezes.create({ all: true, to })).rejects.toThrow(/knows no freezes; upgrade it first/);
  expect(await client.freezes.list({ ended: true })).toEqual([]);
});

it('a freeze whose schedules cannot be counted is not in force', async () => {
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('count(*)') && text.includes('schedule_versions')) throw new Error('cannot be counted');
    },
  });
  const client = ledger().newClient({ connectionString: undefined, pool });
  await expect(client.freezes.create({ all: true, to: time('05:00:00') })).rejects.toThrow('cannot be counted');
  expect(await client.freezes.list({ ended: true })).toEqual([]);
});

it('a tenant has at most 100 freezes that are not over, and those of others do not count', async () => {
  const { client } = ledger();
  const acme = ledger().newClient({ tenant: 'acme' });
  const to = time('05:00:00');
  const { freeze } = await acme.freezes.create({ all: true, to });
  await ledger().query(`insert into escapement.freezes select (jsonb_populate_record(f, jsonb_build_object(
    'freeze_id', gen_random_uuid()))).* from escapement.freezes f, generate_series(1, 99)`);
  for (const dryRun of [false, true]) {
    await expect(acme.freezes.create({ all: true, to, dryRun })).rejects.toMatchObject({
      path: 'to',
      message: expect.stringContaining('100 freezes of tenant "acme" are in force or planned'),
    });
  }
  await client.freezes.create({ tenant: 'beta', to });
  await client.freezes.create({ all: true, to });
  await acme.freezes.end(freeze.freezeId!);
  const both = await Promise.allSettled([1, 2].map(() => acme.freezes.create({ all: true, to })));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await client.freezes.list({ ended: true, limit: 1_000 })).toHaveLength(103);
});

it('a tenant has at most 1,000 freezes that ended within a week, and may have more of them a week later', async () => {
  const acme = ledger().newClient({ tenant: 'acme' });
  const { freeze } = await acme.freezes.create({ all: true, to: time('05:00:00') });
  await acme.freezes.end(freeze.freezeId!);
  await ledger().query(`insert into escapement.freezes select (jsonb_populate_record(f, jsonb_build_object(
    'freeze_id', gen_random_uuid(), 'ended_at', f.ended_at + interval '1 second'))).* from escapement.freezes f, generate_series(1, 999)`);
  ledger().clock.advance(60_000);
  const to = new Date('2027-01-01Z');
  await expect(acme.freezes.create({ all: true, to })).rejects.toThrow(
    '1000 freezes of tenant "acme" have ended within the last seven days',
  );
  await ledger().client.freezes.create({ tenant: 'beta', to });
  ledger().clock.advance(7 * 86_400_000);
  await acme.freezes.create({ all: true, to });
});

it('the command freezes, lists, shows and ends, and says beforehand what it would hold back', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'hourly' }));
  const at = ['--database-url', ledger().databaseUrl];
  const from = new Date((Math.ceil(Date.now() / 3_600_000) + 1) * 3_600_000 + 1);
  const to = new Date(from.getTime() + 3 * 3_600_000);
  const scope = ['--schedule', 'hourly', '--from', from.toISOString(), '--to', to.toISOString()];
  const dry = await runCommand(['freeze', ...scope, '--dry-run', ...at]);
  expect(dry.stdout).toMatch(/this would freeze 1 schedule and hold back 3 occurrences\.\nSCHEDULE .*\nhourly +3 /);
  const frozen = await runCommand(['freeze', ...scope, '--catch-up', 'last', '--note', 'release 12', ...at]);
  const freezeId = /^Freeze ([0-9a-f-]{36}) of schedule 'hourly' holds 1 schedule from /.exec(frozen.stdout)?.[1];
  expect((await runCommand(['freeze', 'list', ...at])).stdout).toContain(freezeId);
  expect((await runCommand(['freeze', 'show', freezeId!, ...at])).stdout).toMatch(
    /catch-up +last[\s\S]*why +release 12/,
  );
  expect((await runCommand(['freeze', 'end', freezeId!, ...at])).stdout).toBe(
    `Freeze ${freezeId} of schedule 'hourly' is over.`,
  );
  expect((await runCommand(['freeze', 'list', '--json', ...at])).stdout).toBe('');
  expect((await runCommand(['freeze', ...at])).code).not.toBe(0);
});
