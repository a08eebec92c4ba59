import { sql } from 'kysely';
import type { LostFiring } from '../../core/decisions/recovery';
import type { Store } from '../connection';
import { instantIn } from '../text';
import { run } from '../transaction';
import { dueChecks, type PagePart } from './due-checks';
import { inState } from './keys';
import type { StartableFiring } from './start';

/** A firing that this trigger took over, with the values that recovery decides by. */
export interface TakenFiring extends StartableFiring {
  firstAttemptedAt: Date | null;
  startAttemptedAt: Date | null;
  /** Since when every attempt to start the firing has failed although its namespace answers. */
  refusedSince: Date | null;
  tenant: string;
  readyAt: Date | null;
  schedule: LostFiring['schedule'];
  redriven: boolean;
}

export interface Takeover {
  taken: TakenFiring[];
  /**
   * The IDs of the dead triggers, at most one, that this poll has removed, since none of their claims is left to be
   * made due.
   */
  deadTriggers: string[];
  /** Whether a dead trigger stays in the ledger for now, since it may hold more claims that further polls make due. */
  moreHeld: boolean;
  /** The oldest heartbeat of another live trigger. */
  oldestHeartbeatAt: Date | null;
  /** Whether any firing is linked, so that chains must be observed. */
  anythingOpen: boolean;
  anythingToInterrupt: boolean;
  anythingToRedrive: boolean;
}

/** The columns of each returned row that do not belong to its firing. */
interface Found {
  dead: string[];
  moreHeld: boolean;
  oldestHeartbeatAt: Date | null;
  open: boolean;
  interrupts: boolean;
  redrives: boolean;
}

export interface TakeoverQuery {
  owner: string;
  now: Date;
  /** When the claims that this poll takes are checked again. */
  checkAt: Date;
  staleBefore: Date;
  limit: number;
  /** Open chains with a poll that is due before this time are not noticed. @default no limit */
  openFrom?: Date | undefined;
  withoutNamespaces: string[];
}

/**
 * How many claims of a dead trigger one statement makes due for a check: a trigger of an older version may hold too
 * many for one statement.
 */
const DUE_AT_ONCE = 5_000;
/** A damaged count of recoveries is cut to this number, so that the row can be written. */
const MOST_RECOVERIES = 1_000_000;

/**
 * Take over a batch of claims whose check is due, and make a batch of a dead trigger's claims due for their check.
 * `SKIP LOCKED` lets several triggers share the work. `part.only` limits the poll to some rows, after Postgres has
 * refused a row of a batch. A poll of some rows ignores dead triggers, since the refused row may be one of their
 * claims.
 */
export async function takeOverLost(
  store: Store,
  taker: TakeoverQuery,
  part: PagePart = { without: [] },
): Promise<Takeover> {
  const isOpen = sql`state = 'linked' and ${taker.openFrom ? sql`check_at >= ${taker.openFrom}` : sql`true`}`;
  const { rows } = await run(
    store,
    sql<Partial<TakenFiring> & Found>`
    with dead as (
      select id from ${store.table('triggers')} where heartbeat_at < ${taker.staleBefore} and id <> ${taker.owner}
        and ${part.only === undefined}
      order by heartbeat_at limit 1 for update skip locked),
    held as (
      select f.* from dead d cross join lateral (
        select schedule_id, scheduled_time, owner from ${store.table('firings')}
        where state = 'claimed' and owner = d.id and check_at > ${taker.now} and schedule_id <> all(${part.without}::text[])
        order by scheduled_time limit ${DUE_AT_ONCE}) f),
    due as (
      update ${store.table('firings')} f set check_at = ${taker.now} from held h
      where f.schedule_id = h.schedule_id and f.scheduled_time = h.scheduled_time and ${inState('claimed')} and f.owner = h.owner),
    -- The dead trigger stays until all its claims are due: the others would be taken over only after their own check_at.
    gone as (
      delete from ${store.table('triggers')} t using dead d
      where t.id = d.id and (select count(*) from held) < ${DUE_AT_ONCE} returning t.id),
    page as (
      select f.schedule_id, f.scheduled_time, f.owner ${dueChecks(store, { ...taker, ...part, state: 'claimed' })}
      for no key update skip locked),
    taken as (
      update ${store.table('firings')} f set owner = ${taker.owner}, check_at = ${taker.checkAt},
        -- If the check is ten minutes overdue, earlier refusals no longer count.
        refused_since = case when f.check_at > ${taker.now}::timestamptz - interval '10 minutes' then f.refused_since end,
        -- A firing whose start nobody has announced was never lost.
        recovery = case when p.owner is null or p.owner = ${taker.owner} or f.first_attempted_at is null then f.recovery else jsonb_build_object(
          'number', least(coalesce((f.recovery ->> 'number')::int, 0), ${MOST_RECOVERIES}) + 1,
          'recoveredAt', ${taker.now.toISOString()}::text,
          'reason', case when p.owner in (select id from ${store.table('triggers')}
              where heartbeat_at >= ${taker.staleBefore}) then 'check_overdue' else 'trigger_lost' end) end
      from page p where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and ${inState('claimed')}
      returning f.*)
    select (select coalesce(array_agg(id::text), '{}') from gone) as dead,
      exists (select from dead) and not exists (select from gone) as "moreHeld",
      (select min(heartbeat_at) from ${store.table('triggers')}
        where heartbeat_at >= ${taker.staleBefore} and id <> ${taker.owner}) as "oldestHeartbeatAt",
      exists (select from ${store.table('firings')} where ${isOpen}) as open,
      exists (select from ${store.table('firings')}
        where ${isOpen} and interrupt_at <= ${taker.now} and interrupted_at is null) as interrupts,
      exists (select from ${store.table('dead_letters')}
        where state = 'redriving' and ${instantIn(sql`redrive`, 'lookAt')} <= ${taker.now}) as redrives,
      exists (select from ${store.table('dead_letters')} l where l.schedule_id = f.schedule_id
        and l.scheduled_time = f.scheduled_time and l.state = 'redriving') as redriven,
      f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.schedule_version as version, f.kind, f.actor,
      f.namespace, f.workflow_id as "workflowId", f.epoch, f.start_attempts as "startAttempts", f.recovery,
      f.claimed_at as "claimedAt", f.starts_at as "startsAt", f.ready_at as "readyAt", f.late, coalesce(s.tenant, '') as tenant, f.first_attempted_at as "firstAttemptedAt", f.start_attempted_at as "startAttemptedAt",
      f.refused_since as "refusedSince",
      case when s.schedule_id is null or s.deleted_at is not null or f.claimed_at < s.created_at then 'deleted'
        -- A pause that has ended still stops the firings that it found, unless their start was announced.
        when s.paused or f.first_attempted_at is null and f.claimed_at < s.unpaused_at then 'paused' else 'enabled' end as schedule
    from (select 1) as always left join taken f on true
    left join ${store.table('schedules')} s on s.schedule_id = f.schedule_id
    order by f.scheduled_time, f.schedule_id`,
  );
  return {
    taken: rows.filter((row): row is TakenFiring & Found => row.scheduleId != null),
    deadTriggers: rows[0]!.dead,
    moreHeld: rows[0]!.moreHeld,
    oldestHeartbeatAt: rows[0]!.oldestHeartbeatAt,
    anythingOpen: rows[0]!.open,
    anythingToInterrupt: rows[0]!.interrupts,
    anythingToRedrive: rows[0]!.redrives,
  };
}
