import { expect, it } from 'vitest';
import type { FreezeOptions, ScheduleOptions } from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);
const hourly = (options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ scheduleId: 'hourly', policies: { overlap: 'ALLOW_ALL' }, ...options });

const freezeOf = (options: Partial<FreezeOptions> = {}) =>
  ledger().client.freezes.create({ scheduleIds: ['hourly'], to: time('05:00:00'), ...options });

const BY_SHOP = { source: 'shop', revision: 1 };

const claimAt = (...clocks: string[]) => ledger().claimAt(...clocks);

it('a freeze holds back what is to start from its beginning on, and at its very end the schedule goes on', async () => {
  await ledger().client.create(hourly());
  await freezeOf({ from: time('02:00:00'), note: 'release 12' });
  await claimAt('01:00:00', '02:00:00', '03:00:00', '04:59:59');
  expect(await ledger().answers('hourly')).toEqual(['03-01T01:00:00 schedule claimed']);
  await claimAt('05:00:00');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00 schedule claimed',
    '03-01T02:00:00..03-01T04:00:00 gap 3 frozen',
    '03-01T05:00:00 schedule claimed',
  ]);
});

it.each([
  ['NONE', ['03-01T01:00:00..03-01T04:00:00 gap 4 frozen']],
  ['LAST', ['03-01T01:00:00..03-01T03:00:00 gap 3 frozen', '03-01T04:00:00 catchup claimed']],
  ['ALL', ['01', '02', '03', '04'].map((hour) => `03-01T${hour}:00:00 catchup claimed`)],
  // What is on time counts in the limit of two.
  ['POLICY', ['03-01T01:00:00..03-01T03:00:00 gap 3 frozen', '03-01T04:00:00 catchup claimed']],
] as const)('what it held back is caught up as asked, once, by many triggers: %s', async (catchUp, answers) => {
  await ledger().client.create(hourly({ policies: { overlap: 'ALLOW_ALL', catchupLimit: 2 } }));
  await freezeOf({ catchUp });
  await claimAt('01:00:00', '02:00:00');
  ledger().clock.set('2026-03-01T05:00:00Z');
  const triggers = [await ledger().trigger(), await ledger().trigger(), await ledger().trigger()];
  for (let round = 0; round < 3; round++) await Promise.all(triggers.map(({ passes }) => passes.claim()));
  expect(await ledger().answers('hourly')).toEqual([...answers, '03-01T05:00:00 schedule claimed']);
});

it('by source it holds what is declared meanwhile as well, and lets go what is not its own', async () => {
  const { client } = ledger();
  await client.apply([hourly()], { source: 'billing', revision: 1 });
  await client.create(hourly({ scheduleId: 'other' }));
  await client.freezes.create({ source: 'billing', to: time('05:00:00') });
  await client.apply([hourly(), hourly({ scheduleId: 'new' })], { source: 'billing', revision: 2 });
  await claimAt('01:00:00', '05:00:00');
  for (const id of ['hourly', 'new']) {
    expect(await ledger().answers(id)).toEqual([
      '03-01T01:00:00..03-01T04:00:00 gap 4 frozen',
      '03-01T05:00:00 schedule claimed',
    ]);
  }
  expect(await ledger().answers('other')).toContain('03-01T01:00:00 schedule claimed');
});

it.each([[{ query: "taskQueue = 'held'" }], [{ tenant: 'acme' }], [{ all: true }]])('by %o', async (scope) => {
  const { client } = ledger();
  const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: 'held' } as const;
  await client.create(hourly({ tenant: 'acme', action }));
  await client.create(hourly({ scheduleId: 'other' }));
  expect(await client.freezes.create({ ...scope, to: time('05:00:00') })).toMatchObject({
    schedules: 'all' in scope ? 2 : 1,
  });
  await claimAt('01:00:00');
  expect(await ledger().answers('hourly')).toEqual([]);
  expect(await ledger().answers('other')).toHaveLength('all' in scope ? 0 : 1);
});

