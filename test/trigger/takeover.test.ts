import { Client } from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { openStore } from '../../store/connection';
import { giveUpFiring } from '../../store/give-up';
import { markStartAttempted, recallDeferred, releaseClaims } from '../../store/start';
import { someSchedule, useLedger } from '../support/ledger';
import { loseClaims } from '../support/lost-claims';
import { refusing } from '../support/refusing';
import { watchedPool } from '../support/watched-pool';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('several triggers on one ledger', () => {
  it('claim each occurrence once between them', async () => {
    const { client, clock } = ledger();
    for (let index = 0; index < 40; index++) await client.create(someSchedule());
    const triggers = [await ledger().trigger(), await ledger().trigger(), await ledger().trigger()];
    clock.set('2026-03-01T01:00:00Z');
    const results = await Promise.all(triggers.map((trigger) => trigger.passes.claim()));
    const claimed = results.flatMap((result) => result.claimed.map((key) => key.scheduleId));
    expect(new Set(claimed).size).toBe(claimed.length);
    // What one found locked, it leaves; a later look of any of them takes the rest.
    const rest = await triggers[0]!.passes.claim();
    expect(claimed.length + rest.claimed.length).toBe(40);
  });

  it('start what a dead one had claimed, ten seconds after its last heartbeat', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    const dead = await ledger().trigger();
    const alive = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.heartbeat();
    await dead.passes.claim();

    clock.advance(9_000);
    await alive.passes.heartbeat();
    expect(await alive.passes.reconcile()).toMatchObject({
      ...{ deadTriggers: [], taken: 0, nextStaleAt: new Date('2026-03-01T01:00:10Z') },
    });
    clock.advance(2_000);
    expect(await alive.passes.reconcile()).toMatchObject({ deadTriggers: [dead.id] });
    expect(await alive.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
    expect(await alive.passes.start()).toMatchObject({ linked: 1 });
    const [firing] = await ledger().firings(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'linked',
      recovery: { number: 1, reason: 'trigger_lost', recoveredAt: '2026-03-01T01:00:11.000Z' },
    });
  });

  it('leave alone what a living one has just claimed', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const owner = await ledger().trigger();
    const other = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await owner.passes.heartbeat();
    await owner.passes.claim();
    clock.advance(9_000);
    for (let look = 0; look < 2; look++) {
      expect(await other.passes.reconcile()).toMatchObject({ deadTriggers: [], taken: 0 });
    }
  });

  it('call no start later than they announced it, and take the announcement back', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const trigger = await ledger().trigger({ limits: { startLeaseMilliseconds: 0 } });
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.start()).toMatchObject({ linked: 0, deferred: 0, refused: 0 });
    expect(
      await ledger().query('select state, start_attempted_at, first_attempted_at from escapement.firings'),
    ).toEqual([{ state: 'claimed', start_attempted_at: null, first_attempted_at: null }]);
  });

  it('count what the announcement itself took against its lease', async () => {
    const { client, clock, databaseUrl } = ledger();
    await client.create(someSchedule());
    const trigger = await ledger().trigger({ limits: { startLeaseMilliseconds: 1 } });
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select * from escapement.firings for update');
    const started = trigger.passes.start();
    await vi.waitFor(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await ledger().query(waiting)).toHaveLength(1);
    }, 20_000);
    await holder.query('rollback');
    await holder.end();
    expect(await started).toMatchObject({ linked: 0 });
  });

  it('give nothing up while another one’s start may still land', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    const slow = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await slow.passes.heartbeat();
    await slow.passes.claim();
    // Announced, and not called yet.
    await ledger().query('update escapement.firings set first_attempted_at = $1, start_attempted_at = $1', [
      new Date(clock.now()),
    ]);
    await handle.pause();
    const other = await ledger().trigger();
    clock.advance(11_000);
    await other.passes.reconcile();
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 0, restarted: 0 });
    clock.advance(8_000);
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 1 });
  });

  it('cannot start what was taken over from them', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const frozen = await ledger().trigger();
    const other = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await frozen.passes.claim();
    clock.advance(31_000);
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1 });
    expect(await frozen.passes.start()).toMatchObject({ linked: 0, deferred: 0, refused: 0 });
    expect(await other.passes.start()).toMatchObject({ linked: 1 });
  });
});

