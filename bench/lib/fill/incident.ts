import type { QueryResultRow } from 'pg';
import type { EscapementClient, ScheduleOptions } from '../../../index';
import { freshName } from '../names';

/** The ledger into which an incident is written. */
interface IncidentLedger {
  client: EscapementClient;
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** Size, time and workflows of an incident. */
export interface IncidentSize {
  schedules: number;
  /** The number of letters of each schedule, one minute apart. */
  each: number;
  /** The time of the first letter; all letters must be in the same month. */
  from: Date;
  action: ScheduleOptions['action'];
}

/** The failures, and their share in twentieths of the letters. */
const CAUSES = [
  { of20: 8, step: 'chargeCard', type: 'BankAway', message: 'the bank does not answer' },
  { of20: 5, step: 'ship', type: 'NoSuchAddress', message: 'no street of that name' },
  { of20: 4, step: 'pack', type: 'TIMEOUT_START_TO_CLOSE', message: 'activity StartToClose timeout' },
  { of20: 2, step: undefined, type: 'TypeError', message: 'order is undefined' },
  { of20: 1, step: 'chargeCard', type: 'CardDeclined', message: 'no money' },
];

/** A finished incident: its schedules by overlap policy, and the number of its letters. */
export interface Incident {
  /** The prefix of the IDs of the schedules and their workflows. */
  prefix: string;
  scheduleIds: { SKIP: string[]; BUFFER_ALL: string[]; ALLOW_ALL: string[] };
  letters: number;
}

/**
 * Writes the firings of a night in which every workflow failed, each with the letter that a trigger would write. Of ten
 * schedules, seven use SKIP, two BUFFER_ALL, and one ALLOW_ALL with up to three open firings.
 */
export async function writeIncident(
  ledger: IncidentLedger,
  { schedules, each, from, action }: IncidentSize,
): Promise<Incident> {
  const scheduleIds: Incident['scheduleIds'] = { SKIP: [], BUFFER_ALL: [], ALLOW_ALL: [] };
  const prefix = freshName('orders');
  for (let n = 0; n < schedules; n++) {
    const overlap = n % 10 === 0 ? 'ALLOW_ALL' : n % 10 < 3 ? 'BUFFER_ALL' : 'SKIP';
    const policies = { overlap, ...(overlap === 'ALLOW_ALL' ? { maxConcurrent: 3 } : {}) } as const;
    const scheduleId = `${prefix}-${n}`;
    await ledger.client.create({ scheduleId, spec: {}, policies, action });
    scheduleIds[overlap].push(scheduleId);
  }
  await ledger.query('select escapement.ensure_partition($1)', [from]);
  const steps = CAUSES.flatMap(({ of20, step, type, message }) =>
    Array.from({ length: of20 }, () => ({ activityType: step, attempts: 4, failure: { type, message } })),
  );
  await ledger.query(
    `with failed as (
       insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id,
         run_id, claimed_at, linked_at, closed_at)
       select s.schedule_id, t, 'closed', 'failed', 'schedule', 'default', 1, s.schedule_id || '-workflow-' || k,
         gen_random_uuid()::text, t, t, t + interval '1 minute'
       from unnest($1::text[]) s (schedule_id), generate_series(1, $2::int) k,
         lateral (select $4::timestamptz + k * interval '1 minute' as t) x returning *)
     insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, workflow_id, run_id,
       workflow_type, failed_step, created_at, updated_at)
     select gen_random_uuid(), schedule_id, scheduled_time, 0, 'workflow', 'failed', namespace, workflow_id, run_id, $5,
       $3::jsonb -> (extract(epoch from scheduled_time)::bigint / 60 % 20)::int || jsonb_build_object('runId', run_id), closed_at, closed_at
     from failed`,
    [Object.values(scheduleIds).flat(), each, JSON.stringify(steps), from, action.workflowType],
  );
  return { prefix, scheduleIds, letters: schedules * each };
}
