import { sql } from 'kysely';
import type { Store } from '../connection';

export interface Answerable {
  owner: string | null;
  runbook: string | null;
}

/** Owners and run-books of the schedules that one alert covers. A list of more than five is left empty. */
export interface AnswerableOfMany {
  owners: string[];
  runbooks: string[];
}

const NAMED_AT_MOST = 5;

export async function readAnswerableOfMany(store: Store, alertIds: string[]): Promise<Map<string, AnswerableOfMany>> {
  if (alertIds.length === 0) return new Map();
  const distinct = (column: 'owner' | 'runbook') =>
    sql`coalesce(array_agg(distinct s.${sql.ref(column)}) filter (where s.${sql.ref(column)} is not null), '{}')`;
  const { rows } = await sql<AnswerableOfMany & { alertId: string }>`
    select a.summary_id as "alertId", ${distinct('owner')} as owners, ${distinct('runbook')} as runbooks
    from ${store.table('alerts')} a join ${store.table('schedules')} s using (schedule_id)
    where a.summary_id = any(${alertIds}::uuid[]) group by a.summary_id`.execute(store.db);
  const few = (names: string[]) => (names.length > NAMED_AT_MOST ? [] : names);
  return new Map(
    rows.map(({ alertId, owners, runbooks }) => [alertId, { owners: few(owners), runbooks: few(runbooks) }]),
  );
}

export async function readAnswerable(store: Store, scheduleIds: string[]): Promise<Map<string, Answerable>> {
  if (scheduleIds.length === 0) return new Map();
  const { rows } = await sql<Answerable & { scheduleId: string }>`
    select schedule_id as "scheduleId", owner, runbook from ${store.table('schedules')}
    where schedule_id = any(${scheduleIds}::text[]) and (owner is not null or runbook is not null)`.execute(store.db);
  return new Map(rows.map(({ scheduleId, ...answerable }) => [scheduleId, answerable]));
}
