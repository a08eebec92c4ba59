import { type DecidedOn, giveUpFiring } from '../../store/firings/give-up';
import type { StartableFiring } from '../../store/firings/start';
import { eachOrSetAside } from '../by-halves';
import { concurrently } from '../concurrently';
import { firingFields, type TriggerContext } from '../context';
import { groupBy } from '../group';
import { logLetters } from '../log-letters';

/** claimed → abandoned | skipped, with the reason. @returns whether the row was changed */
export async function giveUp(
  context: TriggerContext,
  firing: StartableFiring,
  end: { state: 'abandoned' | 'skipped'; reason: string },
  decidedOn?: DecidedOn,
): Promise<boolean> {
  const fields = await fieldsOf(context, firing);
  const now = context.clock.now();
  const done = await giveUpFiring(context.store, firing, end, new Date(now), decidedOn);
  if (!done) return false;
  const milliseconds = now - firing.claimedAt.getTime();
  const meta = { ...fields, reason: end.reason, milliseconds };
  context.metrics.notStarted(end.state, firing, end.reason);
  if (end.state === 'abandoned') context.logger.error('abandoned', meta);
  else context.logger.info('skipped', meta);
  logLetters(context, done.letters);
  return true;
}

/** The fields are read before any row is written, so that no log line about a written row is lost. */
export async function fieldsOf(context: TriggerContext, firing: StartableFiring) {
  const definition = (await context.definitions.load(context.store, [firing]))(firing);
  return { ...firingFields(firing), namespace: firing.namespace, taskQueue: definition.action.taskQueue };
}

/** How many schedules are handled at once, each on a connection of its own from the pool. */
const SCHEDULES_AT_ONCE = 4;

export interface GivenUp<Firing> {
  firing: Firing;
  end: Parameters<typeof giveUp>[2];
  decidedOn: NonNullable<Parameters<typeof giveUp>[3]>;
}

/**
 * Abandon or skip firings. Firings of one schedule are handled one after the other, so that none finds the schedule
 * locked by another. If Postgres refuses a row, the others continue.
 *
 * @returns the firings whose rows were changed
 */
export async function giveUpEach<Firing extends StartableFiring>(
  context: TriggerContext,
  lost: GivenUp<Firing>[],
): Promise<Set<Firing>> {
  const done = new Set<Firing>();
  const ofSchedules = [...groupBy(lost, ({ firing }) => firing.scheduleId).values()];
  await concurrently(ofSchedules, SCHEDULES_AT_ONCE, context.stopping, async (ofSchedule) => {
    const rows = ofSchedule.map((one) => ({ ...one.firing, one }));
    await eachOrSetAside(context, 'the end of a firing', rows, 1, async ({ one: { firing, end, decidedOn } }) => {
      if (await giveUp(context, firing, end, decidedOn)) done.add(firing);
    });
  });
  return done;
}
