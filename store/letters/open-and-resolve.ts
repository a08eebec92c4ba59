import { type RawBuilder, sql } from 'kysely';
import { type BadEnd, decideLetters, type StandingLetter } from '../../core/decisions/letters';
import { isRecord } from '../../core/definition/stored-definition';
import { type FiringKey, type FiringOutcome, isFailure, nameOf } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import { legibleStep } from '../../core/letters/legible-step';
import { storableJson } from '../../core/storable';
import type { Store } from '../connection';
import { inMonthsOf, keysTable } from '../firings/keys';

export interface ChainEnd extends FiringKey {
  outcome: FiringOutcome;
  failedStep: FailedStep | undefined;
  /** Until when Temporal keeps the run; null if that is unknown. */
  resumeUntil?: Date | null | undefined;
  /**
   * Whether the chain may still run: its namespace does not exist, perhaps only on the server that was asked. Then the
   * firing opens again if the chain is found running. @default false
   */
  mayRun?: boolean | undefined;
}

type Ended = FiringKey & BadEnd & { resumeUntil: Date | null };

/** A letter that the end of a firing has opened or changed, and that is open now, for a log line. */
export interface OpenedLetter extends FiringKey {
  letterId: string;
  kind: string;
  reason: string;
  workflowId: string | null;
}

/**
 * For each abandoned firing, open a letter of kind `start`, or use a letter that it has, under the schedules' locks.
 */
export function buryAbandoned(transaction: Store, firings: FiringKey[], now: Date): Promise<OpenedLetter[]> {
  const end = { as: 'start', outcome: 'abandoned', failedStep: undefined, resumeUntil: null } as const;
  return settle(
    transaction,
    firings.map(({ scheduleId, scheduledTime }) => ({ scheduleId, scheduledTime, ...end })),
    now,
  );
}

/**
 * Change the letters of firings that end, under the schedules' locks. If the chain completed, all unsettled letters of
 * its firing are resolved; for any other end `core/decisions/letters.ts` decides.
 */
export async function settleLetters(transaction: Store, closed: ChainEnd[], now: Date): Promise<OpenedLetter[]> {
  const isCompleted = ({ outcome }: ChainEnd) => outcome === 'completed';
  await resolveLetters(transaction, closed.filter(isCompleted), now);
  const bad = closed.filter((end) => !isCompleted(end));
  return settle(
    transaction,
    bad.map(({ scheduleId, scheduledTime, outcome, failedStep, mayRun, resumeUntil = null }) => {
      const as = isFailure(outcome) ? ('workflow' as const) : ('ended' as const);
      return { scheduleId, scheduledTime, as, outcome, failedStep, mayRun, resumeUntil };
    }),
    now,
  );
}

/**
 * open | redriving → resolved, since the firing completed or was skipped as `native`. The caller holds the schedules'
 * locks.
 */
export async function resolveLetters(transaction: Store, firings: FiringKey[], now: Date): Promise<void> {
  if (firings.length === 0) return;
  await sql`update ${transaction.table('dead_letters')} l set state = 'resolved', updated_at = ${now} from ${keysTable(firings)}
    where l.schedule_id = x.schedule_id and l.scheduled_time = x.scheduled_time and l.state in ('open', 'redriving')`.execute(
    transaction.db,
  );
}

async function settle(transaction: Store, ends: Ended[], now: Date): Promise<OpenedLetter[]> {
  if (ends.length === 0) return [];
  const standing = await readStandingLetters(transaction, ends);
  const decided = ends.map((end) => ({ end, ...decideLetters(end, standing.get(nameOf(end)) ?? []) }));
  const changed = await changeLetters(transaction, decided, now);
  const opened = await openLetters(
    transaction,
    decided.flatMap(({ end, opens }) => (opens ? [end] : [])),
    now,
  );
  return [...changed, ...opened];
}

async function readStandingLetters(transaction: Store, firings: FiringKey[]): Promise<Map<string, StandingLetter[]>> {
  const { rows } = await sql<StandingLetter & FiringKey>`
    select l.letter_id as "letterId", l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime", l.kind, l.state,
      l.failed_step as "failedStep", l.redrive, l.updated_at as "updatedAt"
    from ${transaction.table('dead_letters')} l join ${keysTable(firings)} using (schedule_id, scheduled_time)
    where l.state in ('open', 'redriving', 'discarded') order by l.created_at, l.letter_id`.execute(transaction.db);
  const letters = new Map<string, StandingLetter[]>();
  for (const row of rows) {
    const { failedStep, redrive } = row;
    const letter = { ...row, failedStep: legibleStep(failedStep), redrive: isRecord(redrive) ? redrive : null };
    letters.set(nameOf(row), [...(letters.get(nameOf(row)) ?? []), letter]);
  }
  return letters;
}

