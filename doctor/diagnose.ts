import { PostgresUnreachableError, SchemaNotMigratedError, SchemaTooNewError } from '../core/errors';
import { openStore, type PostgresOptions, type Store } from '../store/connection';
import { readAttributesInUse, readRoutesInUse } from '../store/doctor/schedules';
import { readServerState } from '../store/doctor/server';
import { checkSchema } from '../store/meta';
import { isRightMissing } from '../store/postgres-errors';
import { readSettings } from '../store/settings';
import { readTriggerReports } from '../store/trigger-reports';
import { readAliveTriggers } from '../store/triggers';
import { type Finding, worstFirst } from './finding';
import { ALERT_CHECKS } from './ledger/alerts';
import type { LedgerContext } from './ledger/context';
import { FIRING_CHECKS } from './ledger/firings';
import { GRANT_RIGHTS, POSTGRES_CHECKS } from './ledger/postgres';
import { SCHEDULE_CHECKS } from './ledger/schedules';
import { TRIGGER_CHECKS } from './ledger/triggers';
import { attempt, runChecks } from './run-checks';
import { readStanding, type Standing } from './standing';
import { checkTemporal, type InUse, type TemporalServers } from './temporal/check-temporal';

export interface DiagnoseOptions {
  postgres: PostgresOptions;
  temporal: TemporalServers;
  /** A function that returns the current time in epoch milliseconds. @default the database's clock */
  now?: () => number;
}

const LEDGER_CHECKS = [...TRIGGER_CHECKS, ...SCHEDULE_CHECKS, ...FIRING_CHECKS, ...ALERT_CHECKS, ...POSTGRES_CHECKS];
const QUERY_TIMEOUT_MILLISECONDS = 8_000;

/** The findings, worst first. If the ledger cannot be read, the first one says so, and the load is undefined. */
export interface Diagnosis {
  findings: Finding[];
  standing: Standing | undefined;
}

export async function diagnose(options: DiagnoseOptions): Promise<Finding[]> {
  return (await examine(options)).findings;
}

/** Checks the ledger, its triggers and Temporal. The checks change nothing. */
export async function examine({ postgres, temporal, now }: DiagnoseOptions): Promise<Diagnosis> {
  const store = openStore({ queryTimeoutMilliseconds: QUERY_TIMEOUT_MILLISECONDS, ...postgres });
  try {
    const opened = await openLedger(store, now);
    if ('problem' in opened) {
      return { findings: worstFirst([opened.problem, ...(await checkTemporal(temporal))]), standing: undefined };
    }
    const [ofLedger, ofTemporal, { standing, findings }] = await Promise.all([
      runChecks(LEDGER_CHECKS, opened.context),
      checkTemporal(temporal, opened.inUse),
      readStanding(opened.context),
    ]);
    return { findings: worstFirst([...opened.failed, ...ofLedger, ...ofTemporal, ...findings]), standing };
  } finally {
    await store.close();
  }
}

const NOTHING_REPORTED = { away: [], caps: [], problems: [] };
/** What pgbouncer answers to a transaction in statement mode. */
const STATEMENT_POOLING = /statement pooling/i;

async function openLedger(
  store: Store,
  now: DiagnoseOptions['now'],
): Promise<{ context: LedgerContext; inUse: InUse; failed: Finding[] } | { problem: Finding }> {
  try {
    await checkSchema(store);
    const at = now ? new Date(now()) : (await readServerState(store)).now;
    const settings = await readSettings(store);
    const routes = await readRoutesInUse(store);
    const inUse = { routes, attributes: await readAttributesInUse(store) };
    const triggers = await readAliveTriggers(store, now && at);
    const reports = await attempt('the reports of triggers', () => readTriggerReports(store, at));
    const context = { store, now: at, settings, triggers, hasSchedules: routes.length > 0 };
    return { context: { ...context, reports: reports.read ?? NOTHING_REPORTED }, inUse, failed: reports.failed };
  } catch (error) {
    return { problem: unreadable(error as Error) };
  }
}

function unreadable(error: Error): Finding {
  const { message } = error;
  if (error instanceof PostgresUnreachableError && STATEMENT_POOLING.test(message)) {
    return {
      id: 'pooler_mode',
      severity: 'critical',
      text: `pgbouncer pools by statement, but Escapement needs transactions: ${message}.`,
      action: "Set 'pool_mode = transaction' or 'pool_mode = session' for this database in its configuration.",
      runBook: 'postgres',
    };
  }
  if (error instanceof PostgresUnreachableError) {
    return {
      id: 'ledger_unavailable',
      severity: 'critical',
      text: `${message}.`,
      action: 'Make Postgres available again: triggers continue by themselves within seconds.',
      runBook: 'postgres',
    };
  }
  if (error instanceof SchemaNotMigratedError || error instanceof SchemaTooNewError) {
    return {
      id: 'schema',
      severity: 'critical',
      text: `${message}.`,
      action: 'Deploy the package and the schema of the same version.',
      runBook: 'a-bad-deploy',
    };
  }
  return {
    id: 'ledger_unreadable',
    severity: 'critical',
    text: `Doctor could not read the ledger: ${message}.`,
    action: isRightMissing(error)
      ? `${GRANT_RIGHTS} The role also needs 'connect' on the database.`
      : 'Run doctor again. If this repeats, look for locks and load in Postgres: pg_stat_activity.',
    runBook: 'postgres',
  };
}
