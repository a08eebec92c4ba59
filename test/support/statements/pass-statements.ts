import { randomUUID } from 'node:crypto';
import type { FiringKey } from '../../../core/firing';
import { openStore } from '../../../store/connection';
import type { TestLedger } from '../ledger';
import { scannedWhole } from './plans';
import { sendRareStatements } from './rare-statements';
import { collectingPool, type SentStatement, storeFunctionsOfTrigger } from './store-statements';

/** Tables with a handful of rows, which an index would only slow down. */
const SMALL = [
  'triggers',
  'meta',
  'alerts',
  'alert_targets',
  'alert_messages',
  'alert_silences',
  'api_requests',
  'api_tokens',
  'api_audit',
  // A row a month and tenant, and what has changed since the last minute.
  'firing_counts',
];
/** As large as the schema, not as the ledger. */
const isCatalogue = (relation: string) => relation.startsWith('pg_');
/** Statements that read a whole table on purpose, by the function that sends them. */
const MAY_READ_ALL: Record<string, string[]> = {
  // Once a day, and after a failover.
  readNamespaces: ['schedule_versions', 'schedules'],
  readLinkedNamespaces: ['schedule_versions'],
  // By the clock of the database all of them are due here.
  readGauges: ['timers'],
  // Only after the clock of Postgres was ahead.
  makeFarChecksDue: ['timers'],
  // Those that are held, and those that ended within a day: once a minute.
  deleteEndedLeases: ['leases'],
};
/** What has no plan. */
const WITHOUT_PLAN =
  /^\s*(?:do|begin|commit|rollback|savepoint|release|start transaction|set|show|lock|listen|unlisten|notify)\b/i;

/** Sends every statement of every pass on a filled ledger: by the passes, and by calls of what they rarely call. */
export async function sendStatementsOfPasses(ledger: TestLedger): Promise<SentStatement[]> {
  const { pool, sent } = collectingPool(ledger);
  const { passes } = await ledger.trigger({ pool, limits: { batchSize: 50 } });
  for (let minute = 0; minute < 2; minute++) {
    ledger.clock.set(`2026-03-01T01:0${minute}:30Z`);
    for (const pass of Object.keys(passes) as (keyof typeof passes)[]) await passes[pass]();
  }
  const store = openStore({ pool });
  ledger.beforeClose(() => store.close());
  const keys = (state: string) =>
    ledger.query<FiringKey>(`select schedule_id as "scheduleId", scheduled_time as "scheduledTime"
      from escapement.firings where state = '${state}' order by scheduled_time limit 2`);
  const [claimed, linked, [closed]] = [await keys('claimed'), await keys('linked'), await keys('closed')];
  const now = new Date(ledger.clock.now());
  await sendRareStatements(store, { now, owner: randomUUID(), claimed, linked, closed: closed! });
  return [...sent.values()];
}

/** The statements that read a whole table, and the functions of the store that sent none: nobody has seen their plans. */
export async function problemsOf(ledger: TestLedger, statements: SentStatement[]): Promise<string[]> {
  const calledBy = new Set(statements.flatMap(({ by }) => by));
  const unseen = [...storeFunctionsOfTrigger()].filter((name) => !calledBy.has(name));
  const problems = unseen.map((name) => `${name} was not called: add a call to rare-statements.ts`);
  // A month ahead, of which there is nothing to read.
  const empty = (
    await ledger.query<{ name: string }>(`select relname as name from pg_class
      where relnamespace = 'escapement'::regnamespace and relkind = 'r' and pg_relation_size(oid) = 0`)
  ).map(({ name }) => name);
  for (const { text, values, by } of statements) {
    if (WITHOUT_PLAN.test(text)) continue;
    await ledger.query('begin');
    const [row] = await ledger.query(`explain (format json) ${text}`, values);
    await ledger.query('rollback');
    const allowed = [...SMALL, ...empty, ...by.flatMap((name) => MAY_READ_ALL[name] ?? [])];
    const whole = scannedWhole(row!['QUERY PLAN'][0].Plan);
    const large = whole.filter((relation) => !allowed.includes(relation) && !isCatalogue(relation));
    if (large.length > 0) problems.push(`${by.join()} reads all of ${large.join()}: ${text}`);
  }
  return problems;
}
