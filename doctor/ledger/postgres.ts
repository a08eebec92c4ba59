import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import { MissingRightsError } from '../../core/errors';
import { heldMonth } from '../../core/held-month';
import { readDeadRows, readIdleLocks, readOldSnapshots, readServerState } from '../../store/doctor/server';
import { readMonthHolder, readMonths } from '../../store/firings/retire-month';
import { checkRights, isForTriggers } from '../../store/rights';
import type { TriggerProblem } from '../../store/table-values';
import { type Check, type Finding, some } from '../finding';
import { before, type LedgerContext, MINUTE } from './context';

const IDLE_FOR_SECONDS = 10;
const SNAPSHOT_FOR_SECONDS = 30 * 60;
/** Triggers create the next month at their first sweep in a month, which may take a while. */
const NEXT_MONTH_WITHIN_MILLISECONDS = 5 * MINUTE;
/** A table is reported only if it has more dead rows than this, and more than half as many as live ones. */
const DEAD_ROWS = 100_000;

function reportedOf({ problems }: LedgerContext['reports'], condition: TriggerProblem['condition']) {
  return problems.filter((problem) => problem.condition === condition);
}

export const GRANT_RIGHTS =
  "Print the rights that each kind of program needs, and grant them: 'escapement db grants --role NAME --for USE'.";

export const POSTGRES_CHECKS: Check<LedgerContext>[] = [
  {
    name: 'rights of this role',
    async find({ store }) {
      // A role that is meant for clients or readers needs no rights of triggers.
      if (!(await isForTriggers(store))) return [];
      let [missing, outcome]: [readonly string[], string] = [[], 'leaves some work undone'];
      try {
        missing = await checkRights(store);
      } catch (error) {
        if (!(error instanceof MissingRightsError)) throw error;
        [missing, outcome] = [error.missing, 'does not fire'];
      }
      if (missing.length === 0) return [];
      return [
        {
          id: 'rights_missing',
          severity: 'warning',
          text: `The role that doctor uses lacks ${missing.join('; ')}: a trigger with this role ${outcome}.`,
          action: "Grant the rights that a trigger needs: 'escapement db grants --role NAME --for trigger'.",
          runBook: 'postgres',
        },
      ];
    },
  },
  {
    name: 'the server',
    async find({ store, reports }) {
      const sentAt = Date.now();
      const { now, isStandby, isReadOnly, isReadOnlyByRole, hasAutovacuum } = await readServerState(store);
      const receivedAt = Date.now();
      const offset = now.getTime() - (sentAt + receivedAt) / 2;
      // The error of the comparison is at most half of the round trip.
      const surely = Math.abs(offset) - (receivedAt - sentAt) / 2;
      const findings: Finding[] = [];
      // A role for reports may be read-only on purpose.
      if (isStandby || (isReadOnly && (!isReadOnlyByRole || (await isForTriggers(store))))) {
        findings.push({
          id: 'read_only',
          severity: 'critical',
          text: isStandby
            ? 'This Postgres is a standby: nothing can be claimed on it.'
            : 'Sessions here take no writes (default_transaction_read_only): nothing can be claimed.',
          action: isStandby ? 'Point DATABASE_URL to the primary.' : 'Switch default_transaction_read_only off.',
          runBook: 'postgres-failover',
        });
      }
      if (surely > ALERT_DEFAULTS.clockOffMilliseconds) {
        findings.push({
          id: 'clock_off',
          severity: 'warning',
          text: `The clock of Postgres is ${Math.abs(Math.round(offset / 1_000))} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's. Triggers fire by the clock of Postgres.`,
          action: 'Synchronize both by NTP.',
          runBook: 'postgres',
        });
      }
      for (const { text, action } of reportedOf(reports, 'clock_off')) {
        findings.push({ id: 'clock_off', severity: 'warning', text, action, runBook: 'postgres' });
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
    name: 'locks that sessions keep',
    async find({ store, reports }) {
      const sessions = await readIdleLocks(store, { idleForSeconds: IDLE_FOR_SECONDS });
      const held = reportedOf(reports, 'lock_held').filter(
        ({ subject }) => !sessions.some(({ pid }) => subject === `process ${pid}`),
      );
      const ofTriggers = held.map(({ text, action }) => ({
        id: 'lock_held',
        severity: 'critical' as const,
        text,
        action,
        runBook: 'postgres' as const,
      }));
      const idle = sessions.map(({ pid, name, since }) => ({
        id: 'lock_held',
        severity: 'critical' as const,
        text: `Process ${pid} ('${name}') is idle in a transaction that began at ${since.toISOString()}, and holds locks on the ledger: schedules that it has locked do not fire.`,
        action: `End it: select pg_terminate_backend(${pid}).`,
        runBook: 'postgres' as const,
      }));
      return [...idle, ...ofTriggers];
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
          text: `${who} has kept a snapshot open since ${oldest.since.toISOString()}${others.length > 0 ? `, and ${others.length} more do so` : ''}: Postgres cannot clean up rows that have changed since then.`,
          action:
            oldest.pid === null
              ? `Commit it or roll it back: rollback prepared '${oldest.name}'.`
              : `End it, unless it is a backup: select pg_terminate_backend(${oldest.pid}).`,
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
          text: `Autovacuum does not keep up with ${some(tables.map(({ table }) => table))}: ${tables[0]!.dead.toLocaleString('en')} rows of the first one are dead.`,
          action:
            'Check for a snapshot that stays open, of a standby or a replication slot too. If there is none, give autovacuum more workers or a lower cost delay.',
          runBook: 'postgres',
        },
      ];
    },
  },
  {
    name: 'months of firings',
    async find({ store, settings, reports, triggers, hasSchedules, ...at }) {
      const months = await readMonths(store);
      const has = new Set(months.map((month) => month.getTime()));
      const { now } = at;
      // Where no trigger is alive and no schedule fires, a missing month is no problem.
      const isAwaited = triggers.length > 0 || hasSchedules;
      const isNewMonth = before(at, NEXT_MONTH_WITHIN_MILLISECONDS).getUTCMonth() !== now.getUTCMonth();
      const ahead = isAwaited ? [0, ...(isNewMonth ? [] : [1])] : [];
      const missing = ahead
        .map((offset) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)))
        .filter((month) => !has.has(month.getTime()));
      const why = reportedOf(reports, 'partition_missing');
      const reasonOf = (month: Date) => why.find(({ subject }) => subject === month.toISOString().slice(0, 7));
      const findings: Finding[] = missing.map((month) => ({
        id: 'partition_missing',
        severity: month <= now ? 'critical' : 'warning',
        text:
          reasonOf(month)?.text ??
          `The partition of firings for ${month.toISOString().slice(0, 7)} is missing${month <= now ? ': nothing is claimed until a trigger creates it' : ''}.`,
        action:
          reasonOf(month)?.action ?? "Check that a trigger is alive, and that its role may execute 'ensure_partition'.",
        runBook: 'postgres',
      }));
      const keptFrom = before(at, settings.retentionMilliseconds + ALERT_DEFAULTS.retentionHeldMilliseconds);
      for (const month of months) {
        const until = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
        if (!(until < keptFrom)) break;
        const holder = await readMonthHolder(store, month);
        if (!holder) continue;
        findings.push({
          id: 'retention_held',
          severity: 'warning',
          ...heldMonth(month.toISOString().slice(0, 7), holder),
          runBook: 'postgres',
        });
        break;
      }
      return findings;
    },
  },
];
