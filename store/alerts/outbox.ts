import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../connection';

export interface NewMessage {
  /** The message has the same ID each time that it is sent. */
  messageId: string;
  alertId: string;
  body: string;
}

/** From now on, write messages for the given targets too. */
export async function addTargets(store: Store, targets: string[], now: Date): Promise<void> {
  await sql`insert into ${store.table('alert_targets')} (target, since, next_attempt_at)
    select target, ${now}::timestamptz, ${now}::timestamptz from unnest(${targets}::text[]) as x (target) on conflict do nothing`.execute(
    store.db,
  );
}

/** A target, and the name that an earlier version gave to it. */
export interface RenamedTarget {
  former: string;
  target: string;
}

/**
 * Move the messages that wait under a former name to the targets that have replaced it. An earlier version that runs
 * beside this one may write further messages, so each pass moves them.
 */
export async function moveMessages(store: Store, renamed: RenamedTarget[]): Promise<void> {
  const [formers, targets] = [renamed.map(({ former }) => former), renamed.map(({ target }) => target)];
  await sql`with moved as (
      delete from ${store.table('alert_messages')} where target = any(${formers}::text[]) and delivered_at is null returning *)
    insert into ${store.table('alert_messages')} (message_id, target, alert_id, body, created_at)
    select m.message_id, x.target, m.alert_id, m.body, m.created_at
    from moved m join unnest(${formers}::text[], ${targets}::text[]) as x (former, target) on x.former = m.target
    order by m.seq on conflict do nothing`.execute(store.db);
}

export async function writeMessages(store: Store, messages: NewMessage[], now: Date): Promise<void> {
  if (messages.length === 0) return;
  const column = <K extends keyof NewMessage>(key: K) => messages.map((one) => one[key]);
  await sql`insert into ${store.table('alert_messages')} (message_id, target, alert_id, body, created_at)
    select x.message_id, t.target, x.alert_id, x.body, ${now}::timestamptz
    from unnest(${column('messageId')}::uuid[], ${column('alertId')}::uuid[], ${column('body')}::text[])
      with ordinality as x (message_id, alert_id, body, place) cross join ${store.table('alert_targets')} t
    order by x.place on conflict do nothing`.execute(store.db);
}

export interface DueMessage {
  messageId: string;
  body: string;
  /**
   * Since when no message could be delivered to the target; null after a delivery, and after a message that the target
   * keeps refusing.
   */
  failingSince: Date | null;
}

/** Answers with which a target refuses a message, and perhaps only this message. */
const REFUSALS = ['status 400', 'status 413', 'status 422'];
/**
 * This many attempts take at least about four minutes. Refusals within a shorter time may also come from a gateway in
 * front of the target.
 */
const REFUSED_AFTER_ATTEMPTS = 20;
/** Whether the target has refused the message `m` itself so often that other messages are sent first. */
const IS_REFUSED = sql`(m.attempts >= ${REFUSED_AFTER_ATTEMPTS} and coalesce(m.last_error = any(${REFUSALS}), false))`;

/** When a target is taken, until when, and how long it may wait at most, in milliseconds. */
export interface TargetTurn {
  now: Date;
  leaseUntil: Date;
  /** The longest lease or pause of a target that works. */
  longestPause: number;
  /** The longest pause of a target that is failing. */
  longestFailingPause: number;
}

/**
 * True if messages may be sent to a target `t` now. A time of the next attempt that lies too far ahead does not count:
 * it was written before the clock was set back.
 */
function isFree({ now, longestPause, longestFailingPause }: TargetTurn): RawBuilder<boolean> {
  return sql`(t.next_attempt_at <= ${now} or t.next_attempt_at > ${now}::timestamptz + interval '1 millisecond'
    * case when t.failing_since is null then ${longestPause}::int else ${longestFailingPause}::int end)`;
}

/**
 * Take the oldest message of a target under a lease: until `leaseUntil`, no other process sends to the target. If only
 * refused messages wait, the one with the fewest attempts is taken. Returns undefined if no message is due, or if
 * nothing may be sent to the target now.
 */
export async function takeMessage(store: Store, target: string, turn: TargetTurn): Promise<DueMessage | undefined> {
  const first = (condition: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`(
      select m.message_id, m.body from ${store.table('alert_messages')} m
      where m.target = ${target} and m.delivered_at is null and ${condition} order by ${order} limit 1)`;
  const { rows } = await sql<DueMessage>`
    with next as (${first(sql`not ${IS_REFUSED}`, sql`m.seq`)} union all ${first(IS_REFUSED, sql`m.attempts, m.seq`)} limit 1),
    free as (
      select t.target from ${store.table('alert_targets')} t
      where t.target = ${target} and ${isFree(turn)} and exists (select from next) for update skip locked)
    update ${store.table('alert_targets')} t set next_attempt_at = ${turn.leaseUntil} from free, next where t.target = free.target
    returning next.message_id as "messageId", next.body, t.failing_since as "failingSince"`.execute(store.db);
  return rows[0];
}

export async function recordDelivered(store: Store, target: string, messageId: string, now: Date): Promise<void> {
  await sql`with delivered as (
      update ${store.table('alert_messages')} set delivered_at = ${now}, attempts = attempts + 1, last_error = null
      where message_id = ${messageId} and target = ${target})
    update ${store.table('alert_targets')} set next_attempt_at = ${now}, failing_since = null where target = ${target}`.execute(
    store.db,
  );
}

/**
 * Record that the target has not accepted the message. No message is sent to the target until `nextAttemptAt`, so that
 * its messages stay in order; if the target keeps refusing this one, until `nextIfRefusedAt`.
 */
export async function recordUndelivered(
  store: Store,
  target: string,
  messageId: string,
  outcome: { error: string; at: Date; nextAttemptAt: Date; nextIfRefusedAt: Date },
): Promise<void> {
  const { error, at, nextAttemptAt, nextIfRefusedAt } = outcome;
  // A refused message says nothing about other messages, so their attempts begin with short pauses again.
  await sql`with failed as (
      update ${store.table('alert_messages')} m set attempts = attempts + 1, last_error = ${error}
      where message_id = ${messageId} and target = ${target} returning ${IS_REFUSED} as is_refused)
    update ${store.table('alert_targets')} t set
      next_attempt_at = case when x.is_refused then ${nextIfRefusedAt}::timestamptz else ${nextAttemptAt}::timestamptz end,
      failing_since = case when not x.is_refused then coalesce(t.failing_since, ${at}::timestamptz) end
    from (select coalesce((select is_refused from failed), false) as is_refused) x
    where target = ${target}`.execute(store.db);
}
