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

/** A chain that is open. */
export interface OpenChain extends FiringKey {
  namespace: string;
  workflowId: string;
  linkedAt: Date;
  /** When it is to be looked at. */
  checkAt: Date;
}

/**
 * What is due when, in one look and without a lock: for whoever drives the passes by another clock.
 *
 * @param asked whether to return all open chains as well
 */
export async function readAgenda(
  store: Store,
  owner: string,
  asked: { chains: boolean },
): Promise<Agenda & { chains: OpenChain[] }> {
  const { rows } = await sql<Agenda & { chains: Listed[] | null }>`select
    (select nullif(min(wake_at), 'infinity') from ${store.table('timers')} where spec_format <= ${SPEC_FORMAT}) as timer,
    (select min(heartbeat_at) from ${store.table('triggers')} where id <> ${owner}) as "otherBeat",
    (select json_agg(json_build_object('scheduleId', schedule_id, 'scheduledTime', scheduled_time, 'namespace', namespace,
      'workflowId', workflow_id, 'linkedAt', linked_at, 'checkAt', check_at)) from ${store.table('firings')}
      where state = 'linked' and ${asked.chains}::boolean) as chains,
    (select min((redrive ->> 'lookAt')::timestamptz) from ${store.table('dead_letters')}
      where state = 'redriving') as redrive,
    min(check_at) filter (where state = 'claimed') as claim, min(check_at) filter (where state = 'linked') as chain,
    min(interrupt_at) filter (where state = 'linked' and interrupted_at is null) as interrupt
    from ${store.table('firings')} where state in ('claimed', 'linked')`.execute(store.db);
  const { chains, ...agenda } = rows[0]!;
  return { ...agenda, chains: (chains ?? []).map(openChain) };
}

/** A chain as JSON has it: instants as texts. */
type Listed = Record<keyof OpenChain, string>;

function openChain({ scheduledTime, linkedAt, checkAt, ...chain }: Listed): OpenChain {
  return {
    ...chain,
    scheduledTime: new Date(scheduledTime),
    linkedAt: new Date(linkedAt),
    checkAt: new Date(checkAt),
  };
}
