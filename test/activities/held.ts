import { expect } from 'vitest';
import { type Lease, withLease } from '../../activities';
import { proxyOf } from '../support/connections/proxy';
import { gate, TestActivity } from '../support/leases/lease-activities';
import { urlFor } from '../support/least-privilege';
import { useLedger } from '../support/ledger';

/** Leases of a ledger, and a way to it that can be cut. */
export function useLeases() {
  const ledger = useLedger();

  const postgres = () => ({ connectionString: urlFor(ledger().databaseUrl, 'worker') });

  /** A lease that is held until `release` is called. */
  async function hold(
    resource: string,
    options?: Parameters<typeof withLease>[2],
    activity = new TestActivity(postgres()),
  ) {
    const held = gate<Lease>();
    const done = gate();
    const running = activity.run(() =>
      withLease(
        resource,
        async (lease) => {
          held.open(lease);
          await done.promise;
        },
        options,
      ),
    );
    const lease = await Promise.race([held.promise, running.then(() => expect.fail('ended without the lease'))]);
    return {
      lease,
      activity,
      running,
      release: () => {
        done.open();
        return running;
      },
    };
  }

  const rows = () =>
    ledger().query<{ token: string; holder: string; free: boolean; expires_at: Date }>(
      'select token, holder, expires_at <= clock_timestamp() as free, expires_at from escapement.leases',
    );

  /** A proxy to the ledger's database that can be cut. */
  async function proxiedPostgres() {
    const url = new URL(postgres().connectionString);
    const proxy = await proxyOf(url.host);
    url.host = proxy.address;
    return { proxy, connectionString: url.href };
  }

  return { ledger, postgres, hold, rows, proxiedPostgres };
}
