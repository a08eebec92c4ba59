import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import { LETTER_STATES, type LetterKind, type LetterState, type RedriveRequest } from '../../core/letters/redrive';
import type { Store } from '../connection';

/** One failure that needs a person: a start that was given up, a chain that failed, or a step that waits. */
export interface DeadLetter extends FiringKey {
  /** UUID. */
  letterId: string;
  /** Epoch of the firing: grows with each restart. */
  epoch: number;
  /** What needs a person. */
  kind: LetterKind;
  /** Whether it still does. */
  state: LetterState;
  /** Why the firing was abandoned, or how its chain ended. */
  reason: string;
  /** Temporal namespace of the workflow. */
  namespace: string;
  /** ID of the workflow; null where none started. */
  workflowId: string | null;
  /** First run of the chain; null for one that never started. */
  runId: string | null;
  /** Type of the workflow; null of what an older version wrote. */
  workflowType: string | null;
  /** The step that failed; null where Temporal does not say. */
  failedStep: FailedStep | null;
  /** Who acted on it last. */
  actor: string | null;
  /** Why they did, or why a redrive could not be carried out. */
  note: string | null;
  /** The last redrive that was asked for. */
  redrive: RedriveRequest | null;
  /** Until when `resume` works: the namespace keeps the run no longer. Null where that is not known, or nothing has ended. */
  resumeUntil: Date | null;
  /** When it was written. */
  createdAt: Date;
  /** When it changed last. */
  updatedAt: Date;
}

/** Which letters to read. */
export interface LetterQuery {
  /** Letters in this state. */
  state?: LetterState;
  /** Letters of this kind. */
  kind?: LetterKind;
  /** Letters of one schedule, live or deleted. */
  scheduleId?: string;
  /** Tenant of the schedule. */
  tenant?: string | undefined;
  /** Letters whose failure has this type, such as `CardDeclined`; of a start that was given up its reason. */
  failureType?: string;
  /** Letters whose failure says this somewhere, in any case; as it was stored, so not where a codec encodes it. */
  message?: string;
  /** Letters of this step: type of an activity or a child workflow, name of a Nexus operation. */
  step?: string;
  /** Letters of workflows of this type. */
  workflowType?: string;
  /** When the letter was written, inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

/** Where a page ended: the key of its last row. */
export type LetterCursor = Pick<DeadLetter, 'createdAt' | 'letterId'>;

const COLUMNS = sql`l.letter_id as "letterId", l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime", l.epoch,
  l.kind, l.state, l.reason, l.namespace, l.workflow_id as "workflowId", l.run_id as "runId", l.failed_step as "failedStep",
  l.actor, l.note, l.redrive, l.workflow_type as "workflowType", l.resume_until as "resumeUntil", l.created_at as "createdAt", l.updated_at as "updatedAt"`;

/** What a letter `l` failed with; the reason of a start that was given up. */
export const FAILURE_TYPE = sql`coalesce(l.failed_step #>> '{failure,type}', l.reason)`;

/** The step of a letter `l`, as people name it. */
export const STEP_NAME = sql`coalesce(l.failed_step ->> 'activityType', l.failed_step #>> '{childWorkflow,workflowType}',
  l.failed_step #>> '{nexusOperation,operation}')`;

/** A page of letters, newest or oldest first, behind `cursor`. */
export async function readLettersPage(
  store: Store,
  filter: LetterQuery,
  page: { cursor?: LetterCursor; size: number; oldestFirst?: boolean },
): Promise<DeadLetter[]> {
  const direction = page.oldestFirst ? sql`asc` : sql`desc`;
  const conditions = conditionsOf(store, filter);
  if (page.cursor) {
    conditions.push(
      sql`(l.created_at, l.letter_id) ${page.oldestFirst ? sql`>` : sql`<`} (${page.cursor.createdAt}, ${page.cursor.letterId})`,
    );
  }
  // State by state, since that is how the index is ordered: a page never reads what lies behind it.
  const { rows } = await sql<DeadLetter>`
    select l.* from unnest(${statesOf(filter)}::text[]) as s (state) cross join lateral (
      select ${COLUMNS} from ${store.table('dead_letters')} l
      where l.state = s.state and ${sql.join(conditions, sql` and `)}
      order by l.created_at ${direction}, l.letter_id ${direction} limit ${page.size}) l
    order by l."createdAt" ${direction}, l."letterId" ${direction} limit ${page.size}`.execute(store.db);
  return rows;
}

/** How many letters match. */
export async function countLetters(store: Store, filter: LetterQuery): Promise<number> {
  const { rows } = await sql<{ letters: number }>`
    select count(*)::int as letters from ${store.table('dead_letters')} l
    where l.state = any(${statesOf(filter)}) and ${sql.join(conditionsOf(store, filter), sql` and `)}`.execute(
    store.db,
  );
  return rows[0]!.letters;
}

/** One letter by its ID, which must be a UUID, where it is the tenant's. */
export async function readLetter(store: Store, letterId: string, tenant?: string): Promise<DeadLetter | undefined> {
  const conditions = sql.join(conditionsOf(store, { tenant }), sql` and `);
  const { rows } = await sql<DeadLetter>`
    select ${COLUMNS} from ${store.table('dead_letters')} l where l.letter_id = ${letterId} and ${conditions}`.execute(
    store.db,
  );
  return rows[0];
}

/** Letters of a firing as it is now, not of what it was before it was run again: those first that are not settled. */
export async function readLettersOf(store: Store, { scheduleId, scheduledTime }: FiringKey): Promise<DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    select ${COLUMNS} from ${store.table('dead_letters')} l
    join ${store.table('firings')} f using (schedule_id, scheduled_time, epoch)
    where l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime}
    order by l.state in ('open', 'redriving') desc, l.updated_at desc`.execute(store.db);
  return rows;
}

export function statesOf({ state }: LetterQuery): LetterState[] {
  return state ? [state] : [...LETTER_STATES];
}

/** What holds of the letters `l` that match, their state aside. */
export function conditionsOf(store: Store, filter: Omit<LetterQuery, 'state'>) {
  const { kind, scheduleId, tenant, failureType, message, step, workflowType, from, to } = filter;
  const conditions = [sql`true`];
  if (failureType !== undefined) conditions.push(sql`${FAILURE_TYPE} = ${failureType}`);
  if (message !== undefined) {
    conditions.push(sql`strpos(lower(l.failed_step #>> '{failure,message}'), lower(${message}::text)) > 0`);
  }
  if (step !== undefined) conditions.push(sql`${STEP_NAME} = ${step}`);
  if (workflowType !== undefined) conditions.push(sql`l.workflow_type = ${workflowType}`);
  if (kind) conditions.push(sql`l.kind = ${kind}`);
  if (scheduleId !== undefined) conditions.push(sql`l.schedule_id = ${scheduleId}`);
  if (tenant !== undefined) {
    conditions.push(
      sql`exists (select from ${store.table('schedules')} t where t.schedule_id = l.schedule_id and t.tenant = ${tenant})`,
    );
  }
  if (from) conditions.push(sql`l.created_at >= ${from}`);
  if (to) conditions.push(sql`l.created_at < ${to}`);
  return conditions;
}
