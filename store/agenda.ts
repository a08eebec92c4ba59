import { sql } from 'kysely';
import type { FiringKey } from '../core/firing';
import type { Store } from './connection';
import { SPEC_FORMAT } from './tables';

/** When each kind of work in a ledger is due next; null when there is none. */
export interface Agenda {
  /** A timer wakes. */
  timer: Date | null;
  /** A claim is to be looked at again. */
  claim: Date | null;
  /** An open chain is to be looked at. */
  chain: Date | null;
  /** A chain is to be interrupted. */
  interrupt: Date | null;
  /** A redrive is to be carried out. */
  redrive: Date | null;
  /** The oldest heartbeat of another trigger. */
  otherBeat: Date | null;
}

/** What is due when, in one look and without a lock: for whoever drives the passes by another clock. */
export async function readAgenda(store: Store, owner: string): Promise<Agenda> {
  const { rows } = await sql<Agenda>`select
    (select nullif(min(wake_at), 'infinity') from ${store.table('timers')} where spec_format <= ${SPEC_FORMAT}) as timer,
    (select min(heartbeat_at) from ${store.table('triggers')} where id <> ${owner}) as "otherBeat",
    (select min((redrive ->> 'lookAt')::timestamptz) from ${store.table('dead_letters')}
      where state = 'redriving') as redrive,
    min(check_at) filter (where state = 'claimed') as claim, min(check_at) filter (where state = 'linked') as chain,
    min(interrupt_at) filter (where state = 'linked' and interrupted_at is null) as interrupt
    from ${store.table('firings')} where state in ('claimed', 'linked')`.execute(store.db);
  return rows[0]!;
}

/** A chain that is open. */
export interface OpenChain extends FiringKey {
  namespace: string;
  workflowId: string;
  linkedAt: Date;
}

/** All open chains. */
export async function readOpenChains(store: Store): Promise<OpenChain[]> {
  const { rows } =
    await sql<OpenChain>`select schedule_id as "scheduleId", scheduled_time as "scheduledTime", namespace,
      workflow_id as "workflowId", linked_at as "linkedAt" from ${store.table('firings')} where state = 'linked'`.execute(
      store.db,
    );
  return rows;
}
