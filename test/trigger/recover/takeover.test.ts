import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../store/connection';
import { giveUpFiring } from '../../../store/firings/give-up';
import { announceAgain } from '../../../store/firings/start';
import { announceAll, leaveUncalled } from '../../support/announced';
import { watchedPool } from '../../support/connections/watched-pool';
import { loseClaims } from '../../support/failures/lost-claims';
import { refusing } from '../../support/failures/refusing';
import { someSchedule, useLedger } from '../../support/ledger';

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
    // A trigger leaves rows that it finds locked; a later poll of any trigger takes them.
    const rest = await triggers[0]!.passes.claim();
    expect(claimed.length + rest.claimed.length).toBe(40);
  });

  it('start what a dead one had claimed and not announced, at once and as if nothing had happened', async () => {
    const handle = await ledger().client.create(someSchedule());
    const dead = await ledger().trigger();
    const alive = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await dead.passes.claim();
    expect(await alive.passes.dispatch()).toMatchObject({ linked: 1 });
    expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({ state: 'linked', recovery: null });
  });

  it('share a backlog: what one is about to take the others pass over', async () => {
    const { client, clock } = ledger();
    for (let index = 0; index < 40; index++) await client.create(someSchedule());
    const options = { limits: { startBatchSize: 10 } };
    const triggers = [await ledger().trigger(options), await ledger().trigger(options)];
    clock.set('2026-03-01T01:00:00Z');
    await triggers[0]!.passes.claim();
    const ends = await Promise.all([...triggers, ...triggers].map(({ passes }) => passes.dispatch()));
    expect(ends.map(({ taken }) => taken)).toEqual([10, 10, 10, 10]);
    expect(await ledger().query(`select distinct state from escapement.firings`)).toEqual([{ state: 'linked' }]);
  });

  it('start what a dead one had announced, ten seconds after its last heartbeat', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    const dead = await ledger().trigger();
    const alive = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.heartbeat();
    await dead.passes.claim();
    await announceAll(ledger(), dead);

    clock.advance(9_000);
    await alive.passes.heartbeat();
    expect(await alive.passes.reconcile()).toMatchObject({
      ...{ deadTriggers: [], taken: 0, nextStaleAt: new Date('2026-03-01T01:00:10Z') },
    });
    clock.advance(2_000);
    expect(await alive.passes.reconcile()).toMatchObject({ deadTriggers: [dead.id] });
    expect(await alive.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
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
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0, deferred: 0, refused: 0 });
    expect(
      await ledger().query('select state, start_attempted_at, first_attempted_at from escapement.firings'),
    ).toEqual([{ state: 'claimed', start_attempted_at: null, first_attempted_at: null }]);
  });

  it('count what the announcement itself took against its lease', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const announces = (text: string) => text.includes('take_waiting') && vi.advanceTimersByTime(8_000);
    const trigger = await ledger().trigger({ pool: watchedPool(ledger(), { before: announces }) });
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 1, linked: 0 });
  });

  it('give nothing up while another one’s start may still land', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    const slow = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await slow.passes.heartbeat();
    await slow.passes.claim();
    await announceAll(ledger(), slow);
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
    await announceAll(ledger(), frozen);
    clock.advance(31_000);
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
    expect(await frozen.passes.dispatch()).toMatchObject({ taken: 0 });
    expect(await ledger().query('select state, owner from escapement.firings')).toEqual([
      { state: 'linked', owner: other.id },
    ]);
  });
});

it('all that a dead trigger of the version before held is taken over, however much it is, in statements that end', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ spec: { cron: '@yearly' } }));
  const dead = [await ledger().trigger(), await ledger().trigger()] as const;
  await loseClaims(ledger(), scheduleId, 5_001);
  await ledger().query(`update escapement.firings set owner = $1, check_at = '2026-03-01T01:05Z'`, [dead[0].id]);
  clock.set('2026-03-01T01:00:00Z');
  await dead[0].passes.heartbeat();
  clock.advance(1);
  await dead[1].passes.heartbeat();
  clock.advance(11_000);
  const { passes } = await ledger().trigger();
  expect(await passes.reconcile()).toMatchObject({ deadTriggers: [], taken: 0, more: true });
  expect(await passes.reconcile()).toMatchObject({ deadTriggers: [dead[0].id], taken: 500, waiting: 500, more: true });
  expect(await passes.reconcile()).toMatchObject({ deadTriggers: [dead[1].id], taken: 500, waiting: 500, more: true });
});

/** A firing that a trigger has claimed but not started, with direct access to its row. */
async function claimedFiring() {
  const { client, clock, databaseUrl } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const { id: owner, passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await leaveUncalled(ledger(), { id: owner });
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
  await announceAgain(store, [key], { owner, now, checkAt: now, at: now });
  expect(await giveUp(owner, null)).toBeUndefined();
  expect(await ledger().firings(key.scheduleId)).toMatchObject([{ state: 'claimed' }]);
  expect(await giveUp(owner, now)).toMatchObject({ letters: [{ scheduleId: key.scheduleId }] });
  expect(await ledger().firings(key.scheduleId)).toMatchObject([{ state: 'abandoned' }]);
});

it('no start is announced again when Temporal may have forgotten the first call', async () => {
  const { store, owner, key, now: called } = await claimedFiring();
  const mark = async (rememberedFor: number | undefined, at: Date | undefined) =>
    (
      await announceAgain(store, [{ ...key, rememberedFor }], {
        owner,
        now: at ?? new Date(),
        checkAt: called,
        at,
      })
    ).length;
  expect(await mark(undefined, called)).toBe(1);
  expect(await mark(undefined, called)).toBe(0);
  const later = new Date(called.getTime() + 1_000);
  expect([await mark(1_000, later), await mark(1_001, later)]).toEqual([0, 1]);
  // The first call is the one that Temporal forgets first, whatever was announced since.
  expect(await mark(1_000, later)).toBe(0);
  // By the database's clock, whatever this process has slept through.
  const ago = Date.now() - called.getTime();
  expect([await mark(ago - 60_000, undefined), await mark(ago + 3_600_000, undefined)]).toEqual([0, 1]);
  expect(await mark(Number.POSITIVE_INFINITY, undefined)).toBe(1);
});

it('what Temporal was too busy for is decided again before Temporal may have forgotten the call', async () => {
  const { client, clock } = ledger();
  const RESOURCE_EXHAUSTED = 8;
  let isBusy = true;
  const isRefused = (method: string) => isBusy && method === 'StartWorkflowExecution';
  const connection = refusing(inject('temporalAddress'), RESOURCE_EXHAUSTED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await client.create(someSchedule());
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ taken: 1, linked: 0, deferred: 1 });

  isBusy = false;
  clock.advance(3_600_000);
  await trigger.passes.heartbeat();
  // Its server is asked again after a pause.
  await expect
    .poll(async () => {
      clock.advance(2_000);
      expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
      return ledger().query('select state from escapement.firings');
    })
    .toEqual([{ state: 'linked' }]);
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
    await announceAll(ledger(), dead);
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
    await announceAll(ledger(), dead);
    await handle.delete();
    clock.advance(60_000);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 6, abandoned: 6 });
  });
});
