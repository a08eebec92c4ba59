import { inputOf, instantOf } from '../../time/format';

const DAY = 86_400_000;

/** The start of the week that is shown on a page that was opened at `first`. The week moves on once a day. */
export function weekStart(first: number, now: number): number {
  return first + Math.max(0, Math.floor((now - first) / DAY)) * DAY;
}

/** The coming night from 1 to 3 o’clock, in the local time of a zone. */
export function tonightAfter(now: number, zone: string): { from: Date; to: Date } {
  const night = (day: string) => ({
    from: instantOf(`${day}T01:00`, zone)!,
    to: instantOf(`${day}T03:00`, zone)!,
  });
  const today = inputOf(new Date(now), zone).slice(0, 10);
  const first = night(today);
  if (first.from.getTime() >= now) return first;
  return night(new Date(Date.parse(today) + DAY).toISOString().slice(0, 10));
}
