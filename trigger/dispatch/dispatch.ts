import { readWaitingNamespaces } from '../../store/firings/waiting';
import type { TriggerContext } from '../context';
import { isHeld } from '../recover/adoption';
import { startLease, take } from './announce';
import { callStarts } from './call-starts';
import { giveUpTooLate } from './give-up-too-late';
import { orTakeBack, type SettledStarts, settleOutcomes } from './settle-outcomes';
import type { LeftByTake } from './waiting-hints';

/** The results of the firings that one dispatch took. */
export interface DispatchResult extends SettledStarts, LeftByTake {
  /** Firings that were taken. */
  taken: number;
  /** Firings that were abandoned because their catch-up window is over. */
  abandoned: number;
  /** Whether a cap or a busy server holds back further firings. */
  isHeldBack: boolean;
}

/** Limits of one dispatch. */
export interface DispatchScope {
  /**
   * Take only from lanes in which firings are known to wait, unless there are more than a hundred such lanes. @default
   * false
   */
  known?: boolean;
}

const NOTHING_TAKEN = (): DispatchResult => ({
  ...{ taken: 0, linked: 0, deferred: 0, refused: 0, abandoned: 0 },
  ...{ more: false, isHeldBack: false, lanesLeft: false },
});

/**
 * Take the next waiting firings, announce them, call start for each, and link them in one batch. Of the waiting
 * firings, only this batch is held in memory.
 *
 * @param namespace takes only this namespace's firings, so that none waits for another namespace's server. @default all
 * namespaces, side by side
 */
export async function dispatch(
  context: TriggerContext,
  namespace?: string,
  scope: DispatchScope = {},
): Promise<DispatchResult> {
  if (isHeld(context.adoption, namespace)) return NOTHING_TAKEN();
  if (namespace !== undefined) return dispatchOf(context, namespace, scope);
  const namespaces = await readWaitingNamespaces(context.store);
  const free = namespaces.filter((name) => !isHeld(context.adoption, name));
  const ends = await Promise.allSettled(free.map((name) => dispatchOf(context, name, scope)));
  return ends.reduce((all, end) => {
    if (end.status === 'rejected') throw end.reason;
    return add(all, end.value);
  }, NOTHING_TAKEN());
}

async function dispatchOf(
  context: TriggerContext,
  namespace: string,
  { known = false }: DispatchScope,
): Promise<DispatchResult> {
  // If the namespace does not answer, nothing is taken, and its firings stay as they are.
  if (!(await context.temporal.of(namespace).isReady())) return NOTHING_TAKEN();
  // Another loop may be about to take all firings that wait in the namespace.
  if (known && context.waiting.of(namespace).firings === 0) return NOTHING_TAKEN();
  if (context.gates.of(namespace).pause > 0) return { ...NOTHING_TAKEN(), isHeldBack: true };
  // Measure the lease from before the announcement: whoever takes a firing over counts from the instant in its row.
  const lease = startLease(context);
  const { firings, announcedAt, ...left } = await take(context, namespace, { known });
  const result = { ...NOTHING_TAKEN(), taken: firings.length, ...left };
  if (firings.length === 0) return result;
  const { outcomes, abandoned } = await orTakeBack(context, firings, announcedAt, async () => {
    const { left, abandoned } = await giveUpTooLate(context, firings, announcedAt);
    return { outcomes: await callStarts(context, left, lease), abandoned };
  });
  return { ...result, ...(await settleOutcomes(context, outcomes, announcedAt)), abandoned };
}

function add(all: DispatchResult, one: DispatchResult): DispatchResult {
  return {
    taken: all.taken + one.taken,
    linked: all.linked + one.linked,
    deferred: all.deferred + one.deferred,
    refused: all.refused + one.refused,
    abandoned: all.abandoned + one.abandoned,
    more: all.more || one.more,
    isHeldBack: all.isHeldBack || one.isHeldBack,
    lanesLeft: all.lanesLeft || one.lanesLeft,
  };
}
