import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ApplyOptions,
  DeadLetterNotFoundError,
  type EscapementClient,
  InvalidOptionError,
  InvalidScheduleError,
  ScheduleAlreadyRunning,
  type ScheduleHandle,
  ScheduleNotFoundError,
} from '../../../index';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
let acme: EscapementClient;
let other: EscapementClient;

/** Two tenants with a schedule, a firing and a dead letter each. */
beforeEach(async () => {
  acme = ledger().newClient({ tenant: 'acme' });
  other = ledger().newClient({ tenant: 'other' });
  await acme.create(someSchedule({ scheduleId: 'acme-nightly' }));
  await other.create(someSchedule({ scheduleId: 'other-nightly', tenant: 'other' }));
  for (const id of ['acme-nightly', 'other-nightly']) {
    const { scheduledTime } = await ledger().client.getHandle(id).trigger('ALLOW_ALL');
    await ledger().query(
      `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
       values ($1, $2, $3, 0, 'start', 'start_rejected', 'default', now(), now())`,
      [randomUUID(), id, scheduledTime],
    );
  }
});

async function idsOf(items: AsyncIterable<{ scheduleId: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { scheduleId } of items) found.push(scheduleId);
  return found.sort();
}

async function letterOf(client: EscapementClient) {
  for await (const letter of client.deadLetters.list()) return letter;
  throw new Error('no letter');
}

it('a client of schedules without a tenant finds their sources by name', async () => {
  const billing = { source: 'billing', revision: 1 };
  await ledger().client.apply([someSchedule({ scheduleId: 'nobodys' })], billing);
  await acme.apply([someSchedule({ scheduleId: 'acme-billing' })], billing);
  const nobody = ledger().newClient({ tenant: '' });
  expect(await idsOf(nobody.list({ source: 'billing' }))).toEqual(['nobodys']);
  expect(await idsOf(nobody.list({ query: "source = 'billing'" }))).toEqual(['nobodys']);
  const to = new Date('2026-03-01T05:00:00Z');
  expect(await nobody.freezes.create({ query: "source = 'billing'", to })).toMatchObject({ schedules: 1 });
  expect(await nobody.freezes.create({ source: 'billing', to })).toMatchObject({
    schedules: 1,
    freeze: { source: 'billing' },
  });
});

describe('a client of one tenant', () => {
  it('creates what is its own, and lists, counts and reads nothing else', async () => {
    expect(await idsOf(acme.list())).toEqual(['acme-nightly']);
    expect((await acme.listPage({ orderBy: 'nextFireAt' })).schedules).toMatchObject([{ tenant: 'acme' }]);
    expect(await idsOf(acme.firings())).toEqual(['acme-nightly']);
    expect((await acme.firingsPage()).firings).toHaveLength(1);
    expect(await idsOf(acme.deadLetters.list())).toEqual(['acme-nightly']);
    expect(await acme.stats()).toMatchObject({ total: 1, waiting: 1 });
    expect(await acme.getHandle('acme-nightly').describe()).toMatchObject({ tenant: 'acme' });
  });

  it('reads of another tenant’s schedule as little as of one that never was', async () => {
    for (const id of ['other-nightly', 'never-was']) {
      const handle = acme.getHandle(id);
      expect(await idsOf(handle.firings())).toEqual([]);
      expect(await handle.stats()).toMatchObject({ total: 0, missed: 0 });
      for await (const _ of handle.versions()) expect.fail('a version');
      expect(await idsOf(acme.deadLetters.list({ scheduleId: id }))).toEqual([]);
    }
  });

  const time = new Date('2026-03-01T05:00:00Z');
  it.each<[string, (handle: ScheduleHandle) => Promise<unknown>]>([
    ['describe', (handle) => handle.describe()],
    ['nextTimes', (handle) => handle.nextTimes()],
    ['explain', (handle) => handle.explain(time)],
    ['update', (handle) => handle.update((previous) => previous)],
    ['pause', (handle) => handle.pause()],
    ['unpause', (handle) => handle.unpause()],
    ['trigger', (handle) => handle.trigger()],
    ['backfill', (handle) => handle.backfill({ start: new Date('2026-02-01Z'), end: new Date('2026-02-02Z') })],
    ['exclude', (handle) => handle.exclude(time)],
    ['include', (handle) => handle.include(time)],
    ['delete', (handle) => handle.delete()],
  ])('cannot %s another tenant’s schedule, which is not there for it', async (_, call) => {
    await expect(call(acme.getHandle('other-nightly'))).rejects.toBeInstanceOf(ScheduleNotFoundError);
    await expect(call(acme.getHandle('other-nightly'))).rejects.toMatchObject({ scheduleId: 'other-nightly' });
    expect(await ledger().client.getHandle('other-nightly').describe()).toMatchObject({
      info: { version: 1 },
      state: { paused: false },
    });
  });

  it('cannot read, redrive or discard another tenant’s dead letter', async () => {
    const { letterId } = await letterOf(other);
    const calls = [
      () => acme.deadLetters.get(letterId),
      () => acme.deadLetters.redrive(letterId),
      () => acme.deadLetters.discard(letterId, { note: 'not mine' }),
    ];
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(DeadLetterNotFoundError);
    expect(await acme.deadLetters.redriveAll({ state: 'open' })).toMatchObject({ total: 1, redriven: 1 });
    expect(await other.deadLetters.get(letterId)).toMatchObject({ state: 'open' });
  });

  it('neither waits for whoever holds another tenant’s schedule, nor learns that it is there', async () => {
    await other.create(someSchedule({ scheduleId: 'other-gone' }));
    await other.getHandle('other-gone').delete();
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await holder.query('select from escapement.timers for update');

    const handle = acme.getHandle('other-nightly');
    for (const change of [() => handle.pause(), () => handle.trigger(), () => handle.delete()]) {
      await expect(change()).rejects.toBeInstanceOf(ScheduleNotFoundError);
    }
    for (const scheduleId of ['other-nightly', 'other-gone']) {
      await expect(acme.create(someSchedule({ scheduleId }))).rejects.toBeInstanceOf(ScheduleAlreadyRunning);
    }
    await holder.query('rollback');
  });

  it('is refused where it names another tenant', async () => {
    const created = acme.create(someSchedule({ tenant: 'other' }));
    await expect(created).rejects.toBeInstanceOf(InvalidScheduleError);
    await expect(created).rejects.toMatchObject({ path: 'tenant' });
    await expect(idsOf(acme.list({ tenant: 'other' }))).rejects.toThrow(InvalidOptionError);
    await expect(acme.stats({ tenant: 'other' })).rejects.toThrow("tenant: 'other' is not this client's");
    await expect(idsOf(acme.firings({ tenant: 'other' }))).rejects.toThrow(InvalidOptionError);
    await expect(acme.deadLetters.redriveAll({ tenant: 'other' })).rejects.toThrow(InvalidOptionError);
  });
});

