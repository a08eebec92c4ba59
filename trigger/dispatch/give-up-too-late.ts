import { DEFAULTS } from '../../core/defaults';
import { nameOf } from '../../core/firing';
import { takeBackAnnouncements } from '../../store/firings/start';
import { readRedriven, type TakenWaiting } from '../../store/firings/waiting';
import { isOfSpec } from '../claim/candidates';
import type { TriggerContext } from '../context';
import { giveUpEach } from '../recover/give-up';

/**
 * Abandon taken firings whose catch-up window is already over, for example after a long outage of Temporal. Nobody has
 * called the start of these firings, so none of their workflows can run. Firings whose schedule another session has
 * locked are left to recovery.
 */
export async function giveUpTooLate(
  context: TriggerContext,
  taken: TakenWaiting[],
  announcedAt: Date,
): Promise<{ left: TakenWaiting[]; abandoned: number }> {
  const definitions = await context.definitions.load(context.store, taken);
  // A firing that was claimed just now was in time.
  const hasWaited = ({ claimedAt }: TakenWaiting) =>
    announcedAt.getTime() - claimedAt.getTime() > DEFAULTS.onTimeMilliseconds;
  const isTooLate = (firing: TakenWaiting) =>
    isOfSpec(firing) &&
    hasWaited(firing) &&
    announcedAt.getTime() - dueAtOf(firing) > definitions(firing).policies.catchupWindow;
  const late = taken.filter(isTooLate);
  if (late.length === 0) return { left: taken, abandoned: 0 };
  // A firing that a person has redriven starts however old it is.
  const redriven = new Set((await readRedriven(context.store, late)).map(nameOf));
  const tooLate = new Set(late.filter((firing) => !redriven.has(nameOf(firing))));
  const decidedOn = { owner: context.id, startAttemptedAt: announcedAt };
  const end = { state: 'abandoned' as const, reason: 'outside_catchup_window' };
  const ended = await giveUpEach(
    context,
    [...tooLate].map((firing) => ({ firing, end, decidedOn })),
  );
  const held = [...tooLate].filter((firing) => !ended.has(firing));
  await takeBackAnnouncements(context.store, held, { announcedAt, now: announcedAt });
  return { left: taken.filter((firing) => !tooLate.has(firing)), abandoned: ended.size };
}

/** As in `recover/recover-one.ts`, the time for which a firing was buffered does not count as lateness. */
function dueAtOf({ kind, readyAt, claimedAt }: TakenWaiting): number {
  return kind === 'schedule' ? Math.max(readyAt.getTime(), claimedAt.getTime()) : readyAt.getTime();
}
