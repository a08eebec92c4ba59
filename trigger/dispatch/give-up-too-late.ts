import { DEFAULTS } from '../../core/defaults';
import { nameOf } from '../../core/firing';
import { takeBackAnnouncements } from '../../store/firings/start';
import { readRedriven, type TakenWaiting } from '../../store/firings/waiting';
import { isOfSpec } from '../claim/candidates';
import type { TriggerContext } from '../context';
import { giveUpEach } from '../recover/give-up-each';

/**
 * Give up what was taken so late that its catch-up window is over, as behind an outage of Temporal that was longer. Nobody has
 * called it, so that nothing of it can run. Where somebody keeps its schedule locked it is left to recovery.
 *
 * @returns what is to be called
 */
export async function giveUpTooLate(
  context: TriggerContext,
  taken: TakenWaiting[],
  announcedAt: Date,
): Promise<{ left: TakenWaiting[]; abandoned: number }> {
  const definitions = await context.definitions.load(context.store, taken);
  // What has just been claimed was in time then.
  const hasWaited = ({ claimedAt }: TakenWaiting) =>
    announcedAt.getTime() - claimedAt.getTime() > DEFAULTS.onTimeMilliseconds;
  const isTooLate = (firing: TakenWaiting) =>
    isOfSpec(firing) &&
    hasWaited(firing) &&
    announcedAt.getTime() - dueAtOf(firing) > definitions(firing).policies.catchupWindow;
  const late = taken.filter(isTooLate);
  if (late.length === 0) return { left: taken, abandoned: 0 };
  // Whatever its age, where a person asked for it.
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

/** One that was on time and has waited for its turn was not late for that, and has come since. */
function dueAtOf({ kind, readyAt, claimedAt }: TakenWaiting): number {
  return kind === 'schedule' ? Math.max(readyAt.getTime(), claimedAt.getTime()) : readyAt.getTime();
}
