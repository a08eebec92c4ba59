import { DEFAULTS } from '../../core/defaults';
import { legible } from '../../core/definition/legible';
import { localTime } from '../../core/local-time';
import { type CompiledSpec, compileSpec, withinSteps } from '../../core/occurrences';
import { readTime, showTime, zoneOf } from '../../core/spec-zone';
import { readRestored } from '../../store/archive/restored';
import { readRetentionFloor } from '../../store/firings/retire-month';
import { readFreezeAt, readHeldUntil } from '../../store/freezes/matching';
import { readFreeze } from '../../store/freezes/rows';
import { readGapOver, readStanding, readVersionInForce, type ScheduleStanding } from '../../store/reads/explain';
import { readFiring } from '../../store/reads/read-firings';
import type { ClientContext } from '../context';
import { ScheduleNotFoundError } from '../errors';
import { asSeen } from '../freezes/errors';
import { nearestTo } from '../nearest';
import { isForeign, nowOf } from '../update/change';
import type { Explanation, NotYet } from './explanation';
import { beyondThisVersion, causeOf, causeOfDue } from './find-cause';
import { firingInWords, gapInWords, notYetInWords, unusableInWords, whileLive } from './outcome-words';
import { skippedDay } from './skipped-day';

export async function explainTime(
  context: ClientContext,
  scheduleId: string,
  given: Date | string,
): Promise<Explanation> {
  await context.ready();
  const { store } = context;
  // `answeredTo` is read first, so that the later reads see the answer of every occurrence that `answeredTo` covers.
  const read = await readStanding(store, scheduleId);
  if (!read || isForeign(context, read)) throw new ScheduleNotFoundError(scheduleId);
  const standing = legible(read);
  const named = zoneOf(standing.spec);
  const time = readTime(given, named, 'time');
  const zone = isZone(named) ? named : 'UTC';
  const subject = { scheduleId, time };
  const shown = showTime(time, zone);

  const firing = await readFiring(store, scheduleId, time);
  if (firing) {
    const cause = await causeOf(context, firing);
    const sentence = firingInWords(firing, cause, { zone, now: nowOf(context) });
    return { ...subject, answer: 'firing', firing, cause, sentence };
  }

  const floor = await readRetentionFloor(store);
  if (floor && time < floor && !(await isRestored(context, time))) {
    const sentence = `${shown}: this is no longer known, because firings before ${showTime(floor, zone)} are retired.`;
    return { ...subject, answer: 'retired', floor, sentence };
  }

  const inForce = await readVersionInForce(store, scheduleId, time);
  if (!inForce) {
    const createdAt = standing.firstCreatedAt;
    const sentence = `${shown}: the schedule did not exist; it was created at ${showTime(createdAt, zone)}.`;
    return { ...subject, answer: 'before_creation', createdAt, sentence };
  }

  const { version } = inForce;
  const compiled = orError(() => compileSpec(inForce.spec, { scheduleId }));
  const around = compiled instanceof Error ? compiled : orError(() => timesAround(compiled, time));
  if (compiled instanceof Error || around instanceof Error) {
    const problem = (around as Error).message;
    const sentence = `${shown}: ${unusableInWords(standing, version, problem)}.`;
    return { ...subject, answer: 'spec_error', version, problem, sentence };
  }

  if (!around.occurs) {
    const { before, after, inWords } = around.nearest;
    const skipped = await skippedDay(context, { ...inForce, tenant: standing.tenant }, subject);
    const nothing = `not an occurrence by version ${version} of the schedule`;
    const sentence = `${shown}: ${skipped ? `${skipped.sentence}, by version ${version} of the schedule` : nothing}; ${inWords(zone)}.`;
    return {
      ...subject,
      answer: 'not_an_occurrence',
      ...(skipped && { skipped: skipped.skipped }),
      nearest: { before, after },
      sentence,
    };
  }

  const gap = await readGapOver(store, scheduleId, time);
  if (gap) {
    const read = gap.freezeId === null ? undefined : await readFreeze(store, gap.freezeId);
    const freeze = read && asSeen(read, context.tenant);
    const sentence = gapInWords(time, gap, { standing, zone, freeze });
    return { ...subject, answer: 'gap', gap, ...(freeze && { freeze }), sentence };
  }

  if (time > standing.answeredTo) return notYet(context, standing, { time, startsAt: around.startsAt, zone });

  const sentence =
    `${shown}: this is an occurrence by version ${version}, but it has no row; the row was deleted by hand or lost in a ` +
    'Postgres failover, or the spec could not be evaluated then. An erased schedule of this name may also have answered it.' +
    (floor && time < floor ? '' : whileLive(standing, " 'escapement firing run-again' can fire it."));
  return { ...subject, answer: 'missing', version, sentence };
}

/** Whether the month was restored from the archive, so that its firings are known. */
async function isRestored(context: ClientContext, time: Date): Promise<boolean> {
  const months = await readRestored(context.store, nowOf(context));
  return months.includes(time.toISOString().slice(0, 7));
}

async function notYet(
  context: ClientContext,
  standing: ScheduleStanding,
  { time, startsAt, zone }: { time: Date; startsAt: Date; zone: string },
): Promise<Explanation> {
  const now = nowOf(context);
  const isPast = startsAt <= now;
  const waits = reasonToWait(standing, startsAt, now);
  const found =
    waits === 'ahead' || waits === 'due' ? await readFreezeAt(context.store, standing.scheduleId, startsAt) : undefined;
  const held = found && {
    freeze: asSeen(found, context.tenant),
    until: await readHeldUntil(context.store, standing.scheduleId, found),
  };
  const because = held && held.until > now ? 'frozen' : waits;
  const isOverdue = now.getTime() - startsAt.getTime() > DEFAULTS.onTimeMilliseconds;
  const checkAt = because === 'frozen' ? held?.until : because === 'ahead' || because === 'due' ? startsAt : undefined;
  const { scheduleId } = standing;
  const key = { scheduleId, scheduledTime: time };
  const cause =
    because === 'due'
      ? await causeOfDue(context, key)
      : because === 'ahead'
        ? await beyondThisVersion(context, key)
        : undefined;
  const words = { standing, startsAt, isPast, isOverdue, zone, now, cause, held };
  const sentence = notYetInWords(time, because, words);
  return {
    scheduleId,
    time,
    answer: 'not_yet',
    because,
    ...(held && { freeze: held.freeze }),
    checkAt,
    cause,
    sentence,
  };
}

function reasonToWait(standing: ScheduleStanding, startsAt: Date, now: Date): NotYet {
  if (standing.deletedAt) return 'deleted';
  if (standing.specError !== null) return 'spec_error';
  if (standing.paused && !(standing.pausedUntil && startsAt >= standing.pausedUntil)) return 'paused';
  if (standing.remainingActions === 0) return 'completed';
  return startsAt > now ? 'ahead' : 'due';
}

function timesAround(compiled: CompiledSpec, time: Date) {
  const at = time.getTime();
  return withinSteps('spec', () => ({
    occurs: compiled.next(at - 1) === at,
    startsAt: new Date(compiled.startTime(at)),
    nearest: nearestTo(compiled, time),
  }));
}

/** Whether times can be shown in this zone. The stored zone may be invalid, or unknown to this process. */
function isZone(name: string): boolean {
  return !(orError(() => localTime(new Date(0), name)) instanceof Error);
}

/** The result, or whichever error was thrown: stored data may be damaged in unexpected ways. */
function orError<Result>(evaluate: () => Result): Result | Error {
  try {
    return evaluate();
  } catch (error) {
    return error as Error;
  }
}
