import { Turns } from '../../client/in-turns';
import { startedBefore } from '../../core/decisions/catchup';
import { type CompiledSpec, compileSpec, nextOccurrences } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';
import type { Store } from '../../store/connection';
import { readAnsweredDays, readGapsBetween } from '../../store/reads/days';

export interface CalendarDay {
  /** The date, such as `2026-03-01`. */
  day: string;
  completed: number;
  failed: number;
  skipped: number;
  other: number;
  /** Why occurrences of the day have no firing; undefined if no gap touches the day. */
  gap?: string;
  /** Number of occurrences still to come on the day. */
  ahead: number;
}

const MONTHS_BACK = 3;
const MONTHS = 12;
const DAYS_AT_MOST = 370;

interface CalendarQuestion {
  scheduleId: string;
  /** The spec of the firings to come; undefined if none will come. */
  spec: ScheduleSpec | undefined;
  zone: string;
  now: Date;
  /** No firing starts before this instant. @default now */
  pausedUntil: Date | undefined;
}

/** Twelve months of a schedule: three before this month, this month, and eight after it. */
export async function calendarOf(
  store: Store,
  { scheduleId, spec, zone, now, pausedUntil }: CalendarQuestion,
): Promise<{ from: string; zone: string; today: string; days: CalendarDay[] }> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const dayOf = (instant: Date) => format.format(instant);
  const today = dayOf(now);
  const first = firstOfMonth(today, -MONTHS_BACK);
  const last = firstOfMonth(today, MONTHS - MONTHS_BACK);
  // A day begins at its first instant, even if a clock change skips midnight.
  const begin = new Date(Date.parse(`${first}T00:00Z`) - 26 * 3_600_000);
  const midnights = nextOccurrences({ cron: '0 0 * * *', timezone: zone }, { after: begin, count: DAYS_AT_MOST + 2 });
  const starts = midnights.filter((start) => dayOf(start) >= first && dayOf(start) <= last);
  const [from, to] = [starts[0]!, starts.at(-1)!];
  const [answered, gaps] = await Promise.all([
    readAnsweredDays(store, { scheduleId, starts }),
    readGapsBetween(store, { scheduleId, from, to }),
  ]);
  const byDay = new Map(answered.map(({ index, ...counts }) => [index, counts]));
  const compiled = spec && compileSpec(spec, { scheduleId });
  const heldTo = compiled && pausedUntil ? startedBefore(compiled, pausedUntil.getTime()) : 0;
  const ahead = compiled ? await countDays(compiled, starts, Math.max(now.getTime(), heldTo + 1)) : [];
  const days = starts.slice(0, -1).map((start, at) => {
    const end = starts[at + 1]!;
    const counts = byDay.get(at) ?? { completed: 0, failed: 0, skipped: 0, other: 0 };
    const gap = gaps.find((one) => one.from < end && one.to >= start);
    return { ...counts, day: dayOf(start), ...(gap ? { gap: gap.reason } : {}), ahead: ahead[at] ?? 0 };
  });
  return { from: first, zone, today, days };
}

/** The last of `starts` is the end of the last day. Occurrences before `from` do not count. */
export async function countDays(compiled: CompiledSpec, starts: Date[], from: number): Promise<number[]> {
  const turns = new Turns();
  const counts: number[] = [];
  for (const [at, end] of starts.slice(1).entries()) {
    const begin = Math.max(starts[at]!.getTime(), from);
    counts.push(end.getTime() <= begin ? 0 : compiled.count(begin - 1, end.getTime() - 1));
    await turns.next();
  }
  return counts;
}

function firstOfMonth(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