describe('behind an outage', () => {
  it('no more is taken over than can wait in memory, but for what was lost just now', async () => {
    const { client, clock } = ledger();
    const { scheduleId } = await client.create(someSchedule({ policies: { catchupWindow: '1 year' } }));
    await loseClaims(ledger(), scheduleId, 1_600);
    const trigger = await ledger().trigger({ limits: { queuedAtMost: 1_000 } });
    let taken = 0;
    for (let last = -1; last !== 0; taken += last) last = (await trigger.passes.reconcile()).taken;
    expect(taken).toBe(1_000);

    const recent = await client.create(someSchedule());
    const dead = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.heartbeat();
    expect((await dead.passes.claim()).claimed).toHaveLength(1);
    clock.advance(11_000);
    await trigger.passes.heartbeat();
    await trigger.passes.reconcile();
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, more: false });
    expect((await ledger().firings(recent.scheduleId))[0]).toMatchObject({ recovery: { reason: 'trigger_lost' } });

    // Of a namespace of which nothing waits, nothing need wait for that of another one.
    await ledger().query(
      `update escapement.firings set namespace = 'elsewhere' where (schedule_id, scheduled_time) in
      (select schedule_id, scheduled_time from escapement.firings
       where schedule_id = $1 and check_at < '2026-03-01T00:30Z' limit 3)`,
      [scheduleId],
    );
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 3, restarted: 3 });

    const missed = await client.create(someSchedule({ namespace: 'elsewhere' }));
    clock.set('2026-03-01T02:30:00Z');
    await trigger.passes.heartbeat();
    expect((await trigger.passes.claim()).claimed.map((claim) => claim.scheduleId)).toEqual([missed.scheduleId]);
    expect(await trigger.passes.claim()).toMatchObject({ claimed: [], complete: false });
  });

  it('all that a dead trigger held is taken over, however much it is, what was lost just now first, in statements that end', async () => {
    const { client, clock } = ledger();
    const { scheduleId } = await client.create(someSchedule({ spec: { cron: '@yearly' } }));
    await client.create(someSchedule());
    const dead = [await ledger().trigger(), await ledger().trigger()] as const;
    await loseClaims(ledger(), scheduleId, 5_000);
    await ledger().query(`update escapement.firings set owner = $1, check_at = '2026-03-01T01:05Z'`, [dead[0].id]);
    clock.set('2026-03-01T01:00:00Z');
    await dead[0].passes.heartbeat();
    expect((await dead[0].passes.claim()).claimed).toHaveLength(1);
    clock.advance(1);
    await dead[1].passes.heartbeat();
    clock.advance(11_000);
    const { passes } = await ledger().trigger();
    const notDue = () =>
      ledger().query(`select scheduled_time from escapement.firings where check_at > $1`, [new Date(clock.now())]);
    expect(await passes.reconcile()).toMatchObject({ deadTriggers: [], taken: 0, more: true });
    expect(await notDue()).toEqual([{ scheduled_time: new Date('2026-02-28T22:59:59Z') }]);
    expect(await passes.reconcile()).toMatchObject({ deadTriggers: [dead[0].id], taken: 500, more: true });
    expect(await passes.reconcile()).toMatchObject({ deadTriggers: [dead[1].id], taken: 500, more: true });
  });

  it('all that a trigger holds when it stops is handed back, however much it is, in statements that end', async () => {
    const { scheduleId } = await ledger().client.create(someSchedule());
    const { id } = await ledger().trigger();
    await loseClaims(ledger(), scheduleId, 5_001);
    await ledger().query('update escapement.firings set owner = $1', [id]);
    let statements = 0;
    const before = (text: string) => {
      if (text.includes('set owner = null')) statements += 1;
    };
    const store = openStore({ pool: watchedPool(ledger(), { before }) });
    ledger().beforeClose(() => store.close());
    const now = new Date('2026-03-01T00:40Z');
    expect(await releaseClaims(store, id, now)).toBe(5_001);
    expect(statements).toBe(2);
    expect(await ledger().query('select distinct owner, check_at from escapement.firings')).toEqual([
      { owner: null, check_at: now },
    ]);
  });

  it('all that was put off is looked at again when Temporal answers, in statements that end', async () => {
    const { scheduleId } = await ledger().client.create(someSchedule());
    await loseClaims(ledger(), scheduleId, 5_001);
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    const now = new Date('2026-03-01T00:40Z');
    expect(await recallDeferred(store, 'default', now)).toBe(5_001);
    expect(await recallDeferred(store, 'default', now)).toBe(0);
    expect(await ledger().query('select distinct check_at from escapement.firings')).toEqual([{ check_at: now }]);
  });
});