it('freezes that meet hold until the last one ends, and nothing of the first is caught up before', async () => {
  await ledger().client.create(hourly());
  await freezeOf({ to: time('03:00:00'), catchUp: 'ALL' });
  await freezeOf({ from: time('02:30:00'), catchUp: 'NONE' });
  await claimAt('01:00:00', '03:00:00', '04:59:59');
  expect(await ledger().answers('hourly')).toEqual([]);
  await claimAt('05:00:00');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00 catchup claimed',
    '03-01T02:00:00 catchup claimed',
    '03-01T03:00:00..03-01T04:00:00 gap 2 frozen',
    '03-01T05:00:00 schedule claimed',
  ]);
});

it('of two freezes, the end of the earlier one lets go at once what the later one does not hold yet', async () => {
  const { client } = ledger();
  await client.create(hourly());
  const { freeze } = await freezeOf();
  await freezeOf({ from: time('03:30:00'), to: time('06:00:00') });
  await claimAt('01:00:00');
  ledger().clock.set('2026-03-01T01:30:00Z');
  await client.freezes.end(freeze.freezeId!);
  await claimAt('01:30:01', '02:00:00', '03:00:00', '04:00:00', '05:00:00');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00..03-01T01:00:00 gap 1 frozen',
    '03-01T02:00:00 schedule claimed',
    '03-01T03:00:00 schedule claimed',
  ]);
});

const handle = () => ledger().client.getHandle('hourly');
it.each<[string, () => Promise<unknown>]>([
  ['its labels', () => handle().update((previous) => ({ ...previous, owner: 'shop' }))],
  ['its note', () => handle().update((previous) => ({ ...previous, state: { ...previous.state, note: 'ours' } }))],
  ['its tags, with others', () => ledger().client.bulk.tag({ all: true }, { owner: 'shop' })],
  ['its source', () => ledger().client.apply([hourly({ owner: 'billing' })], { ...BY_SHOP, takeOver: true })],
])('a schedule that its freeze no longer selects goes on at once, after a change of %s', async (_, change) => {
  const { client } = ledger();
  await client.apply([hourly({ owner: 'billing' })], { source: 'billing', revision: 1 });
  const query = "owner = 'billing' AND source = 'billing' AND note IS NULL";
  await client.freezes.create({ query, to: time('05:00:00') });
  await claimAt('01:00:00');
  expect(await ledger().answers('hourly')).toEqual([]);
  ledger().clock.set('2026-03-01T01:30:00Z');
  await change();
  await claimAt('01:30:01', '02:00:00');
  expect(await ledger().answers('hourly')).toContain('03-01T02:00:00 schedule claimed');
});

/** How many freezes the claims of `passes` matched with schedules. */
async function matchedBy(passes: (claims: { claim(): Promise<unknown> }) => Promise<unknown>) {
  let matched = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('s.deleted_at is null') && text.includes('schedule_versions')) matched++;
    },
  });
  const trigger = await ledger().trigger({ connectionString: undefined, pool });
  await passes(trigger.passes);
  return matched;
}

/** A short freeze by a filter, which all schedules pass, that a person ends, at each of these times. */
async function endedFreezes(...clocks: string[]) {
  const { client } = ledger();
  for (const clock of clocks) {
    ledger().clock.set(`2026-03-01T${clock}Z`);
    const { freeze } = await client.freezes.create({ query: "taskQueue != 'none'", to: time('23:00:00') });
    ledger().clock.advance(60_000);
    await client.freezes.end(freeze.freezeId!);
  }
}

it('a claim matches no freezes that ended before the first occurrence without an answer, and none for a sleeping schedule', async () => {
  const { client } = ledger();
  await client.create(hourly({ scheduleId: 'daily', spec: { cron: '0 12 * * *' } }));
  const paused = await client.create(hourly({ state: { paused: true } }));
  await claimAt('00:30:00');
  await endedFreezes('02:00:00', '03:00:00', '04:00:00');
  await freezeOf({ to: time('23:00:00') });
  const matched = await matchedBy(async ({ claim }) => {
    ledger().clock.set('2026-03-01T12:00:00Z');
    await paused.trigger({ duringFreeze: true });
    await claim();
  });
  expect(await ledger().answers('daily')).toEqual(['03-01T12:00:00 schedule claimed']);
  expect(await ledger().answers('hourly')).toEqual([expect.stringContaining('manual claimed')]);
  expect(matched).toBe(0);
});

