import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import type { PagePart } from '../firings/due-checks';
import { lockTimers } from '../schedules/lock-timers';
import { amountIn } from '../text';
import { transact } from '../transaction';
import { IS_WAITING, PARKED_SINCE } from './parked-firings';

/** How many steps one statement expires: a statement for all could exceed its time limit. */
export const EXPIRED_AT_ONCE = 1_000;

export type ParkedKey = FiringKey & { letterId: string };

/** When a step has been parked as long as the current policy of its schedule allows; null without a limit. */
const EXPIRES_AT = sql`${PARKED_SINCE}
  + ${amountIn(sql`v.policies`, 'parkedAtMost')} * interval '1 millisecond'`;

/** Parked steps about which nobody has decided, with the current version `v` of their schedule. */
function undecided(store: Store): RawBuilder<unknown> {
  return sql`${store.table('dead_letters')} l
    join ${store.table('schedules')} s on s.schedule_id = l.schedule_id
    join ${store.table('schedule_versions')} v on v.schedule_id = s.schedule_id and v.version = s.version
    where l.state = 'open' and l.kind = 'parked'`;
}

export function nextExpiry(store: Store): RawBuilder<Date | null> {
  return sql<Date | null>`(select min(${EXPIRES_AT}) from ${undecided(store)})`;
}

function due(store: Store, now: Date, { without, only }: PagePart<ParkedKey>): RawBuilder<unknown> {
  return sql`select l.letter_id, l.schedule_id, l.scheduled_time from ${undecided(store)}
      and l.schedule_id <> all(${without}::text[])
      and ${only ? sql`l.letter_id = any(${only.map(({ letterId }) => letterId)}::uuid[])` : sql`true`}
      and ${EXPIRES_AT} <= ${now}
    limit ${EXPIRED_AT_ONCE}`;
}

const PARKED_KEY = sql`l.letter_id as "letterId", l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime"`;

export async function readParkedTooLong(store: Store, now: Date, part: PagePart<ParkedKey>): Promise<ParkedKey[]> {
  const { rows } = await sql<ParkedKey>`select ${PARKED_KEY} from (${due(store, now, part)}) l`.execute(store.db);
  return rows;
}

/**
 * open → redriving, with the decision `expire`, for a batch of steps that were parked as long as the current policy of
 * their schedule allows. Letters that another transaction keeps locked are left out.
 */
export async function expireParked(
  store: Store,
  now: Date,
  part: PagePart<ParkedKey> = { without: [] },
): Promise<ParkedKey[]> {
  const { rows } = await sql<ParkedKey>`
    with page as materialized (${due(store, now, part)} for no key update of l skip locked)
    update ${store.table('dead_letters')} l set state = 'redriving', actor = null, updated_at = ${now},
      note = 'it was parked for as long as its schedule allows',
      redrive = jsonb_build_object('mode', 'expire', 'requestId', gen_random_uuid(), 'force', false,
        'askedAt', ${now.toISOString()}::text, 'lookAt', ${now.toISOString()}::text)
    from page p where l.letter_id = p.letter_id and l.state = 'open' and l.kind = 'parked'
    returning ${PARKED_KEY}`.execute(store.db);
  return rows;
}

/**
 * Make schedules due for the claim pass if they have buffered firings, and a running firing that does not block, since
 * one of its steps is parked. Schedules that another transaction keeps locked are left out.
 */
export async function wakeBehindParked(store: Store, now: Date): Promise<void> {
  const firings = store.table('firings');
  const { rows } = await sql<{ scheduleId: string }>`
    select distinct l.schedule_id as "scheduleId" from ${store.table('dead_letters')} l
      join ${store.table('schedules')} s on s.schedule_id = l.schedule_id
      join ${store.table('schedule_versions')} v on v.schedule_id = s.schedule_id and v.version = s.version
    where l.state in ('open', 'redriving') and ${IS_WAITING} and v.policies ->> 'parkedHolds' = 'false'
      and exists (select from ${firings} b where b.schedule_id = l.schedule_id and b.state = 'buffered')
      and exists (select from ${firings} f where f.schedule_id = l.schedule_id and f.scheduled_time = l.scheduled_time
        and f.epoch = l.epoch and f.state = 'linked')`.execute(store.db);
  if (rows.length === 0) return;
  await transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, rows, { waits: false });
    await sql`update ${transaction.table('timers')} set wake_at = ${now}, seq = seq + 1
      where schedule_id = any(${[...locked]}) and wake_at > ${now}`.execute(transaction.db);
  });
}
