import { makeFarChecksDue } from '../../store/far-checks';
import type { PagePart } from '../../store/firings/due-checks';
import { wakeThawed } from '../../store/freezes/rows';
import {
  EXPIRED_AT_ONCE,
  expireParked,
  type ParkedKey,
  readParkedTooLong,
  wakeBehindParked,
} from '../../store/letters/expire-parked';
import { settleLeft } from '../../store/letters/settle-left';
import { takeByHalves } from '../by-halves';
import { DatabaseClock } from '../clock';
import { later, type TriggerContext } from '../context';
import { complete } from './complete';
import { count } from './count';
import { each } from './each';
import { forget } from './forget';
import { retireMonths } from './retire-months';
import { forgetUnusedNamespaces } from './unused-namespaces';

/** For how long a redriven letter is left alone though its firing has ended: the two are written together. */
const LEFT_FOR_MILLISECONDS = 60_000;

/**
 * Upkeep of the ledger. The partitions of this month and the next are created, so that few claims have to create one.
 */
export async function sweep(context: TriggerContext): Promise<void> {
  const { clock, stopping, store } = context;
  const now = new Date(clock.now());
  const parts = [
    () => makeMonths(context, now),
    () => makeFarChecksDue(store, clock instanceof DatabaseClock ? undefined : now, () => !stopping.aborted),
    () => expire(context, now),
    () => wakeBehindParked(store, now),
    () => settleLeft(store, { now, before: later(now.getTime(), -LEFT_FOR_MILLISECONDS) }),
    () => wakeThawed(store, now),
    () => complete(context),
    async () => retireMonths(context, await count(context)),
    () => forget(context),
    () => forgetUnusedNamespaces(context),
  ];
  await each(parts, stopping);
}

async function makeMonths({ months, store }: TriggerContext, now: Date): Promise<void> {
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  for (const month of [now, nextMonth]) await months.make(store, month, now.getTime());
}

async function expire(context: TriggerContext, now: Date): Promise<void> {
  const { store, stopping } = context;
  for (let isFull = true; isFull && !stopping.aborted; ) {
    const expired = await takeByHalves(context, 'the end of a parked step', {
      take: (part: PagePart<ParkedKey>) => expireParked(store, now, part),
      read: (part) => readParkedTooLong(store, now, part),
    });
    isFull = expired.length === EXPIRED_AT_ONCE;
  }
}
