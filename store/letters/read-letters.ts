import { sql } from 'kysely';
import { isRecord } from '../../core/definition/stored-definition';
import type { FiringKey } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import { legibleStep } from '../../core/letters/legible-step';
import { LETTER_STATES, type LetterKind, type LetterState, type RedriveRequest } from '../../core/letters/redrive';
import type { Store } from '../connection';
import { IS_WAITING } from './parked-firings';

/** A failure that needs a person: a start that was abandoned, a chain that did not complete, or a parked step. */
export interface DeadLetter extends FiringKey {
  /** The letter's ID, a UUID. */
  letterId: string;
  /**
   * The firing's epoch to which the letter belongs. The epoch grows when the firing gets another workflow ID, because
   * it is restarted or run again.
   */
  epoch: number;
  /** The kind of failure. */
  kind: LetterKind;
  /** Whether the letter still needs a person. */
  state: LetterState;
  /** Why the firing was abandoned, how its chain ended, or why a step was parked. */
  reason: string;
  /** The Temporal namespace of the workflow. */
  namespace: string;
  /** The firing's workflow ID; if its start was abandoned, there may be no such workflow. */
  workflowId: string | null;
  /** The first run of the chain; null if the ledger knows of none. */
  runId: string | null;
  /** The workflow type; null for letters that an older version wrote. */
  workflowType: string | null;
  /** The step or chain that failed; null if none is known. */
  failedStep: FailedStep | null;
  /** Who acted on the letter last; null if no person did. */
  actor: string | null;
  /** The person's reason, or a text of Escapement, such as why a redrive could not be carried out. */
  note: string | null;
  /** The last redrive that was requested. */
  redrive: RedriveRequest | null;
  /**
   * Until when `resume` works: after that time the namespace no longer keeps the run. `resumeUntil` is null if that
   * time is unknown, and for an abandoned start or a parked step.
   */
  resumeUntil: Date | null;
  /** When the letter was written. */
  createdAt: Date;
  /** When the letter last changed. */
  updatedAt: Date;
}

/** Selects letters. */
export interface LetterQuery {
  /** Letters in this state. */
  state?: LetterState;
  /** Letters of this kind. */
  kind?: LetterKind;
  /** Letters of one schedule, live or deleted. */
  scheduleId?: string;
  /** The tenant of the schedule. */
  tenant?: string | undefined;
  /** Letters whose failure has this type, such as `CardDeclined`; for a letter without a type, its reason. */
  failureType?: string;
  /**
   * Letters whose stored failure message contains this text, in upper or lower case; a message that a codec encodes
   * does not match.
   */
  message?: string;
  /**
   * Letters of this step: the type of an activity or a child workflow, or the name of a Nexus operation. With an empty
   * text, letters without a step: the workflow itself failed, or its start was abandoned.
   */
  step?: string;
  /** Letters of workflows of this type. With an empty text, letters that have no workflow type. */
  workflowType?: string;
  /** Letters written at this time or later. */
  from?: Date;
  /** Letters written before this time. */
  to?: Date;
}

export type LetterCursor = Pick<DeadLetter, 'createdAt' | 'letterId'>;

const COLUMNS = sql`l.letter_id as "letterId", l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime", l.epoch,
  l.kind, l.state, l.reason, l.namespace, l.workflow_id as "workflowId", l.run_id as "runId", l.failed_step as "failedStep",
  l.actor, l.note, l.redrive, l.workflow_type as "workflowType", l.resume_until as "resumeUntil", l.created_at as "createdAt", l.updated_at as "updatedAt"`;

/** The failure type of a letter `l`, or else its reason. */
export const FAILURE_TYPE = sql`coalesce(l.failed_step #>> '{failure,type}', l.reason)`;

/** The name of the failed step of a letter `l`, by which people filter and group letters. */
export const STEP_NAME = sql`coalesce(l.failed_step ->> 'activityType', l.failed_step #>> '{childWorkflow,workflowType}',
  l.failed_step #>> '{nexusOperation,operation}')`;

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
  // Each state is read by itself, in the order of the index, so that the read stops at the end of the page.
  const { rows } = await sql<DeadLetter>`
    select l.* from unnest(${statesOf(filter)}::text[]) as s (state) cross join lateral (
      select ${COLUMNS} from ${store.table('dead_letters')} l
      where l.state = s.state and ${sql.join(conditions, sql` and `)}
      order by l.created_at ${direction}, l.letter_id ${direction} limit ${page.size}) l
    order by l."createdAt" ${direction}, l."letterId" ${direction} limit ${page.size}`.execute(store.db);
  return rows.map(legible);
}

export async function countLetters(store: Store, filter: LetterQuery): Promise<number> {
  const { rows } = await sql<{ letters: number }>`
    select count(*)::int as letters from ${store.table('dead_letters')} l
    where l.state = any(${statesOf(filter)}) and ${sql.join(conditionsOf(store, filter), sql` and `)}`.execute(
    store.db,
  );
  return rows[0]!.letters;
}

/** One letter by its ID, which must be a UUID; undefined if there is none, or it belongs to another tenant. */
export async function readLetter(store: Store, letterId: string, tenant?: string): Promise<DeadLetter | undefined> {
  const conditions = sql.join(conditionsOf(store, { tenant }), sql` and `);
  const { rows } = await sql<DeadLetter>`
    select ${COLUMNS} from ${store.table('dead_letters')} l where l.letter_id = ${letterId} and ${conditions}`.execute(
    store.db,
  );
  return rows[0] && legible(rows[0]);
}

/**
 * Letters of a firing's current epoch; unsettled letters first. With `only`, just the letters of waiting steps are
 * returned.
 */
export async function readLettersOf(
  store: Store,
  { scheduleId, scheduledTime }: FiringKey,
  only?: 'waiting',
): Promise<DeadLetter[]> {
  const { rows } = await sql<DeadLetter>`
    select ${COLUMNS} from ${store.table('dead_letters')} l
    join ${store.table('firings')} f using (schedule_id, scheduled_time, epoch)
    where l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime} and ${only ? IS_WAITING : sql`true`}
    order by l.state in ('open', 'redriving') desc, l.updated_at desc`.execute(store.db);
  return rows.map(legible);
}

function legible(letter: DeadLetter): DeadLetter {
  const { failedStep, redrive } = letter;
  return { ...letter, failedStep: legibleStep(failedStep), redrive: isRecord(redrive) ? redrive : null };
}

export function statesOf({ state }: LetterQuery): LetterState[] {
  return state ? [state] : [...LETTER_STATES];
}

/** Conditions that select matching letters `l`, without the condition on their state. */
export function conditionsOf(store: Store, filter: Omit<LetterQuery, 'state'>) {
  const { kind, scheduleId, tenant, failureType, message, step, workflowType, from, to } = filter;
  const conditions = [sql`true`];
  if (failureType !== undefined) conditions.push(sql`${FAILURE_TYPE} = ${failureType}`);
  if (message !== undefined) {
    conditions.push(sql`strpos(lower(l.failed_step #>> '{failure,message}'), lower(${message}::text)) > 0`);
  }
  if (step !== undefined) conditions.push(sql`coalesce(${STEP_NAME}, '') = ${step}`);
  if (workflowType !== undefined) conditions.push(sql`coalesce(l.workflow_type, '') = ${workflowType}`);
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
