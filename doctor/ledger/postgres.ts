import { readDeadRows, readIdleLocks, readOldSnapshots, readServerState } from '../../store/doctor/server';
import { readMonthHolder, readMonths } from '../../store/firings/retention';
import { checkRights } from '../../store/rights';
import { type Check, type Finding, some } from '../finding';
import { before, type LedgerContext, MINUTE } from './context';

/** A clock that is so far off makes every time on a page misleading. */
const CLOCK_OFF_MILLISECONDS = 2_000;
const IDLE_FOR_SECONDS = 10;
const SNAPSHOT_FOR_SECONDS = 30 * 60;
/** Fewer dead rows cost nothing that anybody would notice. */
const DEAD_ROWS = 100_000;
/** A month that is retired is checked once a minute; one that is older by this is held. */
const RETIRED_WITHIN_MILLISECONDS = 24 * 60 * MINUTE;

export const POSTGRES_CHECKS: Check<LedgerContext>[] = [
  {
    name: 'rights of this role',
    async find({ store }) {
      const missing = await checkRights(store);
      if (missing.length === 0) return [];
      return [
        {
          id: 'rights_missing',
          severity: 'warning',
          text: `The role that doctor uses lacks ${missing.join('; ')}: a trigger of this role leaves something undone.`,
          action: 'Grant it what docs/postgres.md lists.',
          runBook: 'postgres',
        },
      ];
    },
  },
  {
    name: 'the server',
    async find({ store }) {
      const sentAt = Date.now();
      const { now, isStandby, isReadOnly, hasAutovacuum } = await readServerState(store);
      const offset = now.getTime() - (sentAt + Date.now()) / 2;
      const findings: Finding[] = [];
      if (isStandby || isReadOnly) {
        findings.push({
          id: 'read_only',
          severity: 'critical',
          text: isStandby
            ? 'This Postgres is a standby: nothing can be claimed on it.'
            : 'This Postgres takes no writes (default_transaction_read_only): nothing can be claimed.',
          action: isStandby ? 'Lead DATABASE_URL to the primary.' : 'Switch default_transaction_read_only off.',
          runBook: 'postgres',
        });
      }
      if (Math.abs(offset) > CLOCK_OFF_MILLISECONDS) {
        findings.push({
          id: 'clock_off',
          severity: 'warning',
          text: `The clock of Postgres is ${Math.abs(Math.round(offset / 1_000))} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's. Triggers fire by that of Postgres.`,
          action: 'Have both set by NTP.',
          runBook: 'postgres',
        });
      }
      if (!hasAutovacuum) {
        findings.push({
          id: 'autovacuum_off',
          severity: 'warning',
          text: 'Autovacuum is off: every read gets slower with each firing.',
          action: 'Switch it on in the configuration of Postgres.',
          runBook: 'postgres',
        });
      }
      return findings;
    },
  },
  {
    name: 'locks that idle sessions hold',
    async find({ store }) {
      const sessions = await readIdleLocks(store, { idleForSeconds: IDLE_FOR_SECONDS });
      return sessions.map(({ pid, name, since }) => ({
        id: 'lock_held',
        severity: 'critical' as const,
        text: `Process ${pid} ('${name}') idles in a transaction of ${since.toISOString()} that holds locks on the ledger: what it has locked does not fire.`,
        action: `End it: select pg_terminate_backend(${pid}).`,
        runBook: 'postgres' as const,
      }));
    },
  },
  {
    name: 'snapshots that stay open',
    async find({ store }) {
      const [oldest, ...others] = await readOldSnapshots(store, { olderThanSeconds: SNAPSHOT_FOR_SECONDS });
      if (!oldest) return [];
      const who =
        oldest.pid === null ? `The prepared transaction '${oldest.name}'` : `Process ${oldest.pid} ('${oldest.name}')`;
      return [
        {
          id: 'snapshot_held',
          severity: 'warning',
          text: `${who} keeps a snapshot of ${oldest.since.toISOString()}${others.length > 0 ? `, and ${others.length} more do` : ''}: Postgres cleans up nothing that has changed since.`,
          action:
            oldest.pid === null
              ? `Commit it or roll it back: rollback prepared '${oldest.name}'.`
              : `End it, if it is not a backup: select pg_terminate_backend(${oldest.pid}).`,
          runBook: 'postgres',
        },
      ];
    },
  },
  {
    name: 'dead rows',
    async find({ store }) {
      const tables = await readDeadRows(store, { moreThan: DEAD_ROWS });
      if (tables.length === 0) return [];
      return [
        {
          id: 'autovacuum_behind',
          severity: 'warning',
          text: `Autovacuum does not keep up with ${some(tables.map(({ table }) => table))}: ${tables[0]!.dead.toLocaleString('en')} rows of the first are dead.`,
          action: 'See whether a snapshot stays open; else give autovacuum more workers or a lower cost delay.',
          runBook: 'postgres',
        },
      ];
    },
  },
  {
    name: 'months of firings',
    async find({ store, settings, ...at }) {
      const months = await readMonths(store);
      const has = new Set(months.map((month) => month.getTime()));
      const { now } = at;
      const missing = [0, 1]
        .map((ahead) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)))
        .filter((month) => !has.has(month.getTime()));
      const findings: Finding[] = missing.map((month) => ({
        id: 'partition_missing',
        severity: month <= now ? 'critical' : 'warning',
        text: `The partition of firings for ${month.toISOString().slice(0, 7)} is missing${month <= now ? ': nothing is claimed before a trigger makes it' : ''}.`,
        action: "See whether a trigger is alive, and whether its role may execute 'ensure_partition'.",
        runBook: 'postgres',
      }));
      const keptFrom = before(at, settings.retentionMilliseconds + RETIRED_WITHIN_MILLISECONDS);
      for (const month of months) {
        const until = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
        if (!(until < keptFrom)) break;
        const holder = await readMonthHolder(store, month);
        if (!holder) continue;
        const { letterId, scheduleId, scheduledTime, open } = holder;
        findings.push({
          id: 'retention_held',
          severity: 'warning',
          text: `${month.toISOString().slice(0, 7)} is older than the retention and is kept for ${open.toLocaleString('en')} open ${open === 1 ? 'firing or letter' : 'firings and letters'}, the first of '${scheduleId}' at ${scheduledTime.toISOString()}.`,
          action: letterId
            ? `Decide on it: 'escapement dead-letter show ${letterId}'.`
            : `See what it waits for: 'escapement explain ${scheduleId} ${scheduledTime.toISOString()}'.`,
          runBook: 'postgres',
        });
        break;
      }
      return findings;
    },
  },
];
