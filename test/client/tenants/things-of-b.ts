import { randomUUID } from 'node:crypto';
import { beforeEach } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

/** A marker in every text of B's that a reader could see. */
export const SECRET = 'of-b-alone';
export const B = 'b-nightly';
export const TIME = '2026-03-01T05:00:00Z';
export const RANGE = { start: '2026-02-01T00:00:00Z', end: '2026-02-01T05:00:00Z' };
export const letterId = randomUUID();
export const alertId = randomUUID();
export const silenceId = randomUUID();
export const freezeId = randomUUID();
export const operationId = randomUUID();
export const CALENDAR = 'b-days';
/** The IDs to try: B's, or for comparison ones that never existed. */
export const THINGS_OF_B = {
  scheduleId: B,
  letter: letterId,
  alert: alertId,
  silence: silenceId,
  freeze: freezeId,
  operation: operationId,
  calendar: CALENDAR,
  source: SECRET,
  tenant: 'b',
};

/** A schedule of A's under a name of B's. */
export const asB = (changed: object = {}) => someSchedule({ scheduleId: B, ...changed });

/** What a call returned, or its error, as text. */
export async function triedOut(attempt: () => unknown): Promise<string> {
  try {
    return JSON.stringify((await attempt()) ?? null);
  } catch (error) {
    const { message, ...fields } = error as Error;
    return `${message} ${JSON.stringify(fields)}`;
  }
}

/** A may see again what A sent itself. */
export const said = (shown: string) => shown.replaceAll(`'${SECRET}'`, '').replaceAll(`"${SECRET}"`, '');

/** A ledger in which tenant B has one of everything. */
export function useThingsOfB() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  beforeEach(async () => {
    const b = ledger().newClient({ tenant: 'b' });
    const action = { ...someSchedule().action, workflowType: SECRET, taskQueue: SECRET, args: [SECRET] };
    const options = { action, memo: { owner: SECRET }, state: { note: SECRET } };
    await b.create(someSchedule({ scheduleId: B, ...options }));
    await b.apply([someSchedule({ scheduleId: 'b-declared', ...options })], { source: SECRET, revision: 7 });
    await ledger().client.tenants.set('b', { taskQueues: [SECRET], schedules: 9, firingsPerHour: 9 });
    const { scheduledTime } = await b.getHandle(B).trigger();
    await ledger().query(
      `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, note, created_at, updated_at)
       values ($1, $2, $3, 0, 'start', 'start_rejected', 'default', $4, now(), now())`,
      [letterId, B, scheduledTime, SECRET],
    );
    await ledger().query(
      `insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, note, actor, imported_at, updated_at)
       values ($1, $2, 'imported', '', 1, false, $2, 'b', now(), now())`,
      [B, SECRET],
    );
    await ledger().query(
      `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
       values ($1, 'late', $2, 'b', $2, now(), now(), now(), 1, $3)`,
      [alertId, B, SECRET],
    );
    await ledger().query(
      `insert into escapement.alert_silences (silence_id, tenant, schedule_id, until, reason, actor, created_at)
       values ($1, 'b', $2, '2099-01-01Z', $3, 'b', '2026-01-01Z')`,
      [silenceId, B, SECRET],
    );
    await ledger().query(
      `insert into escapement.freezes (freeze_id, tenant, schedule_ids, from_time, to_time, catch_up, note, actor, created_at)
       values ($1, 'b', array[$2], '2098-01-01Z', '2099-01-01Z', 'NONE', $3, 'b', '2026-01-01Z')`,
      [freezeId, B, SECRET],
    );
    await ledger().query(
      `insert into escapement.calendars (tenant, name, days, labels, actor, created_at, updated_at)
       values ('b', $1, '2098-12-25', jsonb_build_object('2098-12-25', $2::text), 'b', '2026-01-01Z', '2026-01-01Z')`,
      [CALENDAR, SECRET],
    );
    await ledger().query(
      `insert into escapement.bulk_operations (operation_id, kind, tenant, actor, filter, change, total, created_at)
       values ($1, 'pause', 'b', $2, '{}', '{}', 0, '2026-01-01Z')`,
      [operationId, SECRET],
    );
  });

  /** Everything in the ledger, except what A may have written of its own. */
  async function thingsOfB(): Promise<string> {
    const tables = [
      'schedules',
      'schedule_versions',
      'timers',
      'firings',
      'gaps',
      'dead_letters',
      'alerts',
      'alert_silences',
    ];
    const rows: string[] = [];
    for (const table of tables) {
      const of = await ledger().query<{ row: string }>(
        `select to_jsonb(t)::text as row from escapement.${table} t where schedule_id like 'b-%' order by 1`,
      );
      rows.push(...of.map(({ row }) => row));
    }
    const freezes = await ledger().query(`select * from escapement.freezes where tenant = 'b'`);
    const calendars = await ledger().query(`select * from escapement.calendars where tenant = 'b'`);
    const operations = await ledger().query(`select * from escapement.bulk_operations where tenant = 'b'`);
    const meta = await ledger().query(`select value from escapement.meta where key like 'source:["b"%'`);
    const settings = await ledger().query(
      `select key, value from escapement.meta where key not like 'source:%' order by key`,
    );
    const limits = await ledger().query(
      `select * from escapement.tenants join escapement.tenant_hours using (tenant) where tenant = 'b'`,
    );
    return JSON.stringify([rows, freezes, calendars, operations, meta, settings, limits]);
  }

  return { ledger, thingsOfB };
}
