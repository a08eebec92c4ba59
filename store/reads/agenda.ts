import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { inState } from '../firings/keys';
import { IS_WAITING } from '../firings/waiting';
import { nextExpiry } from '../letters/expire-parked';
import { IS_WAITING as IS_PARKED } from '../letters/parked-firings';
import { staleAfter } from '../settings';
import { SPEC_FORMAT } from '../spec-format';
import { instantIn } from '../text';

/** When the next work of each kind in a ledger is due; null for a kind without work. */
export interface Agenda {
  timer: Date | null;
  /** When the next claim is checked again. */
  claim: Date | null;
  /** The earliest claim time of a waiting firing. */
  waiting: Date | null;
  interrupt: Date | null;
  redrive: Date | null;
  expiry: Date | null;
  /** The IDs of the letters of all steps that wait, in one text. */
  parked: string | null;
  /** The first millisecond at which another trigger counts as dead; null if there is no other trigger. */
  takeover: Date | null;
  chains: OpenChain[];
}

export interface OpenChain extends FiringKey {
  namespace: string;
  workflowId: string;
  linkedAt: Date;
  checkAt: Date;
}

/**
 * Reads the agenda in one statement, without a lock. The testing kit uses it, since the kit runs the passes by its own
 * clock.
 */
export async function readAgenda(store: Store, owner: string): Promise<Agenda> {
  const { rows } = await sql<Omit<Agenda, 'chains'> & { chains: Listed[] | null }>`select
    (select nullif(min(wake_at), 'infinity') from ${store.table('timers')} where spec_format <= ${SPEC_FORMAT}) as timer,
    (select min(heartbeat_at) + ${staleAfter(store)} + interval '1 millisecond' from ${store.table('triggers')}
      where id <> ${owner}) as takeover,
    (select min(${instantIn(sql`redrive`, 'lookAt')}) from ${store.table('dead_letters')}
      where state = 'redriving') as redrive,
    ${nextExpiry(store)} as expiry,
    (select string_agg(letter_id::text, ' ' order by letter_id) from ${store.table('dead_letters')} l where ${IS_PARKED}) as parked,
    min(check_at) filter (where state = 'claimed' and not ${IS_WAITING}) as claim, min(claimed_at) filter (where ${IS_WAITING}) as waiting,
    json_agg(json_build_object('scheduleId', schedule_id, 'scheduledTime', scheduled_time, 'namespace', namespace,
      'workflowId', workflow_id, 'linkedAt', linked_at, 'checkAt', check_at)) filter (where state = 'linked') as chains,
    min(interrupt_at) filter (where state = 'linked' and interrupted_at is null) as interrupt
    from ${store.table('firings')} f where state in ('claimed', 'linked')`.execute(store.db);
  const { chains, ...agenda } = rows[0]!;
  return { ...agenda, chains: (chains ?? []).map(openChain) };
}

type Listed = Record<keyof OpenChain, string>;

function openChain({ scheduledTime, linkedAt, checkAt, ...chain }: Listed): OpenChain {
  return {
    ...chain,
    scheduledTime: new Date(scheduledTime),
    linkedAt: new Date(linkedAt),
    checkAt: new Date(checkAt),
  };
}

/**
 * Set the times at which open chains are polled, in place of those that a trigger would choose, and forget that chains
 * are stalled.
 */
export async function setChecks(store: Store, checks: (FiringKey & { checkAt: Date })[]): Promise<void> {
  if (checks.length === 0) return;
  await sql`update ${store.table('firings')} f set check_at = c.check_at, stalled = null
    from unnest(${checks.map((row) => row.scheduleId)}::text[], ${checks.map((row) => row.scheduledTime)}::timestamptz[],
      ${checks.map((row) => row.checkAt)}::timestamptz[]) as c (schedule_id, scheduled_time, check_at)
    where f.schedule_id = c.schedule_id and f.scheduled_time = c.scheduled_time and ${inState('linked')}`.execute(
    store.db,
  );
}