type Decided = { end: Ended } & ReturnType<typeof decideLetters>;

/** Whether a person's redrive of a letter `l` has certainly had no effect: nothing was announced to Temporal. */
const IS_NOT_BEGUN = sql`(l.redrive ? 'lookAt' and not l.redrive ?| '{reset,told}' and l.redrive ->> 'mode' <> 'expire')`;

async function changeLetters(transaction: Store, decided: Decided[], now: Date): Promise<OpenedLetter[]> {
  const changes = decided.flatMap(({ end, changes }) => changes.map((change) => ({ ...change, end })));
  if (changes.length === 0) return [];
  const { rows } = await sql<OpenedLetter & { state: string }>`
    update ${transaction.table('dead_letters')} l set state = x.state, kind = x.kind, updated_at = ${now},
      note = case when l.state = 'redriving' and x.state = 'open' and ${IS_NOT_BEGUN}
        then 'not redriven: its firing ended first: ' || x.outcome else l.note end,
      redrive = case jsonb_typeof(l.redrive) when 'object' then l.redrive - 'lookAt' else l.redrive end, resume_until = coalesce(x.resume_until, l.resume_until),
      reason = case when x.takes <> 'nothing' then ${reasonOf(sql`x.outcome`)} when x.kind <> l.kind then x.outcome else l.reason end,
      epoch = case when x.takes <> 'nothing' then f.epoch else l.epoch end,
      namespace = case when x.takes <> 'nothing' then f.namespace else l.namespace end,
      workflow_id = case when x.takes <> 'nothing' then f.workflow_id else l.workflow_id end,
      run_id = case when x.takes <> 'nothing' then f.run_id else l.run_id end,
      failed_step = case x.takes when 'end' then x.failed_step when 'same' then l.failed_step || x.failed_step
        else l.failed_step end
    from unnest(${changes.map((one) => one.letterId)}::uuid[], ${changes.map((one) => one.state)}::text[],
      ${changes.map((one) => one.kind)}::text[], ${changes.map((one) => one.takes)}::text[],
      ${changes.map(({ end }) => end.outcome)}::text[], ${changes.map(({ end }) => jsonOf(end.failedStep))}::jsonb[],
      ${changes.map(({ end }) => end.resumeUntil)}::timestamptz[], ${changes.map(({ end }) => end.scheduleId)}::text[],
      ${changes.map(({ end }) => end.scheduledTime)}::timestamptz[])
      as x (letter_id, state, kind, takes, outcome, failed_step, resume_until, schedule_id, scheduled_time)
      join ${transaction.table('firings')} f on f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
        and ${inMonthsOf(changes.map(({ end }) => end))}
    where l.letter_id = x.letter_id
    returning l.letter_id as "letterId", l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime", l.kind, l.state,
      l.reason, l.workflow_id as "workflowId"`.execute(transaction.db);
  return rows.filter(({ state }) => state === 'open');
}

async function openLetters(transaction: Store, ends: Ended[], now: Date): Promise<OpenedLetter[]> {
  if (ends.length === 0) return [];
  const { rows } = await sql<OpenedLetter>`
    insert into ${transaction.table('letters')} as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, run_id, workflow_type, failed_step, resume_until, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, x.kind, ${reasonOf(sql`x.outcome`)}, f.namespace,
      f.workflow_id, f.run_id, v.action ->> 'workflowType', x.failed_step, x.resume_until, ${now}, ${now}
    from unnest(${ends.map((end) => end.scheduleId)}::text[], ${ends.map((end) => end.scheduledTime)}::timestamptz[],
      ${ends.map((end) => end.as)}::text[], ${ends.map((end) => end.outcome)}::text[],
      ${ends.map((end) => jsonOf(end.failedStep))}::jsonb[], ${ends.map((end) => end.resumeUntil)}::timestamptz[])
      as x (schedule_id, scheduled_time, kind, outcome, failed_step, resume_until)
      join ${transaction.table('firings')} f on f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
        and ${inMonthsOf(ends)}
      left join ${transaction.table('schedule_versions')} v on v.schedule_id = f.schedule_id and v.version = f.schedule_version
    returning letter_id as "letterId", schedule_id as "scheduleId", scheduled_time as "scheduledTime", kind, reason,
      workflow_id as "workflowId"`.execute(transaction.db);
  return rows;
}

/** The reason for a letter: the reason of an abandoned firing, or else the outcome of the chain. */
function reasonOf(outcome: RawBuilder<unknown>) {
  return sql`case when ${outcome} = 'abandoned' then coalesce(f.reason, 'abandoned') else ${outcome} end`;
}

function jsonOf(step: FailedStep | undefined): string | null {
  return step ? storableJson(step) : null;
}
