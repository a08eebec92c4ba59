import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const ALLOW_ALL = { overlap: 'ALLOW_ALL' } as const;

const HALF_PAST = { cron: '30 * * * *' };

describe('update', () => {
  it('is not retroactive and loses nothing: what was due is answered by the old definition', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    // No trigger runs until 03:30.
    clock.set('2026-03-01T03:00:05Z');
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST, policies: { ...ALLOW_ALL, catchupLimit: 0 } }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T03:30:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 catchup claimed',
      '03-01T02:00:00 catchup claimed',
      '03-01T03:00:00 schedule claimed',
      '03-01T03:30:00 schedule claimed',
    ]);
    expect(
      await ledger().query('select schedule_version, overlap from escapement.firings order by scheduled_time'),
    ).toMatchObject([
      { schedule_version: 1, overlap: 'ALLOW_ALL' },
      { schedule_version: 1, overlap: 'ALLOW_ALL' },
      { schedule_version: 1, overlap: 'ALLOW_ALL' },
      { schedule_version: 2, overlap: null },
    ]);
  });

  it('hands over by the old catch-up policies, and no more than 1,000 firings', async () => {
    const { client, clock } = ledger();
    const spec = { cron: '* * * * * *' };
    const limited = await client.create(
      someSchedule({ spec, policies: { catchupLimit: 15, catchupWindow: '1 minute' } }),
    );
    const unlimited = await client.create(someSchedule({ spec, policies: { catchupLimit: Number.POSITIVE_INFINITY } }));
    clock.set('2026-03-01T01:30:00Z');
    for (const handle of [limited, unlimited]) await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    const counts = await ledger().query(
      `select schedule_id, kind, count(*)::int from escapement.firings group by 1, 2 order by 2, 3`,
    );
    expect(counts.map(({ kind, count }) => `${kind} ${count}`)).toEqual([
      'catchup 4',
      'catchup 989',
      'schedule 11',
      'schedule 11',
    ]);
    expect((await ledger().answers(limited.scheduleId)).filter((row) => row.includes('gap'))).toEqual([
      '03-01T00:30:01..03-01T01:28:59 gap 3539 outside_catchup_window',
      '03-01T01:29:00..03-01T01:29:45 gap 46 over_catchup_limit',
    ]);
    expect((await ledger().answers(unlimited.scheduleId)).filter((row) => row.includes('gap'))).toEqual([
      '03-01T00:30:01..03-01T01:13:20 gap 2600 over_catchup_limit',
    ]);
  });

  it('hands nothing over to months that are retired: a gap answers for them', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ spec: { cron: '0 0 * * *' }, policies: ALLOW_ALL }));
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-04-01T00:00:00Z"')`);
    clock.set('2026-04-02T12:00:00Z');
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-02T00:00:00..03-31T00:00:00 gap 30 outside_retention',
      '04-01T00:00:00 catchup buffered',
      '04-02T00:00:00 catchup buffered',
    ]);
  });

  it.each(['ALL', 'LAST'] as const)('nor what a freeze with %s has held in such a month', async (catchUp) => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ spec: { cron: '0 0 * * *' }, policies: ALLOW_ALL }));
    const [from, to] = [new Date('2026-03-10T00:00:00Z'), new Date('2026-03-20T00:00:00Z')];
    await client.freezes.create({ scheduleIds: [handle.scheduleId], from, to, catchUp });
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-04-01T00:00:00Z"')`);
    clock.set('2026-04-02T12:00:00Z');
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-02T00:00:00..03-09T00:00:00 gap 8 outside_retention',
      '03-10T00:00:00..03-19T00:00:00 gap 10 frozen',
      '03-20T00:00:00..03-31T00:00:00 gap 12 outside_retention',
      '04-01T00:00:00 catchup buffered',
      '04-02T00:00:00 catchup buffered',
    ]);
  });

  /** A schedule that is updated while the jitter of its first occurrence runs, and when that is over. */
  async function updatedInJitter() {
    const spec = { cron: '0 * * * *', jitter: '50 minutes' } as const;
    // Its jitter follows from its ID: 14 minutes.
    const handle = await ledger().client.create(someSchedule({ scheduleId: 'jittered', spec, policies: ALLOW_ALL }));
    const trigger = await ledger().trigger();
    await trigger.passes.claim();
    const [{ wake_at: startsAt }] = (await ledger().query('select wake_at from escapement.timers')) as [
      { wake_at: Date },
    ];
    expect(startsAt.getTime()).toBeGreaterThan(Date.parse('2026-03-01T01:01:00Z'));
    ledger().clock.set('2026-03-01T01:00:10Z');
    await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowType: 'other' } }));
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule buffered']);
    return { handle, startsAt, trigger };
  }

  it('lets what waits for its jitter start when that is over, and not before', async () => {
    const { handle, startsAt, trigger } = await updatedInJitter();
    expect(await ledger().query('select wake_at from escapement.timers')).toEqual([{ wake_at: startsAt }]);
    ledger().clock.set(new Date(startsAt.getTime() - 1).toISOString());
    await handle.trigger();
    await trigger.passes.claim();
    expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule buffered');
    ledger().clock.set(startsAt.toISOString());
    await trigger.passes.claim();
    expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule claimed');
  });

  it('keeps what waits for its jitter in a freeze that has begun by then, and a pause skips it', async () => {
    const { handle, startsAt, trigger } = await updatedInJitter();
    const to = new Date('2026-03-01T04:30:00Z');
    await ledger().client.freezes.create({ scheduleIds: [handle.scheduleId], from: startsAt, to });
    ledger().clock.set(startsAt.toISOString());
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule buffered']);
    await handle.pause();
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
  });

  it('fires what waited for its jitter only once, by the old definition', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(
      someSchedule({ spec: { cron: '0 * * * *', jitter: '50 minutes' }, policies: { ...ALLOW_ALL, catchupLimit: 0 } }),
    );
    clock.set('2026-03-01T01:00:00Z');
    const trigger = await ledger().trigger();
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await handle.update((previous) => ({ ...previous, spec: { cron: '0 6 * * *' } }));
    clock.set('2026-03-01T01:59:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('of a paused schedule answers for the pause so far, and goes on sleeping', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    await handle.pause('audit');
    clock.set('2026-03-01T02:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'audit' });
    clock.set('2026-03-01T03:40:00Z');
    const trigger = await ledger().trigger();
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await handle.unpause();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
      '03-01T02:30:00..03-01T03:30:00 gap 2 paused',
    ]);
  });

  it('goes back over what was claimed ahead, so that the new definition loses nothing there', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL, spec: { cron: '0 * * * *' } }));
    const trigger = await ledger().trigger();
    // A trigger whose clock was ahead.
    clock.set('2026-03-01T01:10:00Z');
    await trigger.passes.claim();
    clock.set('2026-03-01T00:59:50Z');
    await handle.update((previous) => ({ ...previous, spec: { cron: '0,5 * * * *' } }));
    clock.set('2026-03-01T01:10:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 catchup claimed',
      '03-01T01:05:00 catchup claimed',
    ]);
    expect(
      await ledger().query('select schedule_version from escapement.firings order by scheduled_time'),
    ).toMatchObject([{ schedule_version: 1 }, { schedule_version: 2 }]);
  });

  it('never goes back behind the change before it, which has answered already', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    await handle.pause();
    clock.set('2026-03-01T03:10:00Z');
    await handle.unpause();
    // A client whose clock is behind.
    clock.set('2026-03-01T01:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    clock.set('2026-03-01T03:40:00Z');
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T03:00:00 gap 3 paused',
      '03-01T03:30:00 catchup claimed',
    ]);
  });
});

