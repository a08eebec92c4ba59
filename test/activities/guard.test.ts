import { once } from 'node:events';
import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { heartbeatWhile, type Lease, withLease } from '../../activities';
import { aborted, TestActivity } from '../support/leases/lease-activities';
import { urlFor } from '../support/least-privilege';
import { uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger();

/** A connection of the user's. */
async function connect(connectionString = ledger().databaseUrl): Promise<Client> {
  const client = new Client({ connectionString });
  // Postgres ends connections that are idle in a transaction for too long: to be expected here.
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function withTestLease<Result>(work: (lease: Lease) => Promise<Result>, ttl: number | string = '1 minute') {
  const activity = new TestActivity({ connectionString: urlFor(ledger().databaseUrl, 'worker') });
  return activity.run(() => withLease('invoice', work, { ttl: ttl as number }));
}

const written = () => ledger().query('select by from written order by by');

beforeEach(async () => {
  await ledger().query('create table written (by text)');
});

describe('a guarded transaction', () => {
  it('that is refused after the work has ended leaves its activity the heartbeats', async () => {
    const client = await connect();
    const activity = new TestActivity(
      { connectionString: urlFor(ledger().databaseUrl, 'worker') },
      { heartbeatTimeoutMs: 40 },
    );
    const work = async () => {
      const lease = await withLease('invoice', async (held) => held);
      await client.query('begin');
      await expect(lease.guard(client)).rejects.toMatchObject({ name: 'LeaseLostError' });
      await activity.untilHeartbeats(1);
    };
    await activity.run(() => heartbeatWhile(work));
  });

  it('commits while the lease holds', async () => {
    const client = await connect();
    await withTestLease(async (lease) => {
      await client.query('begin');
      await lease.guard(client);
      await client.query(`insert into written values ('holder')`);
      await client.query('commit');
    });
    expect(await written()).toEqual([{ by: 'holder' }]);
  });

  it.each([
    ['expired', 'expires_at = clock_timestamp()'],
    ['taken by another', 'token = token + 1'],
  ])('writes nothing once the lease is %s, whatever its program does with the error', async (_, change) => {
    const client = await connect();
    const work = withTestLease(async (lease) => {
      await ledger().query(`update escapement.leases set ${change}`);
      await client.query('begin');
      await client.query(`insert into written values ('before the guard')`);
      await expect(lease.guard(client)).rejects.toMatchObject({ name: 'LeaseLostError', token: lease.token });
      await expect(client.query(`insert into written values ('zombie')`)).rejects.toThrow(/transaction is aborted/);
      expect((await client.query('commit')).command).toBe('ROLLBACK');
    });
    await expect(work).rejects.toMatchObject({ name: 'LeaseLostError' });
    expect(await written()).toEqual([]);
  });

  it('fails though it began before another took the lease', async () => {
    const client = await connect();
    const work = withTestLease(async (lease) => {
      await client.query('begin isolation level repeatable read');
      await client.query('select * from escapement.leases');
      // The snapshot still shows the lease as its own and unexpired.
      await ledger().query('update escapement.leases set token = token + 1');
      await expect(lease.guard(client)).rejects.toThrow(/could not serialize access/);
      expect((await client.query('commit')).command).toBe('ROLLBACK');
    });
    await expect(work).rejects.toMatchObject({ name: 'LeaseLostError' });
  });

  it('is committed before another can take the lease, though it outlives the lease', async () => {
    const client = await connect();
    let taking: Promise<unknown> | undefined;
    const work = withTestLease(async (lease) => {
      await client.query('begin');
      await lease.guard(client);
      await ledger().query('update escapement.leases set expires_at = clock_timestamp()');
      const other = new TestActivity(
        { connectionString: urlFor(ledger().databaseUrl, 'worker') },
        { heartbeatTimeoutMs: 200 },
      );
      // Nobody may wait for the locked row, since this lock would never end.
      await expect(other.run(() => withLease('invoice', written, { waitAtMost: 0 }))).rejects.toMatchObject({
        name: 'LeaseHeldError',
      });
      taking = other.run(() => withLease('invoice', () => written()));
      await other.untilHeartbeats(5);
      await client.query(`insert into written values ('first')`);
      await client.query('commit');
    });
    await expect(work).rejects.toMatchObject({ name: 'LeaseLostError' });
    expect(await taking).toEqual([{ by: 'first' }]);
  });

  it('keeps the token from changing until it ends, whoever would change it', async () => {
    const client = await connect();
    await withTestLease(async (lease) => {
      await client.query('begin');
      await lease.guard(client);
      await ledger().query(`set lock_timeout = '100ms'`);
      await expect(ledger().query('update escapement.leases set token = token + 1')).rejects.toMatchObject({
        code: '55P03',
      });
      await client.query('commit');
    });
  });

  it('does not keep its own lease from being renewed', async () => {
    const client = await connect();
    await withTestLease(async (lease) => {
      const expiry = async () => (await ledger().query('select expires_at from escapement.leases'))[0]!.expires_at;
      await client.query('begin');
      await lease.guard(client);
      const before = await expiry();
      await vi.waitFor(async () => {
        // Each statement keeps the transaction from being idle for too long.
        await client.query('select 1');
        expect((await expiry()).getTime()).toBeGreaterThan(before.getTime() + 1_000);
      }, 60_000);
      await client.query('commit');
    }, '4 seconds');
  });

  it('that froze does not block a takeover for ever', async () => {
    const client = await connect();
    const work = withTestLease(async (lease) => {
      await client.query('begin');
      await client.query(`insert into written values ('frozen')`);
      await lease.guard(client);
      await ledger().query(`update escapement.leases set expires_at = clock_timestamp()`);
      // The transaction never commits, like a process under SIGSTOP. The other holder still gets the lease.
      await withTestLease(async () => ledger().query(`insert into written values ('other')`), '3 seconds');
      await aborted(lease.signal);
    }, '3 seconds');
    await expect(work).rejects.toMatchObject({ name: 'LeaseLostError' });
    expect(await written()).toEqual([{ by: 'other' }]);
    await expect(client.query('commit')).rejects.toThrow();
  });

  it('that was idle for as long as the lease lives fails its step with an error that says so', async () => {
    const client = await connect();
    const ended = once(client, 'error');
    const work = withTestLease(async (lease) => {
      await client.query('begin');
      await lease.guard(client);
      await client.query(`insert into written values ('slow')`);
      await ended;
      await client.query('commit');
    }, 3_000);
    await expect(work).rejects.toMatchObject({
      ...{ name: 'GuardTimeoutError', type: 'GuardTimeoutError', resource: 'invoice', cause: undefined },
      message: expect.stringMatching(/guarded by the lease on 'invoice': it was idle for 3 s, .*not queryable/),
    });
    expect(await written()).toEqual([]);
    expect(client.listenerCount('error')).toBe(1);
  });

  it('keeps a shorter idle timeout of the user’s, and leaves none behind', async () => {
    const client = await connect();
    const timeout = async () =>
      (await client.query('show idle_in_transaction_session_timeout')).rows[0].idle_in_transaction_session_timeout;
    await withTestLease(async (lease) => {
      await client.query('begin');
      await lease.guard(client);
      expect(await timeout()).toBe('1min');
      await client.query('commit');
      expect(await timeout()).toBe('0');
      await client.query(`set idle_in_transaction_session_timeout = '7s'`);
      await client.query('begin');
      await lease.guard(client);
      expect(await timeout()).toBe('7s');
      await client.query('rollback');
    });
  });

  it('must be open: a guard outside of one fences nothing and says so', async () => {
    const client = await connect();
    await withTestLease(async (lease) => {
      await expect(lease.guard(client)).rejects.toMatchObject({
        name: 'InvalidLeaseError',
        message: expect.stringMatching(/no open transaction.*query\('begin'\)/),
      });
    });
  });

  it('may be of a role that can write nothing of the ledger', async () => {
    const role = uniqueName('app').replaceAll('-', '_');
    await ledger().query(`create role ${role}`);
    try {
      await ledger().query(`grant usage on schema escapement to ${role}`);
      await ledger().query(`grant execute on function escapement.guard_lease(text, bigint, int) to ${role}`);
      await ledger().query(`grant insert on written to ${role}`);
      const url = new URL(ledger().databaseUrl);
      url.searchParams.set('options', `-c role=${role}`);
      const client = await connect(url.href);
      await withTestLease(async (lease) => {
        await client.query('begin');
        await lease.guard(client);
        await client.query(`insert into written values ('app')`);
        await client.query('commit');
      });
      expect(await written()).toEqual([{ by: 'app' }]);
    } finally {
      await ledger().query(`drop owned by ${role}; drop role ${role}`);
    }
  });
});
