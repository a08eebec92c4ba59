import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { heartbeatWhile, type Lease, withLease } from '../../activities';
import { aborted, TestActivity } from '../support/leases/lease-activities';
import { useLeases } from './held';

const { ledger, postgres, hold, rows } = useLeases();

describe('a lease', () => {
  it('measures who waits for it, and for how long, where its worker has a registry', async () => {
    const metrics = new Registry();
    const value = async (name: string) => (await metrics.getSingleMetric(name)!.get()).values[0]!.value;
    const first = await hold('invoice/1', {}, new TestActivity({ ...postgres(), metrics }));
    expect(await value('escapement_leases_waited_for')).toBe(0);
    const waiters = [0, 1].map(() =>
      new TestActivity({ ...postgres(), metrics }).run(() => withLease('invoice/1', async () => {})),
    );
    await vi.waitFor(async () => expect(await value('escapement_leases_waited_for')).toBe(2), 60_000);
    await first.release();
    await Promise.all(waiters);
    expect(await value('escapement_leases_waited_for')).toBe(0);
    expect(await metrics.metrics()).toContain('escapement_lease_wait_seconds_count 3');
  });

  it('is its tenant’s: a worker of another tenant, or of none, has one of the same name', async () => {
    const of = (tenant?: string) => new TestActivity({ ...postgres(), ...(tenant === undefined ? {} : { tenant }) });
    const held = [
      await hold('invoice/1', {}, of('acme')),
      await hold('invoice/1', {}, of('other')),
      await hold('invoice/1', {}, of()),
      await hold('invoice/1', { tenant: 'third' }, of()),
    ];
    expect(held.map(({ lease }) => lease.resource)).toEqual(Array(4).fill('invoice/1'));
    const names = await ledger().query('select resource from escapement.leases order by 1');
    expect(names.map(({ resource }) => resource)).toEqual([
      '["acme","invoice/1"]',
      '["other","invoice/1"]',
      '["third","invoice/1"]',
      'invoice/1',
    ]);
    const attempt = (resource: string, tenant: string | undefined, asked: object = {}) =>
      of(tenant).run(() => withLease(resource, async () => undefined, { waitAtMost: 0, ...asked }));
    await expect(attempt('invoice/1', 'acme')).rejects.toMatchObject({ name: 'LeaseHeldError', resource: 'invoice/1' });
    await expect(attempt('invoice/1', undefined, { tenant: 'acme' })).rejects.toMatchObject({ name: 'LeaseHeldError' });
    await expect(attempt('invoice/2', 'acme', { tenant: 'other' })).rejects.toThrow(/is not the tenant of this worker/);
    for (const none of [undefined, ''])
      await expect(attempt('["acme","invoice/2"]', none)).rejects.toThrow(/a tenant's lease/);
    for (const { release } of held) await release();
    await attempt('invoice/1', 'acme');
  });

  it('has one holder at a time, each with a greater token, and its row outlives them', async () => {
    let inside = 0;
    const tokens: number[] = [];
    const work = () =>
      new TestActivity(postgres()).run(() =>
        withLease('invoice/1', async ({ token }) => {
          inside += 1;
          expect(inside).toBe(1);
          await ledger().query('select 1');
          tokens.push(token);
          inside -= 1;
          return token;
        }),
      );
    await Promise.all([work(), work(), work(), work()]);
    expect(tokens).toHaveLength(4);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(await rows()).toMatchObject([{ token: String(tokens.at(-1)), free: true }]);
  });

  it('has a token that goes on growing after its row was deleted, and after one from the future', async () => {
    const take = (): Promise<number> =>
      new TestActivity(postgres()).run(() => withLease('r', async ({ token }) => token));
    const first = await take();
    await ledger().query('delete from escapement.leases');
    const second = await take();
    expect(second).toBeGreaterThan(first);
    await ledger().query('update escapement.leases set token = token + 9000000000');
    expect(await take()).toBe(second + 9_000_000_001);
  });

  it('is taken over from a holder that is gone only when the database says that it has expired', async () => {
    await ledger().query(`insert into escapement.leases values ('r', 7, 'somebody gone', now(), 'infinity')`);
    const waiting = hold('r', { ttl: '1 hour' });
    await expect(
      new TestActivity(postgres()).run(() => withLease('r', async () => {}, { waitAtMost: 0 })),
    ).rejects.toMatchObject({ name: 'LeaseHeldError', holder: 'somebody gone' });
    await ledger().query(`update escapement.leases set expires_at = clock_timestamp()`);
    const { lease, release } = await waiting;
    expect(lease.token).toBeGreaterThan(7);
    await release();
  });

  it('that another holds is waited for while heartbeating, and then fails naming the holder and until when', async () => {
    const { release } = await hold('invoice/2');
    const [held] = await rows();
    const activity = new TestActivity(postgres(), { heartbeatTimeoutMs: 200, heartbeatDetails: { page: 3 } });
    const waiting = activity.run(() => withLease('invoice/2', async () => {}, { waitAtMost: '2 seconds' }));
    await expect(waiting).rejects.toMatchObject({
      name: 'LeaseHeldError',
      type: 'LeaseHeldError',
      nonRetryable: false,
      holder: held!.holder,
      until: held!.expires_at,
      details: [{ resource: 'invoice/2', holder: held!.holder, until: held!.expires_at.toISOString() }],
    });
    expect(held!.holder).toMatch(/^billing-workflow\/[\w-]{36} chargeCard#1 on \S+$/);
    expect(activity.heartbeats.length).toBeGreaterThan(2);
    expect(activity.heartbeats).toEqual(activity.heartbeats.map(() => ({ page: 3 })));
    await release();
  });

  it('is no longer waited for when the activity is cancelled', async () => {
    const { release } = await hold('r');
    const activity = new TestActivity(postgres(), { heartbeatTimeoutMs: 200 });
    const waiting = activity.run(() => withLease('r', async () => expect.fail('got the lease')));
    await activity.untilHeartbeats(1);
    activity.cancel();
    await expect(waiting).rejects.toMatchObject({ name: 'CancelledFailure' });
    await release();
  });

  it('is renewed with heartbeats that keep what the activity saved, for as long as the work takes', async () => {
    const { lease, activity, release } = await hold('r', { ttl: '4 seconds' });
    const [before] = await rows();
    lease.heartbeat({ page: 4 });
    activity.context.heartbeat({ page: 5 });
    await vi.waitFor(async () => {
      const [now] = await rows();
      expect(now!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime() + 2_000);
      expect(activity.heartbeats.slice(-4)).toEqual([{ page: 5 }, { page: 5 }, { page: 5 }, { page: 5 }]);
    }, 60_000);
    expect(lease.signal.aborted).toBe(false);
    await release();
  });

  it('goes on while its activity is cancelled, so that it can clean up under the lease', async () => {
    const { lease, activity, release } = await hold('r', { ttl: '4 seconds' });
    activity.cancel();
    expect(await aborted(lease.signal)).toMatchObject({ name: 'CancelledFailure' });
    const [before] = await rows();
    await vi.waitFor(async () => {
      const [now] = await rows();
      expect(now!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime());
    }, 60_000);
    await release();
  });

  it('aborts the work when another has taken it, and says so whatever the work returns', async () => {
    const { lease, release } = await hold('r', { ttl: 1_000 });
    const taken = `token = token + 1, holder = 'another', expires_at = 'infinity'`;
    await ledger().query(`update escapement.leases set ${taken}`);
    expect(await aborted(lease.signal)).toMatchObject({ name: 'LeaseLostError', token: lease.token });
    await expect(release()).rejects.toMatchObject({
      name: 'LeaseLostError',
      type: 'LeaseLostError',
      nonRetryable: false,
    });
    // A lease that another holder has is not released.
    expect(await rows()).toMatchObject([{ holder: 'another', free: false }]);
  });

  it('ends all heartbeats of its activity when it is lost, until its work has ended', async () => {
    const set = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => set.mockRestore());
    const activity = new TestActivity(postgres());
    /** How many heartbeats are sent when each of the three intervals is due. */
    const due = () => {
      const before = activity.heartbeats.length;
      for (const [beat, pause] of set.mock.calls) if (pause === 15_000 || pause === 250) beat();
      return activity.heartbeats.length - before;
    };
    const seen: number[] = [];
    const inner = async ({ signal }: Lease) => {
      seen.push(due());
      await ledger().query(`update escapement.leases set expires_at = clock_timestamp() where resource = 'inner'`);
      await aborted(signal);
      seen.push(due());
    };
    const outer = async () => {
      const lost = { name: 'LeaseLostError', resource: 'inner' };
      await expect(withLease('inner', inner, { ttl: 1_000 })).rejects.toMatchObject(lost);
      seen.push(due());
    };
    await activity.run(() => heartbeatWhile(() => withLease('outer', outer, { ttl: '2 minutes' })));
    expect(seen).toEqual([3, 0, 3]);
  });

  it('does not come back from expiry, though nobody else took it', async () => {
    const { lease, release } = await hold('r', { ttl: 1_000 });
    await ledger().query('update escapement.leases set expires_at = clock_timestamp()');
    expect(await aborted(lease.signal)).toMatchObject({ name: 'LeaseLostError' });
    await expect(release()).rejects.toMatchObject({ name: 'LeaseLostError' });
  });

  it('is lost at its end too, when nobody had noticed before, and another’s is not given back', async () => {
    const { release } = await hold('r');
    await ledger().query(`update escapement.leases set token = token + 1, holder = 'another'`);
    await expect(release()).rejects.toMatchObject({ name: 'LeaseLostError' });
    expect(await rows()).toMatchObject([{ holder: 'another', free: false }]);
  });

  it.each([
    ['', {}, /^resource: name what only one activity/],
    ['x'.repeat(1_001), {}, /^resource: name what only one activity/],
    ['r', { ttl: 999 }, /^ttl: '999' is not between 1 second and 1 day/],
    ['r', { ttl: '2 days' }, /^ttl: '2 days' is not between/],
    ['r', { ttl: 'soon' }, /^ttl: "soon" is not a duration/],
    ['r', { waitAtMost: -1 }, /^waitAtMost: -1 is not a duration/],
  ] as const)('is refused for %j %j, for good and without a row', async (resource, options, message) => {
    const work = new TestActivity(postgres()).run(() => withLease(resource, async () => {}, options as never));
    await expect(work).rejects.toMatchObject({
      name: 'InvalidLeaseError',
      nonRetryable: true,
      message: expect.stringMatching(message),
    });
    expect(await rows()).toEqual([]);
  });

  it('says what to do where the worker does not know the ledger, and where the ledger is not migrated', async () => {
    await expect(new TestActivity(undefined).run(() => withLease('r', async () => {}))).rejects.toMatchObject({
      name: 'LeasesNotConfiguredError',
      message: expect.stringMatching(/EscapementPlugin.*leaseInterceptor/),
    });
    await expect(
      new TestActivity({ ...postgres(), schema: 'elsewhere' }).run(() => withLease('r', async () => {})),
    ).rejects.toMatchObject({ name: 'SchemaNotMigratedError' });
  });
});