describe('the workflow IDs of a tenant', () => {
  const named = (workflowId: string, scheduleId: string) =>
    someSchedule({ scheduleId, action: { ...someSchedule().action, workflowId } });

  it('cannot be taken by another, whatever prefix it names: both fire at one instant', async () => {
    const [ofB, ofA] = [uniqueName('of-b'), uniqueName('of-a')];
    await other.create(someSchedule({ scheduleId: ofB }));
    await acme.create(named(`${ofB}-workflow`, ofA));
    await acme.create(named(`${ofA}[other]`, `${ofA}-again`));
    await other.create(named(ofA, `${ofB}-again`));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    const at = '-2026-03-01T01:00:00Z';
    for (const [scheduleId, prefix] of [
      [ofB, `${ofB}-workflow`],
      [ofA, `${ofB}-workflow[acme]`],
      [`${ofA}-again`, `${ofA}[other][acme]`],
      [`${ofB}-again`, `${ofA}[other]`],
    ] as const) {
      const [firing] = await ledger().firings(scheduleId);
      expect(firing).toMatchObject({ state: 'linked', workflowId: `${prefix}${at}` });
    }
  });

  it('are described as they are, and stay as they are', async () => {
    const handle = await acme.create(named('invoice', 'acme-invoice'));
    expect((await handle.describe()).action.workflowId).toBe('invoice[acme]');
    await handle.update((previous) => previous);
    expect((await handle.describe()).info.version).toBe(1);
    const declare = () => acme.apply([named('report', 'acme-report')], { source: 'reports', revision: 1 });
    await declare();
    expect(await declare()).toMatchObject({ unchanged: ['acme-report'] });
    const plain = await ledger().client.create(named('invoice', 'plain'));
    expect((await plain.describe()).action.workflowId).toBe('invoice');
    const own = await acme.create(named('acme-own-workflow', 'acme-own'));
    expect((await own.describe()).action.workflowId).toBe('acme-own-workflow');
  });
});

describe('the ID of a schedule', () => {
  it('is one over all tenants', async () => {
    await expect(acme.create(someSchedule({ scheduleId: 'other-nightly' }))).rejects.toBeInstanceOf(
      ScheduleAlreadyRunning,
    );
  });

  it('stays its tenant’s when the schedule is deleted: nobody else takes its history over', async () => {
    await other.getHandle('other-nightly').delete();
    await expect(acme.create(someSchedule({ scheduleId: 'other-nightly' }))).rejects.toBeInstanceOf(
      ScheduleAlreadyRunning,
    );
    const byAll = ledger().client.create(someSchedule({ scheduleId: 'other-nightly', tenant: 'acme' }));
    await expect(byAll).rejects.toBeInstanceOf(ScheduleAlreadyRunning);
    const applied = ledger().client.apply([someSchedule({ scheduleId: 'other-nightly', tenant: 'acme' })], {
      source: 'defaults',
      revision: 1,
      takeOver: true,
    });
    await expect(applied).rejects.toMatchObject({
      problems: [{ path: 'tenant', problem: expect.stringContaining("deleted schedule of tenant 'other'") }],
    });
    await other.create(someSchedule({ scheduleId: 'other-nightly' }));
    expect(await idsOf(other.firings())).toEqual(['other-nightly']);
  });
});

