import { describe, expect, inject, it } from 'vitest';
import { leaveUncalled } from '../../support/announced';
import { proxyOf } from '../../support/connections/proxy';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');

const worker = useWorker();

const DUE = '2026-03-01T01:00:00Z';

const action = () => ({ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue });

describe('Temporal away', () => {
  it('leaves what waits as it is, and loses nothing where Postgres is away as well', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const { client, clock } = ledger();
    for (const cron of ['0 1 * * *', '1 0 1 * * *'])
      await client.create(someSchedule({ action: action(), spec: { cron } }));
    let isAway = false;
    const pool = watchedPool(ledger(), {
      before: () => {
        if (isAway) throw new Error('Connection terminated unexpectedly');
      },
    });
    const { passes } = await ledger().trigger({ pool, connection: { address: proxy.address } });
    await passes.claim();
    clock.set(DUE);
    await passes.claim();
    proxy.cut();
    expect(await passes.dispatch()).toMatchObject({ taken: 1, deferred: 1 });
    clock.set('2026-03-01T01:00:01Z');
    await passes.claim();
    isAway = true;
    await expect(passes.dispatch()).rejects.toThrow();
    isAway = false;
    expect(await passes.dispatch()).toMatchObject({ taken: 0 });
    expect(
      await ledger().query(`select owner, check_at, last_error from escapement.firings where scheduled_time = $1`, [
        new Date('2026-03-01T01:00:01Z'),
      ]),
    ).toEqual([{ owner: null, check_at: null, last_error: null }]);
  });

  it('costs no attempt: firings wait, and start when it is back', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const handle = await ledger().client.create(someSchedule({ action: action() }));
    const trigger = await ledger().trigger({ connection: { address: proxy.address } });
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    proxy.cut();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0, deferred: 1, refused: 0 });
    expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({ state: 'claimed', startAttempts: 0 });

    proxy.restore();
    // The next call may still use the connection that was cut. Such a failure does not count, however often it occurs.
    await expect
      .poll(async () => {
        ledger().clock.advance(2_000);
        await trigger.passes.askAway();
        await trigger.passes.reconcile();
        await trigger.passes.dispatch();
        return (await ledger().firings(handle.scheduleId))[0]!.state;
      })
      .toBe('linked');
    expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({
      state: 'linked',
      startAttempts: 0,
      recovery: null,
    });
  });

  it('is asked by a call of its own after each pause, and takes all that wait once it has answered', async () => {
    const { client, clock } = ledger();
    const proxy = await proxyOf(inject('temporalAddress'));
    const policies = { overlap: 'ALLOW_ALL' as const };
    for (let index = 0; index < 3; index++) await client.create(someSchedule({ action: action(), policies }));
    const { passes } = await ledger().trigger({ connection: { address: proxy.address } });
    const claimAnHourLater = async () => {
      clock.advance(3_600_000);
      await passes.claim();
    };
    const announced = () =>
      ledger().query('select from escapement.firings where start_attempted_at is not null and state = $1', ['claimed']);
    await claimAnHourLater();
    proxy.cut();
    for (let period = 0; period < 2; period++) {
      expect(await passes.dispatch()).toMatchObject(period === 0 ? { taken: 3, deferred: 3 } : { taken: 0 });
      // None of them was announced without a start.
      expect(await announced()).toEqual([]);
      await claimAnHourLater();
    }

    proxy.restore();
    await expect
      .poll(async () => {
        clock.advance(31_000);
        await passes.reconcile();
        await passes.dispatch();
        return ledger().query(`select from escapement.firings where state = 'linked'`);
      })
      .toHaveLength(9);
  });

  it('puts a SKIP decision off rather than guess', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const { scheduleId } = await ledger().client.create(
      someSchedule({ action: { ...action(), workflowType: 'untilFinished' } }),
    );
    const trigger = await ledger().trigger({ connection: { address: proxy.address } });
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    proxy.cut();
    ledger().clock.set('2026-03-01T02:00:00Z');
    expect(await trigger.passes.claim()).toMatchObject({ claimed: [], skipped: [], postponed: [scheduleId] });
    expect(await trigger.passes.verify()).toEqual({
      claimed: [],
      skipped: [],
      buffered: [],
      gaps: [],
      postponed: [scheduleId],
    });
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);

    proxy.restore();
    for (let skipped = 0; skipped === 0; ) {
      ledger().clock.advance(1_000);
      await trigger.passes.claim();
      skipped = (await trigger.passes.verify()).skipped.length;
    }
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      expect.stringMatching(/^03-01T02:00:00 \w+ skipped overlap$/),
    ]);
  });

  it('of one namespace does not count against a firing, nor hold up another namespace', async () => {
    const lost = await ledger().client.create(someSchedule({ namespace: 'no-such-namespace' }));
    const fine = await ledger().client.create(someSchedule({ action: action() }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1, deferred: 1, refused: 0 });
    const [firing] = await ledger().firings(lost.scheduleId);
    expect(firing).toMatchObject({
      state: 'claimed',
      startAttempts: 0,
      lastError: expect.stringContaining('no-such-namespace'),
    });
    expect((await ledger().firings(fine.scheduleId))[0]).toMatchObject({ state: 'linked' });
  });

  it('does not abandon a firing over jitter: its window counts from when it was to start', async () => {
    const options = someSchedule({
      // Its jitter follows from its ID: 17 minutes.
      scheduleId: 'jittered',
      spec: { cron: '0 * * * *', jitter: '59 minutes' },
      action: action(),
      policies: { catchupWindow: '10 seconds' },
    });
    const { scheduleId } = await ledger().client.create(options);
    const trigger = await ledger().trigger();
    await trigger.passes.claim();
    const [{ wake_at }] = (await ledger().query('select wake_at from escapement.timers')) as [{ wake_at: Date }];
    expect(wake_at.getTime()).toBeGreaterThan(Date.parse(DUE) + 10_000);
    ledger().clock.set(wake_at.toISOString());
    await trigger.passes.claim();
    ledger().clock.advance(3_000);
    await leaveUncalled(ledger(), trigger);
    expect(await trigger.passes.reconcile()).toMatchObject({ waiting: 1, abandoned: 0 });
    expect((await ledger().firings(scheduleId))[0]).toMatchObject({ state: 'claimed' });
  });
});
