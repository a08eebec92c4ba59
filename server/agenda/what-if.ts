import { hashedMinute, jitterOf } from '../../core/occurrences';
import { readPreStarts } from '../../store/reads/specs-in-use';
import type { ServerContext } from '../context';
import type { FormInUse } from './form';

const MINUTE = 60_000;
/** The jitter that is reckoned with. */
export const JITTER_MINUTES = 5;
/** Of more schedules so many stand for all. */
const LOOKED_AT_MOST = 5_000;

/** What becomes of the firings of one minute. */
export interface WhatIf {
  firings: number;
  /** Schedules that were looked at; where there are more, the other numbers are estimated from these. */
  looked: number;
  /** Firings of the fullest minute of the hour, were their minutes written as `H`. */
  hashed: number;
  /** Starts in the fullest second, had each a jitter of five minutes. */
  jittered: number;
  /** How far ahead they are handed over, as their schedules have it: null is as far as the trigger's cap, 0 not at all. */
  preStart: { milliseconds: number | null; schedules: number }[];
}

/** What `H`, jitter and pre-start make of one minute: computed for each schedule by its own ID. */
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
    // Jitter is at most the gap to what follows.
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

/** Whatever a form fires in the minute. */
function timesIn(form: FormInUse, from: number): number[] {
  const times: number[] = [];
  try {
    const compiled = form.compiled();
    for (let at = compiled.next(from - 1); at !== undefined && at < from + MINUTE; at = compiled.next(at))
      times.push(at);
  } catch {
    // It is set aside, and fires nothing.
  }
  return times;
}
