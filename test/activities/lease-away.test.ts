import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { withLease } from '../../activities';
import { aborted, TestActivity } from '../support/leases/lease-activities';
import { useLeases } from './held';

const { ledger, hold, rows, proxiedPostgres } = useLeases();

it('the wait for a lease goes on after Postgres has cancelled a statement that took too long', async () => {
  const holder = new Client({ connectionString: ledger().databaseUrl });
  await holder.connect();
  await holder.query(`begin; insert into escapement.leases values ('r', 1, 'nobody', now(), now())`);
  const holding = hold('r');
  const statements = new Set<string>();
  const waited = async () => {
    const waiting = await ledger().query<{ since: string }>(
      `select query_start::text as since from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    for (const { since } of waiting) statements.add(since);
    return statements.size;
  };
  await expect.poll(waited).toBeGreaterThan(1);
  await holder.query('rollback');
  await holder.end();
  await (await holding).release();
});

describe('a lease', () => {
  it('survives Postgres being away for less than its time to live', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    const activity = new TestActivity({ connectionString });
    const { lease, release } = await hold('r', { ttl: '8 seconds' }, activity);
    const [before] = await rows();
    proxy.cut();
    await vi.waitFor(() => expect(activity.log.messages()).toEqual(['renewing a lease failed; trying again']), 60_000);
    proxy.restore();
    await vi.waitFor(async () => {
      const [now] = await rows();
      expect(now!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime());
    }, 60_000);
    expect(lease.signal.aborted).toBe(false);
    await release();
  });

  it('survives a connection that has gone silent, whose query is given up only after the lease would be over', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    const activity = new TestActivity({ connectionString });
    const { lease, release } = await hold('r', { ttl: '8 seconds' }, activity);
    const [before] = await rows();
    proxy.silence();
    await vi.waitFor(async () => {
      const [now] = await rows();
      expect(now!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime() + 2_000);
    }, 60_000);
    expect(lease.signal.aborted).toBe(false);
    await release();
  });

  it('is given up when Postgres is away for longer, before the database lets another take it', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    // The database counts from more than a second after the lease was asked for, since it has to connect first.
    proxy.slow(700);
    const { lease, release } = await hold('r', { ttl: '8 seconds' }, new TestActivity({ connectionString }));
    proxy.cut();
    let abortedAt = Number.POSITIVE_INFINITY;
    lease.signal.addEventListener('abort', () => {
      abortedAt = Date.now();
    });
    expect(await aborted(lease.signal)).toMatchObject({ name: 'LeaseLostError' });
    expect((await rows())[0]!.expires_at.getTime()).toBeGreaterThan(abortedAt);
    await expect(release()).rejects.toMatchObject({
      name: 'LeaseLostError',
      message: expect.stringMatching(/could not be renewed in time \(.+\)$/),
    });
  });

  it('is given up when Postgres answers nothing for longer', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    const activity = new TestActivity({ connectionString, queryTimeoutMilliseconds: 500 });
    const { lease, release } = await hold('r', { ttl: 4_000 }, activity);
    proxy.holdAnswers();
    expect(await aborted(lease.signal)).toMatchObject({ name: 'LeaseLostError' });
    await expect(release()).rejects.toMatchObject({
      name: 'LeaseLostError',
      message: expect.stringMatching(/could not be renewed in time \(.+\)$/),
    });
  });

  it('is lost if the work blocked its process for longer, while Postgres was away', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { release } = await hold('r', { ttl: '8 seconds' }, new TestActivity({ connectionString }));
      proxy.cut();
      vi.advanceTimersByTime(8_000);
      await expect(release()).rejects.toMatchObject({ name: 'LeaseLostError' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is waited for while Postgres is away', async () => {
    const { proxy, connectionString } = await proxiedPostgres();
    proxy.cut();
    const activity = new TestActivity({ connectionString });
    const never = activity.run(() => withLease('r', async () => {}, { waitAtMost: 200 }));
    await expect(never).rejects.toMatchObject({ name: 'PostgresUnreachableError' });
    const waiting = hold('r', {}, activity);
    proxy.restore();
    await (await waiting).release();
  });
});
