import { hashedMinute, jitterOf } from '../../core/occurrences';
import { readPreStarts } from '../../store/reads/specs-in-use';
import type { ServerContext } from '../context';
import type { FormInUse } from './form';

const MINUTE = 60_000;
/** The jitter that is assumed. */
export const JITTER_MINUTES = 5;
/** If the minute has more firings, a sample of at most so many is evaluated. */
const LOOKED_AT_MOST = 5_000;

/** What some changes would do to the firings of one minute. */
export interface WhatIf {
  firings: number;
  /** Number of firings that were evaluated. If this is less than `firings`, the numbers below are extrapolated. */
  looked: number;
  /** The number of firings in the fullest minute of the hour, if all minute fields were `H`. */
  hashed: number;
  /** The number of starts in the fullest second, if each schedule had five minutes of jitter. */
  jittered: number;
  /**
   * How far ahead firings may be handed over, by the settings of the schedules: null means up to the trigger's limit, 0
   * never.
   */
  preStart: { milliseconds: number | null; schedules: number }[];
}

/** The effect of `H`, jitter and pre-start on the firings of one minute. */
export async function whatIf(
  { store, specs }: ServerContext,
  { at, tenant }: { at: Date; tenant: string | undefined },
): Promise<WhatIf> {
  await specs.current();
  const from = at.getTime();
  const firings = specs.forms({ tenant }).flatMap((form) => timesIn(form, from).map((time) => ({ form, time })));
  const total = firings.reduce((sum, { form }) => sum + form.schedules.size, 0);
  const each = Math.ceil(total / LOOKED_AT_MOST);
  const scheduleIds: string[] = [];
  const [minutes, seconds] = [new Array<number>(60).fill(0), new Map<number, number>()];
  let place = 0;
  for (const { form, time } of firings) {
    // Jitter is never longer than the time to the next occurrence.
    const following = form.compiled().next(time) ?? Number.NaN;
    for (const scheduleId of form.schedules) {
      if (place++ % each !== 0) continue;
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

/** The nominal times of a form in the minute that begins at `from`. */
function timesIn(form: FormInUse, from: number): number[] {
  const times: number[] = [];
  try {
    const compiled = form.compiled();
    for (let at = compiled.next(from - 1); at !== undefined && at < from + MINUTE; at = compiled.next(at))
      times.push(at);
  } catch {
    // A spec that cannot be evaluated has no times.
  }
  return times;
}
