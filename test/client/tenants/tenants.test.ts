import { Client } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  ApplyRefusedError,
  type EscapementClient,
  InvalidOptionError,
  InvalidScheduleError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  TenantNotFoundError,
  TenantQuotaError,
} from '../../../index';
import { heldStatements, patient, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
let acme: EscapementClient;
let other: EscapementClient;
const operator = () => ledger().client;

beforeEach(() => {
  acme = ledger().newClient({ tenant: 'acme' });
  other = ledger().newClient({ tenant: 'other' });
});

const on = (taskQueue: string, options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ ...options, action: { ...someSchedule().action, taskQueue } });
const declared = (ids: string[]) => ids.map((scheduleId) => someSchedule({ scheduleId }));
const source = { source: 'code', revision: 1 };

async function idsOf(client: EscapementClient) {
  const { schedules } = await client.listPage();
  return schedules.map(({ scheduleId }) => scheduleId);
}

describe('the limits of a tenant', () => {
  it('are all kept if two people set the first ones at once', async () => {
    const first = heldStatements(ledger(), (text) => text.includes('tenant_hours'));
    first.untilClose();
    const held = ledger().newClient({ connectionString: undefined, pool: watchedPool(ledger(), first) });
    const setting = held.tenants.set('acme', { namespaces: ['acme'] });
    await expect.poll(first.held).toBe(1);
    const other = operator().tenants.set('acme', { schedules: 2 });
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await ledger().query(waits)).length).toBe(1);
    first.letGo();
    await Promise.all([setting, other]);
    expect(await operator().tenants.list()).toMatchObject([
      { tenant: 'acme', limits: { namespaces: ['acme'], schedules: 2 } },
    ]);
  });

  it('are changed one by one, and shown with what it has', async () => {
    await acme.create(on('acme-jobs', { scheduleId: 'inside', namespace: 'acme' }));
    await operator().tenants.set('acme', { namespaces: ['acme'], schedules: 2, firingsPerHour: 100 });
    await operator().tenants.set('acme', { taskQueues: ['acme-*'], firingsPerHour: null });
    expect(await operator().tenants.describe('acme')).toMatchObject({
      tenant: 'acme',
      limits: { namespaces: ['acme'], taskQueues: ['acme-*'], schedules: 2, firingsPerHour: null },
      used: { schedules: 1, firingsThisHour: 0 },
      actor: 'test',
      updatedAt: new Date('2026-03-01T00:30:00Z'),
      outside: [],
    });
    await operator().tenants.set('zeta', { schedules: 0 });
    expect((await operator().tenants.list()).map(({ tenant }) => tenant)).toEqual(['acme', 'zeta']);
    await operator().tenants.remove('acme');
    await expect(operator().tenants.describe('acme')).rejects.toThrow(TenantNotFoundError);
    await expect(operator().tenants.remove('acme')).rejects.toThrow(TenantNotFoundError);
  });

  it('are its own to see, and an operator’s alone to set', async () => {
    await operator().tenants.set('acme', { schedules: 1 });
    await operator().tenants.set('other', { schedules: 1 });
    expect((await acme.tenants.list()).map(({ tenant }) => tenant)).toEqual(['acme']);
    expect(await acme.tenants.describe('acme')).toMatchObject({ limits: { schedules: 1 } });
    for (const attempt of [
      () => acme.tenants.set('acme', { schedules: 9 }),
      () => acme.tenants.remove('acme'),
      () => acme.tenants.describe('other'),
      () => acme.tenants.describe('never-was'),
    ]) {
      await expect(attempt()).rejects.toThrow(InvalidOptionError);
    }
    expect(await operator().tenants.describe('acme')).toMatchObject({ limits: { schedules: 1 } });
  });

  it('leave what is there already alone, and name it', async () => {
    const handle = await acme.create(on('jobs', { scheduleId: 'a-outside' }));
    await acme.create(someSchedule({ scheduleId: 'b-elsewhere', namespace: 'shared' }));
    await acme.create(on('acme-jobs', { scheduleId: 'c-inside' }));
    const { outside } = await operator().tenants.set('acme', {
      namespaces: ['default'],
      taskQueues: ['acme-jobs'],
      schedules: 1,
    });
    expect(outside).toEqual([
      { scheduleId: 'a-outside', path: 'action.taskQueue', value: 'jobs' },
      { scheduleId: 'b-elsewhere', path: 'namespace', value: 'shared' },
    ]);
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    expect((await trigger.passes.claim()).claimed).toHaveLength(3);
    await handle.pause();
    await handle.unpause();
    await handle.update((previous) => ({ ...previous, state: { note: 'seen' } }));
    await handle.update((previous) => ({ ...previous, action: { ...previous.action, taskQueue: 'acme-jobs' } }));
    expect((await operator().tenants.describe('acme')).outside).toHaveLength(1);
  });
});

