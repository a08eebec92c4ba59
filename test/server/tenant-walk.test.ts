import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createToken } from '../../server/access/tokens';
import { SCOPES } from '../../server/caller';
import { operations } from '../../server/routes';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

/**
 * What a token of tenant A can do about B's objects, by every operation of the OpenAPI document. New operations are
 * included automatically.
 */

const api = useApi();
/** In everything of B's that a reader could be shown. */
const SECRET = 'of-b-alone';
const TIME = '2026-02-01T05:00:00Z';

/** The input that an operation needs to reach B's objects, by its ID. */
const BODIES: Record<string, (scheduleId: string) => unknown> = {
  createSchedule: (scheduleId) => someSchedule({ scheduleId }),
  replaceSchedule: () => ({ ...someSchedule(), scheduleId: undefined }),
  patchSchedule: () => ({ spec: { cron: '* * * * *' } }),
  backfillSchedule: () => ({ ranges: [{ start: '2026-02-01T00:00:00Z', end: TIME }] }),
  createFreeze: (scheduleId) => ({ scheduleIds: [scheduleId], to: '2099-01-01T00:00:00Z', dryRun: true }),
  putCalendar: () => ({ days: ['2098-12-24'] }),
  bulkPause: (scheduleId) => ({ filter: { scheduleIds: [scheduleId] } }),
  bulkUnpause: () => ({ filter: { all: true } }),
  bulkTrigger: (scheduleId) => ({ filter: { text: scheduleId } }),
  bulkTag: () => ({ filter: { all: true }, owner: 'a' }),
  previewSpec: () => ({ spec: { cron: '* * * * *' } }),
  applySource: (scheduleId) => ({
    revision: 9,
    schedules: [someSchedule({ scheduleId })],
    prune: true,
    takeOver: true,
  }),
};
const QUERIES: Record<string, string> = { explainTime: `?time=${TIME}` };

/** What fills the places in paths. */
interface Things {
  scheduleId: string;
  source: string;
  letterId: string;
  alertId: string;
  silenceId: string;
  freezeId: string;
  calendar: string;
  operationId: string;
  tenant: string;
}