describe('a schedule of twenty intervals that rarely coincide', () => {
  const spec = { intervals: Array.from({ length: 20 }, (_, i) => ({ every: (60 + i) * 1_000 })) };
  const DAY = 86_400_000;
  const start = Date.parse('2026-03-01T00:30:00Z');
  const after = (days: number) => new Date(start + days * DAY).toISOString();
  const timesOf = (days: number) => {
    const compiled = compileSpec(spec);
    return Array.from({ length: days }, (_, day) => compiled.count(start + day * DAY, start + (day + 1) * DAY)).reduce(
      (sum, count) => sum + count,
    );
  };
  const gaps = (scheduleId: string) =>
    ledger().query('select count::int, reason from escapement.gaps where schedule_id = $1', [scheduleId]);

  it('is not set aside by a day without triggers, nor by a pause of a day: each time has its answer', async () => {
    const { client, clock } = ledger();
    const missed = await client.create(someSchedule({ spec, policies: ALLOW_ALL }));
    const paused = await client.create(someSchedule({ spec, policies: ALLOW_ALL }));
    await paused.pause({ until: new Date(after(1)) });
    clock.set(after(1));
    await (await ledger().trigger()).passes.claim();
    for (const handle of [missed, paused]) expect((await handle.describe()).state.specError).toBeUndefined();
    expect(await gaps(missed.scheduleId)).toEqual([{ count: timesOf(1) - 100, reason: 'over_catchup_limit' }]);
    // The last time is the end of the pause, and fires.
    expect(await gaps(paused.scheduleId)).toEqual([{ count: timesOf(1) - 1, reason: 'paused' }]);
  });

  it('has a gap for years without triggers, paused or deleted, once a person updates, unpauses or revives it', async () => {
    const { client, clock } = ledger();
    const [updated, paused, deleted] = await Promise.all(
      ['updated', 'paused', 'deleted'].map((scheduleId) => client.create(someSchedule({ scheduleId, spec }))),
    );
    await paused!.pause();
    await deleted!.delete();
    clock.set(after(730));
    await updated!.update((previous) => ({ ...previous, spec: HALF_PAST }));
    await paused!.unpause();
    await client.create(someSchedule({ scheduleId: 'deleted' }));
    const count = timesOf(730);
    expect(await gaps('updated')).toEqual([{ count, reason: 'set_aside' }]);
    expect(await gaps('paused')).toEqual([{ count, reason: 'paused' }]);
    expect(await gaps('deleted')).toEqual([{ count, reason: 'deleted' }]);
  });
});
