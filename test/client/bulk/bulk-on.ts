import { Client } from 'pg';
import type { FollowOptions } from '../../../index';
import { someSchedule, type TestLedger } from '../../support/ledger';

/** Schedules for bulk operations of a test, and which of them are paused. */
export function bulkOn(ledger: () => TestLedger) {
  return {
    async schedules(count: number, more: object = {}): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, at) => `s-${String(at).padStart(2, '0')}`);
      for (const scheduleId of ids) await ledger().client.create(someSchedule({ scheduleId, ...more }));
      return ids;
    },
    async paused(): Promise<string[]> {
      const rows = await ledger().query<{ id: string }>(
        'select schedule_id as id from escapement.schedules where paused',
      );
      return rows.map(({ id }) => id).sort();
    },
    /** Keeps schedules locked until the returned function is called. */
    async locked(which: string): Promise<() => Promise<unknown>> {
      const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'by-hand' });
      await holder.connect();
      ledger().beforeClose(() => holder.end());
      await holder.query(`begin; select from escapement.timers where ${which} for update`);
      return () => holder.query('rollback');
    },
    /** Whether a transaction waits for a lock. */
    async isBlocked(): Promise<boolean> {
      const rows = await ledger().query(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and backend_type = 'client backend'`);
      return rows.length > 0;
    },
    /** Each change of the schedule `s-00` fails with this SQLSTATE. */
    async refusing(code: string): Promise<void> {
      await ledger().query(`
        create function refuse() returns trigger language plpgsql as
          $$ begin raise 'not this one' using errcode = '${code}'; end $$;
        create trigger refuse before update on escapement.schedules for each row when (old.schedule_id = 's-00')
          execute function refuse()`);
    },
  };
}

/** Options with which an operation is not followed beyond the first read. */
export function abortedAtOnce(): FollowOptions {
  const stopping = new AbortController();
  return { signal: stopping.signal, progress: () => stopping.abort() };
}
