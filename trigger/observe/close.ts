import { setTimeout } from 'node:timers/promises';
import { isFailure, nameOf } from '../../core/firing';
import { type ClosedFiring, type Closings, closeFirings } from '../../store/firings/close';
import { pollAgain } from '../../store/firings/observe';
import { describeHolder, lockHoldersOfEach } from '../../store/schedules/lock-holders';
import { byHalves } from '../by-halves';
import { firingFields, later, type TriggerContext } from '../context';
import { logLetters } from '../log-letters';
import type { ChainReference } from './chain';

/** The pause before the second try to record an end, if the schedule was locked. */
const AGAIN_AFTER_MILLISECONDS = 25;

export interface EndedChain {
  firing: ChainReference & { linkedAt: Date | null; startAttempts: number };
  closed: ClosedFiring;
}

/** If a schedule stays locked, its chains are polled again later. @returns how many ends were new */
export async function recordEnds(context: TriggerContext, ended: EndedChain[]): Promise<number> {
  const { clock, limits, logger } = context;
  const now = clock.now();
  const first = await closeEach(context, ended, now);
  const held = new Set(first.held.map(nameOf));
  // A claim locks a schedule only for a moment.
  if (held.size > 0) await setTimeout(AGAIN_AFTER_MILLISECONDS);
  const again = ended.filter(({ closed }) => held.has(nameOf(closed)));
  const second = await closeEach(context, again, now);
  await sayLocked(context, second.held);
  await pollAgain(context.store, second.held, later(now, limits.observeIntervalMilliseconds));
  const recorded = new Set([...first.closed, ...second.closed].map(nameOf));
  for (const { firing, closed } of ended) {
    if (!recorded.has(nameOf(closed))) continue;
    const milliseconds = firing.linkedAt ? closed.closedAt.getTime() - firing.linkedAt.getTime() : 0;
    const level = isFailure(closed.outcome) ? 'warn' : 'info';
    context.metrics.closed(firing.namespace, closed, now);
    logger[level]('closed', { ...firingFields(firing), outcome: closed.outcome, milliseconds });
  }
  logLetters(context, [...first.letters, ...second.letters]);
  for (const scheduleId of [...first.paused, ...second.paused]) logger.warn('paused: a firing failed', { scheduleId });
  return recorded.size;
}

async function closeEach(context: TriggerContext, ended: EndedChain[], now: number): Promise<Closings> {
  const watch = { now: new Date(now), resetCheckAt: later(now, context.limits.resetCheckMilliseconds) };
  const parts = await byHalves(
    context,
    'the record of an end',
    ended.map(({ closed }) => closed),
    (part) => closeFirings(context.store, part, watch),
    ({ closed }) => closed,
  );
  return {
    closed: parts.flatMap(({ closed }) => closed),
    paused: parts.flatMap(({ paused }) => paused),
    letters: parts.flatMap(({ letters }) => letters),
    held: parts.flatMap(({ held }) => held),
  };
}

/** Log which session holds the lock, if the schedule was locked at two attempts. */
async function sayLocked({ locked, store }: TriggerContext, held: Closings['held']): Promise<void> {
  if (held.length === 0) return;
  const scheduleIds = [...new Set(held.map((one) => one.scheduleId))];
  const holders = await lockHoldersOfEach(store, scheduleIds);
  for (const scheduleId of scheduleIds) {
    const heldBy = holders.filter((one) => one.scheduleId === scheduleId).map(describeHolder);
    // Without a holder, the lock has been released in the meantime.
    if (heldBy.length > 0) locked.failed({ scheduleId }, heldBy.join('; '));
  }
}

/** Log the schedules that are free again. Another trigger may record their ends. */
export async function sayUnlocked({ locked, store }: TriggerContext): Promise<void> {
  const scheduleIds = locked.open().map((about) => about.scheduleId!);
  if (scheduleIds.length === 0) return;
  const held = new Set((await lockHoldersOfEach(store, scheduleIds)).map(({ scheduleId }) => scheduleId));
  for (const scheduleId of scheduleIds) if (!held.has(scheduleId)) locked.over({ scheduleId });
}
