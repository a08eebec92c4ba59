/**
 * A slow reference implementation without any code in common. It asks Intl for the local time of every minute, and
 * parses expressions with string operations.
 */

export interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What the wall clock shows, as a local second counted like UTC. */
export function wallSecond(zone: string, second: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const [month, day, year, hour, minute, s] = format
    .format(second * 1000)
    .match(/\d+/g)!
    .map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, s) / 1000;
}

function wallOf(local: number): Wall {
  const date = new Date(local * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
  };
}

const MONTHS = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function item(text: string, value: number, min: number, max: number, names: string[]): boolean {
  const [body, step] = text.split('/');
  const number = (word: string) => (names.includes(word) ? names.indexOf(word) : Number(word));
  let [from, to] = body === '*' || body === '?' ? [min, max] : body!.split('-').map(number);
  to ??= step === undefined ? from : max;
  for (let at = from!, guard = 0; guard < 200; guard++, at++) {
    if (at > Math.max(max, to!)) at = min;
    const steps = guard % Number(step ?? 1) === 0;
    if (steps && (at === value || (names === DAYS && at === 7 && value === 0))) return true;
    if (at === to) return false;
  }
  return false;
}

/** Whether an expression of `spec.cron` matches what a wall clock shows. */
export function cronMatches(expression: string, local: number): boolean {
  const wall = wallOf(local);
  const fields = expression.toUpperCase().split(' ');
  if (fields.length === 5) fields.unshift('0');
  const [second, minute, hour, day, month, weekday] = fields as [string, string, string, string, string, string];
  const any = (text: string, test: (part: string) => boolean) => text.split(',').some(test);
  const lastDay = new Date(Date.UTC(wall.year, wall.month, 0)).getUTCDate();
  const onDay = any(day, (part) => {
    const [named, nearest] = [part.replace('W', ''), part.endsWith('W')];
    const number = named.startsWith('L') ? lastDay - Number(named.slice(2)) : Number(named);
    if (!nearest) return named.startsWith('L') ? wall.day === number : item(part, wall.day, 1, 31, []);
    // Working days of the month, by their distance; of two at one distance there are never any.
    const weekdayOf = (one: number) => new Date(Date.UTC(wall.year, wall.month - 1, one)).getUTCDay();
    const working = Array.from({ length: lastDay }, (_, i) => i + 1).filter((one) => weekdayOf(one) % 6 !== 0);
    const [near] = working.sort((a, b) => Math.abs(a - number) - Math.abs(b - number));
    return number <= lastDay && wall.day === near;
  });
  const onWeekday = any(weekday, (part) => {
    const named = DAYS.reduce((text, name, i) => text.replace(name, String(i)), part);
    if (/^\dL$/.test(named)) return Number(named[0]) % 7 === wall.weekday && wall.day + 7 > lastDay;
    if (named[1] === '#') return Number(named[0]) % 7 === wall.weekday && Math.ceil(wall.day / 7) === Number(named[2]);
    return item(part, wall.weekday, 0, 6, DAYS);
  });
  const open = (text: string) => text === '*' || text === '?' || text === '*/1';
  const date = open(day) || open(weekday) ? onDay && onWeekday : onDay || onWeekday;
  return (
    date &&
    any(second, (part) => item(part, wall.second, 0, 59, [])) &&
    any(minute, (part) => item(part, wall.minute, 0, 59, [])) &&
    any(hour, (part) => item(part, wall.hour, 0, 23, [])) &&
    any(month, (part) => item(part, wall.month, 1, 12, MONTHS))
  );
}

/** Every time of an expression in `(from, to]`, found by checking every minute. */
export function slowTimes(
  expression: string,
  zone: string,
  dst: 'ONCE' | 'LITERAL',
  from: number,
  to: number,
): number[] {
  const [minute, hour] = expression.split(' ').slice(expression.split(' ').length - 5) as [string, string];
  const whole = (text: string, size: number) =>
    Array.from({ length: size }, (_, i) => i).every((i) =>
      text.split(',').some((part) => item(part, i, 0, size - 1, [])),
    );
  const cadence = /[*?/]/.test(minute + hour) || whole(minute, 60) || whole(hour, 24);
  const seconds = expression.split(' ').length > 5;
  const times: number[] = [];
  // Start two days before the window, to know how far the wall clock has been.
  let furthest = Number.NEGATIVE_INFINITY;
  const first = Math.floor((from - 172_800) / 60) * 60;
  let [here, next] = [0, wallSecond(zone, first)];
  for (let minuteStart = first; minuteStart <= to; minuteStart += 60) {
    [here, next] = [next, wallSecond(zone, minuteStart + 60)];
    const even = here + 60 === next && here % 60 === 0;
    for (let t = minuteStart; t < minuteStart + 60; t += even && !seconds ? 60 : 1) {
      const local = even ? here + t - minuteStart : wallSecond(zone, t);
      let fires = false;
      if (t > from && t <= to) {
        if (dst === 'LITERAL' || cadence) fires = cronMatches(expression, local);
        else {
          const start = Math.max(furthest + 1, local - 90_000);
          for (let l = start; l <= local && !fires; l += seconds || l % 60 !== 0 ? 1 : 60)
            fires = cronMatches(expression, l);
        }
      }
      if (fires) times.push(t);
      furthest = Math.max(furthest, even && !seconds ? local + 59 : local);
    }
  }
  return times;
}
