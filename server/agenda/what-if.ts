import { inTurns, Turns } from '../../client/in-turns';
import { foundOne, hashedMinute, jitterOf } from '../../core/occurrences';
import { readPreStarts } from '../../store/reads/specs-in-use';
import type { ServerContext } from '../context';
import type { FormInUse } from './form';

const MINUTE = 60_000;
export const JITTER_MINUTES = 5;
/** The maximum number of firings that are evaluated. If the minute has more, a sample is taken. */
const LOOKED_AT_MOST = 5_000;

export interface WhatIf {
  firings: number;
  /** Number of firings that were evaluated. If this is less than `firings`, the numbers below are extrapolated. */
  looked: number;
  /** The number of firings in the fullest minute of the hour, if all minute fields were `H`. */
  hashed: number;
  /** The number of starts in the fullest second, if each schedule had five minutes of jitter. */
  jittered: number;
  /**
   * How far ahead firings may be handed over, and how many schedules have this setting. `null` means as far as the
   * trigger's limit allows, 0 means never.
   */
  preStart: { milliseconds: number | null; schedules: number }[];
}

export async function whatIf(
  { store, specs }: ServerContext,
  { at, tenant }: { at: Date; tenant: string | undefined },
): Promise<WhatIf> {
  await specs.current();
  const from = at.getTime();
  const firings: FormFiring[] = [];
  const turns = new Turns();
  for (const form of specs.forms({ tenant })) {
    await turns.next();
    firings.push(...(await firingsOf(form, from, turns)));
  }
  const total = firings.reduce((sum, { schedules }) => sum + schedules, 0);
  const each = Math.ceil(total / LOOKED_AT_MOST);
  const scheduleIds: string[] = [];
  const [minutes, seconds] = [new Array<number>(60).fill(0), new Map<number, number>()];
  let place = 0;
  for (const { form, time, following } of firings) {
    for (const scheduleId of form.schedules) {
      if (!form.fires(scheduleId, time) || place++ % each !== 0) continue;
      scheduleIds.push(scheduleId);
      minutes[hashedMinute(scheduleId)]!++;
      const start = time + jitterOf(time / 1_000, following / 1_000, JITTER_MINUTES * MINUTE, scheduleId);
      const second = Math.floor(start / 1_000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
  }
  const scaled = (count: number) => (scheduleIds.length === 0 ? 0 : Math.ceil((count * total) / scheduleIds.length));
  const preStart = await readPreStarts(store, scheduleIds);
  return {
    firings: total,
    looked: scheduleIds.length,
    hashed: scaled(Math.max(...minutes)),
    jittered: scaled(Math.max(0, ...seconds.values())),
    preStart: preStart.map(({ milliseconds, schedules }) => ({ milliseconds, schedules: scaled(schedules) })),
  };
}

/** An occurrence of a form in the minute. Jitter is never longer than the time to the following occurrence. */
interface FormFiring {
  form: FormInUse;
  time: number;
  following: number;
  /** The number of schedules that fire then. */
  schedules: number;
}

async function firingsOf(form: FormInUse, from: number, turns: Turns): Promise<FormFiring[]> {
  const firings: FormFiring[] = [];
  try {
    for await (const some of inTurns(timesIn(form, from), turns)) {
      firings.push(...some.map((one) => ({ form, ...one })));
    }
    return firings;
  } catch {
    // A spec that cannot be evaluated, or takes too long, has no times.
    return [];
  }
}

function* timesIn(form: FormInUse, from: number): Generator<Omit<FormFiring, 'form'>> {
  const compiled = form.compiled();
  for (let time = form.firstFrom(from); time !== undefined && time < from + MINUTE; ) {
    const following = compiled.next(time);
    foundOne();
    yield { time, following: following ?? Number.NaN, schedules: form.firingAt(time) };
    time = following;
  }
}