it('reaches nothing of another tenant by any operation, and tells it from nothing that never was', async () => {
  const { ledger, ask } = api();
  const b = ledger.newClient({ tenant: 'b' });
  const action = { ...someSchedule().action, workflowType: SECRET, taskQueue: SECRET, args: [SECRET] };
  const more = { action, memo: { owner: SECRET }, state: { note: SECRET } };
  await b.create(someSchedule({ scheduleId: 'b-nightly', ...more }));
  await b.apply([someSchedule({ scheduleId: 'b-declared', ...more })], { source: SECRET, revision: 7 });
  const { scheduledTime } = await b.getHandle('b-nightly').trigger();
  const ids = () => ({
    letterId: randomUUID(),
    alertId: randomUUID(),
    silenceId: randomUUID(),
    freezeId: randomUUID(),
  });
  const ofB = { ...ids(), operationId: randomUUID() };
  const calendar = 'b-days';
  await ledger.query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, note, created_at, updated_at)
     values ($1, 'b-nightly', $2, 0, 'start', 'start_rejected', 'default', $3, now(), now())`,
    [ofB.letterId, scheduledTime, SECRET],
  );
  await ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
     values ($1, 'late', 'b-nightly', 'b', 'b-nightly', now(), now(), now(), 1, $2)`,
    [ofB.alertId, SECRET],
  );
  await ledger.query(
    `insert into escapement.alert_silences (silence_id, tenant, schedule_id, until, reason, actor, created_at)
     values ($1, 'b', 'b-nightly', '2099-01-01Z', $2, 'b', '2026-01-01Z')`,
    [ofB.silenceId, SECRET],
  );
  await ledger.query(
    `insert into escapement.freezes (freeze_id, tenant, schedule_ids, from_time, to_time, catch_up, note, actor, created_at)
     values ($1, 'b', array['b-nightly'], '2098-01-01Z', '2099-01-01Z', 'NONE', $2, 'b', '2026-01-01Z')`,
    [ofB.freezeId, SECRET],
  );
  await b.calendars.put(calendar, { days: [{ day: '2098-12-25', label: SECRET }] });
  await ledger.query(
    `insert into escapement.api_audit (at, tenant, actor, address, operation, target, status) values (now(), 'b', $1, '::1', 'x', 'x', 200)`,
    [`ops ${SECRET}`],
  );
  await ledger.query(
    `with made as (insert into escapement.bulk_operations (operation_id, kind, tenant, actor, filter, change, total, created_at, ended_at)
       values ($1, 'pause', 'b', $2, '{}', '{}', 1, now(), now()) returning operation_id)
     insert into escapement.bulk_schedules (operation_id, schedule_id, outcome, error)
     select operation_id, 'b-nightly', 'failed', $2 from made`,
    [ofB.operationId, SECRET],
  );
  const postgres = { connectionString: ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'a', scopes: [...SCOPES], tenant: 'a', actor: 'ops' });
  const headers = { authorization: `Bearer ${token}` };

  const things: Things = { scheduleId: 'b-nightly', source: SECRET, tenant: 'b', calendar, ...ofB };
  const never: Things = {
    ...{ scheduleId: 'never-was', source: 'never-declared', tenant: 'nobody' },
    calendar: 'never-put',
    ...ids(),
    operationId: randomUUID(),
  };
  const asked = async ({ method, path, operationId, query }: (typeof operations)[number], on: Things) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = { ...on, time: TIME }[name];
      if (value === undefined) throw new Error(`say in this test what of B's a {${name}} is`);
      return encodeURIComponent(value);
    });
    const takesForce = query && 'force' in ((query as { shape?: object }).shape ?? {});
    const url = `${filled}${QUERIES[operationId] ?? (takesForce ? '?force=true' : '')}`;
    const body = BODIES[operationId]?.(on.scheduleId) ?? (method === 'POST' || method === 'PUT' ? {} : undefined);
    const answer = await ask({ method, url, headers, body });
    let { text } = answer;
    for (const [name, value] of Object.entries(on)) if (name !== 'tenant') text = text.replaceAll(value, `<${name}>`);
    return { status: answer.status, text, shown: answer.text };
  };
  const before = await thingsOfB();
  const wrong: string[] = [];
  for (const one of operations) {
    const { status, text, shown } = await asked(one, things);
    // A may see again what A sent itself: here, and in the rows of its requests.
    const given = one.path.includes('{source}') ? [`"${SECRET}"`, `'${SECRET}'`] : [`/sources/${SECRET}"`];
    const own = given.reduce((rest, one) => rest.replaceAll(one, ''), shown);
    if (own.includes(SECRET)) wrong.push(`${one.operationId} shows ${shown}`);
    if ((await thingsOfB()) !== before) wrong.push(`${one.operationId} changes something`);
    if (status >= 500) wrong.push(`${one.operationId} answers ${status}`);
    // IDs are unique over all tenants, so a caller learns that an ID is taken.
    if (['createSchedule', 'applySource'].includes(one.operationId) || !one.path.includes('{')) continue;
    const ofNever = await asked(one, never);
    if (ofNever.text !== text || ofNever.status !== status) {
      wrong.push(
        `${one.operationId} answers ${status} ${text} of B's, and ${ofNever.status} ${ofNever.text} of nothing`,
      );
    }
  }
  expect(wrong).toEqual([]);
});

async function thingsOfB(): Promise<string> {
  const { ledger } = api();
  const rows: unknown[] = [];
  const tables = [
    'schedules',
    'schedule_versions',
    'timers',
    'firings',
    'gaps',
    'dead_letters',
    'alerts',
    'alert_silences',
    'bulk_schedules',
  ];
  for (const table of tables) {
    rows.push(
      await ledger.query(
        `select to_jsonb(t)::text as row from escapement.${table} t where schedule_id like 'b-%' order by 1`,
      ),
    );
  }
  for (const table of ['freezes', 'calendars']) {
    rows.push(await ledger.query(`select * from escapement.${table} where tenant = 'b'`));
  }
  rows.push(await ledger.query(`select to_jsonb(t)::text as row from escapement.bulk_operations t where tenant = 'b'`));
  rows.push(await ledger.query(`select value from escapement.meta where key like 'source:["b"%'`));
  return JSON.stringify(rows);
}