describe('a namespace or a task queue that an operator does not allow the tenant', () => {
  beforeEach(async () => {
    await operator().tenants.set('acme', { namespaces: ['acme', 'acme-*'], taskQueues: ['jobs'] });
  });

  it.each<[string, (client: EscapementClient) => Promise<unknown>]>([
    ['namespace', (client) => client.create(on('jobs', { tenant: 'acme' }))],
    ['namespace', (client) => client.create(on('jobs', { tenant: 'acme', namespace: 'acm' }))],
    ['namespace', (client) => client.create(on('jobs', { tenant: 'acme', namespace: 'acmeX' }))],
    ['action.taskQueue', (client) => client.create(on('job', { tenant: 'acme', namespace: 'acme' }))],
  ])('is refused by its path (%s), whoever registers it', async (path, create) => {
    for (const client of [acme, operator()]) {
      await expect(create(client)).rejects.toThrow(InvalidScheduleError);
      await expect(create(client)).rejects.toMatchObject({ path, message: expect.stringContaining("tenant 'acme'") });
    }
    expect(await idsOf(operator())).toEqual([]);
  });

  it('is none of another tenant’s business, nor of what has no tenant', async () => {
    await other.create(on('any'));
    await operator().create(on('any'));
    await acme.create(on('jobs', { namespace: 'acme' }));
    await acme.create(on('jobs', { namespace: 'acme-prod' }));
    expect(await idsOf(operator())).toHaveLength(4);
  });

  it('is refused to an update, to apply, and where a schedule is created again', async () => {
    const inside = on('jobs', { scheduleId: 'inside', namespace: 'acme' });
    const handle = await acme.create(inside);
    const moved = handle.update((previous) => ({ ...previous, action: { ...previous.action, taskQueue: 'other' } }));
    await expect(moved).rejects.toMatchObject({ path: 'action.taskQueue' });
    await handle.delete();
    await expect(acme.create({ ...inside, namespace: 'shared' })).rejects.toMatchObject({ path: 'namespace' });
    const list = [
      on('jobs', { scheduleId: 'x', namespace: 'acme' }),
      on('other', { scheduleId: 'y', namespace: 'acme' }),
    ];
    const applied = acme.apply(list, source);
    await expect(applied).rejects.toThrow(ApplyRefusedError);
    await expect(applied).rejects.toMatchObject({
      problems: [{ index: 1, scheduleId: 'y', path: 'action.taskQueue' }],
    });
    expect(await idsOf(operator())).toEqual([]);
  });

  it.each(['new', 'deleted', 'changed'])(
    'is refused to apply as one of its problems, if an operator no longer allows it once the list is planned (%s)',
    async (kind) => {
      const before = on('jobs', { scheduleId: 'narrowed', namespace: 'acme' });
      if (kind !== 'new') await acme.apply([before], source);
      if (kind === 'deleted') await acme.getHandle('narrowed').delete();
      const progress = () => operator().tenants.set('acme', { taskQueues: ['others'] });
      const list = [{ ...before, spec: { cron: '7 * * * *' } }];
      const applied = acme.apply(list, { ...source, revision: 2, progress: async () => void (await progress()) });
      await expect(applied).rejects.toThrow(ApplyRefusedError);
      await expect(applied).rejects.toMatchObject({
        problems: [{ index: 0, scheduleId: 'narrowed', path: 'action.taskQueue' }],
      });
      const specs = 'select schedule_id from escapement.schedule_versions where version > 1';
      expect(await ledger().query(specs)).toEqual([]);
      expect(await idsOf(acme)).toEqual(kind === 'changed' ? ['narrowed'] : []);
    },
  );

  it('is refused where a person asks for more of it, and it goes on by its spec', async () => {
    const handle = await acme.create(on('jobs', { scheduleId: 'narrowed', namespace: 'acme' }));
    await operator().tenants.set('acme', { taskQueues: [] });
    const range = { start: new Date('2026-02-01T00:00:00Z'), end: new Date('2026-02-01T03:00:00Z') };
    for (const ask of [
      () => handle.trigger(),
      () => handle.backfill(range),
      () => handle.backfill({ ...range, dryRun: true }),
      () => handle.runAgain('2026-02-01T00:00:00Z'),
    ]) {
      await expect(ask()).rejects.toMatchObject({ path: 'action.taskQueue' });
    }
    expect(await ledger().firings('narrowed')).toEqual([]);
    await expect(
      acme.apply([on('jobs', { scheduleId: 'narrowed', namespace: 'acme' })], { ...source, takeOver: true }),
    ).rejects.toThrow(ApplyRefusedError);
  });
});