it('a claim does not match the freezes that lie within a longer one', async () => {
  const handle = await ledger().client.create(hourly());
  await freezeOf({ to: time('23:30:00') });
  await claimAt('01:00:00');
  await endedFreezes('02:00:00', '03:00:00', '04:00:00');
  const matched = await matchedBy(async ({ claim }) => {
    await handle.trigger({ duringFreeze: true });
    await claim();
  });
  expect(await ledger().answers('hourly')).toEqual([expect.stringContaining('manual claimed')]);
  // Nor the longer one, which has no filter.
  expect(matched).toBe(0);
});

it('with a pause, an exclusion and an end of the spec each occurrence has one answer', async () => {
  const { client } = ledger();
  const paused = await client.create(hourly());
  const excluded = await client.create(hourly({ scheduleId: 'excluded' }));
  const ending = await client.create(
    hourly({ scheduleId: 'ending', spec: { cron: '0 * * * *', endAt: time('03:30:00') } }),
  );
  await client.freezes.create({ all: true, to: time('05:00:00'), catchUp: 'ALL' });
  await paused.pause({ until: time('02:30:00') });
  await excluded.exclude(time('02:00:00'));
  await claimAt('01:00:00', '02:30:00', '04:00:00', '05:00:00');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    ...['03', '04'].map((hour) => `03-01T${hour}:00:00 catchup claimed`),
    '03-01T05:00:00 schedule claimed',
  ]);
  expect((await ledger().answers('excluded')).filter((answer) => answer.includes('02:00:00'))).toEqual([
    '03-01T02:00:00 schedule skipped excluded',
  ]);
  expect(await ledger().answers('ending')).toHaveLength(3);
  expect((await ending.describe()).state.completed).toBe(true);
});

it('nothing is handed over ahead into a freeze, and what was handed over before is named by the call', async () => {
  const { client, clock } = ledger();
  for (let n = 0; n < 40; n++) await client.create(hourly({ scheduleId: `s${n}` }));
  const { passes } = await ledger().trigger({ limits: { preStartAfterMilliseconds: 0 } });
  await passes.claim();
  const { freeze } = await client.freezes.create({
    scheduleIds: ['s0', 's1'],
    from: time('01:00:00'),
    to: time('01:10:00'),
  });
  clock.set('2026-03-01T00:59:59.500Z');
  await passes.claim();
  expect(await ledger().answers('s0')).toEqual([]);
  expect(await ledger().answers('s2')).toEqual(['03-01T01:00:00 schedule claimed']);
  await client.freezes.end(freeze.freezeId!);
  // More of another schedule than one call names.
  await ledger().query(`insert into escapement.firings select (jsonb_populate_record(f, jsonb_build_object(
      'scheduled_time', f.scheduled_time - n * interval '1 second', 'workflow_id', f.workflow_id || n))).*
    from escapement.firings f, generate_series(1, 1000) n where f.schedule_id = 's10'`);
  const { handedOver } = await client.freezes.create({
    scheduleIds: ['s0', 's2'],
    from: time('01:00:00'),
    to: time('01:10:00'),
  });
  expect(handedOver.map(({ scheduleId }) => scheduleId)).toEqual(['s2']);
});

it('alerts that a freeze explains are not raised: neither overdue nor missed', async () => {
  await ledger().client.create(hourly());
  await freezeOf();
  const { passes } = await ledger().trigger();
  for (const clock of ['00:30:00', '01:00:00', '01:10:00', '03:10:00', '05:00:00', '05:00:10']) {
    ledger().clock.set(`2026-03-01T${clock}Z`);
    await passes.claim();
    await passes.alert();
  }
  const alerts = await ledger().client.alerts.list({ resolved: true });
  expect(alerts.filter(({ scheduleId }) => scheduleId !== null)).toEqual([]);
});