it('a client without a tenant sees all of them', async () => {
  const { client } = ledger();
  expect(await idsOf(client.list())).toEqual(['acme-nightly', 'other-nightly']);
  expect(await client.stats()).toMatchObject({ total: 2 });
  expect(await client.stats({ tenant: 'acme' })).toMatchObject({ total: 1 });
  expect(await idsOf(client.list({ tenant: '' }))).toEqual([]);
});

describe('sources of one name', () => {
  const everybody = () => ledger().client;
  const declare = (client: EscapementClient, ids: string[], options: Partial<ApplyOptions> = {}) =>
    client.apply(
      ids.map((scheduleId) => someSchedule({ scheduleId })),
      { source: 'defaults', revision: 1, ...options },
    );

  it('are one for each tenant and one for all: none prunes or outdates what another declared', async () => {
    await declare(acme, ['acme-a', 'acme-b']);
    await declare(other, ['other-a'], { revision: 9 });
    await declare(everybody(), ['all-a', 'all-b'], { revision: 5 });

    expect(await declare(everybody(), ['all-a'], { revision: 6, prune: true })).toMatchObject({ pruned: ['all-b'] });
    expect(await declare(acme, ['acme-a'], { revision: 2, prune: true })).toMatchObject({
      status: 'applied',
      pruned: ['acme-b'],
    });
    expect(await declare(other, [], { revision: 10, prune: true, pruneAtMost: 9 })).toMatchObject({
      pruned: ['other-a'],
    });
    expect(await idsOf(everybody().list())).toEqual(['acme-a', 'acme-nightly', 'all-a', 'other-nightly']);
  });

  it('leave what a client of all tenants declared for a tenant alone, and the other way round', async () => {
    const forAcme = someSchedule({ scheduleId: 'acme-given', tenant: 'acme' });
    await everybody().apply([forAcme], { source: 'defaults', revision: 5 });
    expect(await declare(acme, [], { prune: true, pruneAtMost: 9 })).toMatchObject({ status: 'applied', pruned: [] });
    await expect(acme.apply([forAcme], { source: 'defaults', revision: 2 })).rejects.toMatchObject({
      problems: [{ path: 'source', problem: expect.stringContaining("source 'defaults' of all tenants") }],
    });
    expect(await acme.apply([forAcme], { source: 'defaults', revision: 2, takeOver: true })).toMatchObject({
      updated: [{ scheduleId: 'acme-given', changed: ['source'] }],
    });
    await everybody().apply([], { source: 'defaults', revision: 6, prune: true, pruneAtMost: 9 });
    expect(await idsOf(acme.list())).toEqual(['acme-given', 'acme-nightly']);
  });

  it('refuse IDs that another tenant has, and write nothing', async () => {
    const refused = declare(acme, ['acme-new', 'other-nightly'], { takeOver: true });
    await expect(refused).rejects.toMatchObject({
      problems: [{ scheduleId: 'other-nightly', path: 'scheduleId', problem: 'belongs to another tenant' }],
    });
    expect(await idsOf(acme.list())).toEqual(['acme-nightly']);
  });

  it('are shown to a tenant by the name that it gave, which lists its own', async () => {
    await declare(acme, ['acme-a']);
    await declare(other, ['other-a']);
    await declare(everybody(), ['all-a']);
    const { schedules } = await acme.listPage({ source: 'defaults' });
    expect(schedules).toMatchObject([{ scheduleId: 'acme-a', source: 'defaults' }]);
    expect(await acme.getHandle('acme-a').describe()).toMatchObject({ source: 'defaults' });
    await acme.getHandle('acme-a').trigger();
    expect(await idsOf(acme.firings({ source: 'defaults' }))).toEqual(['acme-a']);

    expect(await idsOf(everybody().list({ source: 'defaults' }))).toEqual(['all-a']);
    const { source } = await everybody().getHandle('acme-a').describe();
    expect(await idsOf(everybody().list({ source }))).toEqual(['acme-a']);
    await expect(declare(everybody(), ['all-a'], { source: source! })).rejects.toMatchObject({
      problems: [{ path: 'source', problem: expect.stringContaining("is a tenant's") }],
    });
  });
});