/** One that a trigger has claimed and not started, and a way past the passes to its row. */
async function claimedFiring() {
  const { client, clock, databaseUrl } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const { id: owner, passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  const [claim] = await ledger().firings(scheduleId);
  const store = openStore({ connectionString: databaseUrl });
  ledger().beforeClose(() => store.close());
  const key = { scheduleId, scheduledTime: claim!.scheduledTime, epoch: 0 };
  return { store, owner, key, now: new Date(clock.now()) };
}

it('what was to be abandoned is not, where somebody has begun to start it meanwhile', async () => {
  const { store, owner, key, now } = await claimedFiring();
  const end = { state: 'abandoned', reason: 'schedule_paused' } as const;
  const giveUp = (owner: string, startAttemptedAt: Date | null) =>
    giveUpFiring(store, key, end, now, { owner, startAttemptedAt });
  expect(await giveUp('00000000-0000-0000-0000-000000000000', null)).toBeUndefined();
  await markStartAttempted(store, [key], { owner, now, checkAt: now, at: now });
  expect(await giveUp(owner, null)).toBeUndefined();
  expect(await ledger().firings(key.scheduleId)).toMatchObject([{ state: 'claimed' }]);
  expect(await giveUp(owner, now)).toMatchObject({ letters: [{ scheduleId: key.scheduleId }] });
  expect(await ledger().firings(key.scheduleId)).toMatchObject([{ state: 'abandoned' }]);
});

it('no start is announced again when Temporal may have forgotten the first call', async () => {
  const { store, owner, key, now: called } = await claimedFiring();
  const mark = async (rememberedFor: number | undefined, at: Date | undefined) =>
    (
      await markStartAttempted(store, [{ ...key, rememberedFor }], {
        owner,
        now: called,
        checkAt: called,
        at,
      })
    ).length;
  expect(await mark(undefined, called)).toBe(1);
  expect(await mark(undefined, called)).toBe(0);
  const later = new Date(called.getTime() + 1_000);
  expect([await mark(1_000, later), await mark(1_001, later)]).toEqual([0, 1]);
  // By the database's clock, whatever this process has slept through.
  const ago = Date.now() - called.getTime();
  expect([await mark(ago - 60_000, undefined), await mark(ago + 3_600_000, undefined)]).toEqual([0, 1]);
  expect(await mark(Number.POSITIVE_INFINITY, undefined)).toBe(1);
});

it('what Temporal was too busy for is decided anew before Temporal may have forgotten the call', async () => {
  const { client, clock } = ledger();
  const RESOURCE_EXHAUSTED = 8;
  let isBusy = true;
  const isRefused = (method: string) => isBusy && method === 'StartWorkflowExecution';
  const connection = refusing(inject('temporalAddress'), RESOURCE_EXHAUSTED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await client.create(someSchedule());
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.start()).toMatchObject({ taken: 1, linked: 0, deferred: 0 });

  isBusy = false;
  clock.advance(3_600_000);
  await trigger.passes.heartbeat();
  await expect.poll(() => trigger.passes.start()).toMatchObject({ taken: 1, linked: 0 });
  clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
  expect(await trigger.passes.start()).toMatchObject({ linked: 1 });
});

describe('a lost firing is abandoned with its reason, never started', () => {
  const cases: [string, string, (id: string) => Promise<unknown>][] = [
    ['when its schedule was paused', 'schedule_paused', (id) => ledger().client.getHandle(id).pause()],
    ['when its schedule was deleted', 'schedule_deleted', (id) => ledger().client.getHandle(id).delete()],
    [
      'when it is older than the catch-up window',
      'outside_catchup_window',
      async () => ledger().clock.advance(3_600_001),
    ],
  ];
  it.each(cases)('%s', async (_, reason, change) => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { catchupWindow: '1 hour' } }));
    const dead = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.claim();
    await change(handle.scheduleId);
    clock.advance(60_000);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 1, restarted: 0 });
    expect(await ledger().answers(handle.scheduleId)).toEqual([`03-01T01:00:00 schedule abandoned ${reason}`]);
  });

  it('with all others of its schedule in one pass, though each is given up under the schedule’s lock', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(
      someSchedule({ spec: { intervals: [{ every: '1 minute' }] }, policies: { overlap: 'ALLOW_ALL' } }),
    );
    const dead = await ledger().trigger();
    clock.set('2026-03-01T00:36:00Z');
    await dead.passes.claim();
    await handle.delete();
    clock.advance(60_000);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 6, abandoned: 6 });
  });
});