describe('a quota of schedules', () => {
  it('refuses one too many, by a typed error, until one is deleted', async () => {
    await operator().tenants.set('acme', { schedules: 2 });
    for (const scheduleId of ['one', 'two']) await acme.create(someSchedule({ scheduleId }));
    const third = () => acme.create(someSchedule({ scheduleId: 'three', state: { triggerImmediately: true } }));
    await expect(third()).rejects.toThrow(TenantQuotaError);
    await expect(third()).rejects.toMatchObject({ tenant: 'acme', limit: 2, live: 2, more: 1 });
    await expect(operator().create(someSchedule({ tenant: 'acme' }))).rejects.toThrow(TenantQuotaError);
    await expect(acme.getHandle('three').describe()).rejects.toThrow(ScheduleNotFoundError);
    await other.create(someSchedule());
    await acme.getHandle('one').delete();
    await third();
    await expect(acme.create(someSchedule({ scheduleId: 'one' }))).rejects.toThrow(TenantQuotaError);
  });

  it('needs no place for a schedule that is there already, which create names and apply leaves unchanged', async () => {
    await operator().tenants.set('acme', { schedules: 2 });
    const applied = await acme.apply(declared(['one', 'two']), {
      ...source,
      progress: async ({ written }) => {
        if (written === 0)
          await ledger()
            .newClient({ tenant: 'acme' })
            .apply(declared(['one', 'two']), source);
      },
    });
    expect(applied).toMatchObject({ status: 'applied', created: [], unchanged: ['one', 'two'] });
    await operator().tenants.set('acme', { schedules: 1 });
    await expect(acme.create(someSchedule({ scheduleId: 'one' }))).rejects.toThrow(ScheduleAlreadyRunning);
    await expect(acme.create(someSchedule({ scheduleId: 'three' }))).rejects.toThrow(TenantQuotaError);
  });

  it('gives the last place to one of many that create at once', async () => {
    await operator().tenants.set('acme', { schedules: 3 });
    const of = (tenant?: string) => ledger().newClient({ ...patient(ledger()), ...(tenant && { tenant }) });
    const clients = [of('acme'), of('acme'), of()];
    const attempts = Array.from({ length: 9 }, (_, index) =>
      clients[index % 3]!.create(someSchedule({ tenant: 'acme' })).then(
        () => 'created',
        (error) => error.name,
      ),
    );
    const ends = await Promise.all(attempts);
    expect(ends.filter((end) => end === 'created')).toHaveLength(3);
    expect(ends.filter((end) => end === 'TenantQuotaError')).toHaveLength(6);
    expect(await idsOf(acme)).toHaveLength(3);
  });

  it('counts what a transaction of the caller’s has created, and gives it back with a rollback', async () => {
    await operator().tenants.set('acme', { schedules: 1 });
    const transaction = new Client({ connectionString: ledger().databaseUrl });
    await transaction.connect();
    ledger().beforeClose(() => transaction.end());
    await transaction.query('begin');
    await acme.create(someSchedule(), { transaction });
    await expect(acme.create(someSchedule(), { transaction })).rejects.toThrow(TenantQuotaError);
    await transaction.query('rollback');
    await acme.create(someSchedule());
  });

  it('holds for apply as a whole: what it prunes makes room for what is new', async () => {
    await operator().tenants.set('acme', { schedules: 3 });
    await acme.apply(declared(['a', 'b', 'c']), source);
    const tooMany = acme.apply(declared(['a', 'b', 'c', 'd']), { ...source, revision: 2 });
    await expect(tooMany).rejects.toMatchObject({ name: 'TenantQuotaError', limit: 3, live: 3, more: 1 });
    const planned = acme.apply(declared(['a', 'b', 'c', 'd']), { ...source, revision: 2, dryRun: true });
    await expect(planned).rejects.toThrow(TenantQuotaError);
    expect(await idsOf(acme)).toEqual(['a', 'b', 'c']);
    await acme.apply(declared(['d', 'e', 'f']), { ...source, revision: 3, prune: true, pruneAtMost: 3 });
    expect(await idsOf(acme)).toEqual(['d', 'e', 'f']);
    // Back to life, two of them.
    await acme.apply(declared(['a', 'b', 'f']), { ...source, revision: 4, prune: true, pruneAtMost: 3 });
    expect(await idsOf(acme)).toEqual(['a', 'b', 'f']);
  });
});
