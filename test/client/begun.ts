import { Client } from 'pg';
import { useLedger } from '../support/ledger';

/** A ledger, and transactions of the caller's own on it. */
export function useTransactions() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  /** A connection of the user's with an open transaction. */
  async function begun(how = 'begin'): Promise<Client> {
    const client = new Client({ connectionString: ledger().databaseUrl });
    await client.connect();
    ledger().beforeClose(() => client.end());
    await client.query(how);
    return client;
  }

  const schedules = () =>
    ledger().query<{ schedule_id: string; deleted_at: Date | null }>(
      'select schedule_id, version, deleted_at from escapement.schedules order by 1',
    );

  return { ledger, begun, schedules };
}
