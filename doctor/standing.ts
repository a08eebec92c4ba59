import { readTriggerLoads, type TriggerLoad } from '../store/doctor/firings';
import { type LedgerOverview, readOverview } from '../store/reads/overview';
import type { AliveTrigger } from '../store/triggers';
import type { LedgerContext } from './ledger/context';

/** A trigger that is alive, with what it has in hand. */
export type LoadedTrigger = AliveTrigger & Omit<TriggerLoad, 'owner'>;

/** What goes on, beside what is wrong. */
export interface Standing extends Pick<LedgerOverview, 'due' | 'dueSince' | 'lag'> {
  now: Date;
  triggers: LoadedTrigger[];
}

/** Undefined where Postgres does not answer that: what is wrong is told all the same. */
export async function readStanding({ store, now, triggers }: LedgerContext): Promise<Standing | undefined> {
  try {
    const loads = new Map((await readTriggerLoads(store)).map(({ owner, ...load }) => [owner, load]));
    const { due, dueSince, lag } = await readOverview(store, { tenant: undefined, now });
    const none = { starting: 0, running: 0 };
    return { now, due, dueSince, lag, triggers: triggers.map((one) => ({ ...one, ...none, ...loads.get(one.id) })) };
  } catch {
    return undefined;
  }
}
