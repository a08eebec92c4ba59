import { describe, expect, it } from 'vitest';
import { type CompiledSpec, compileSpec } from '../../../../core/occurrences';
import { ServerGroup } from '../../../../core/occurrences/server/server-group';
import { Zone } from '../../../../core/occurrences/zones/zone';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { wallSecond } from '../reference';
import { secondOf } from '../zones/clock';
import { calendarOfCron, type Walk, walks } from './temporal-clock';

const HOUR = 3600;

describe('the times of a spec around a clock change, from one to the next as the server goes', () => {
  it('has facts of the server to compare with', () => expect(walks.length).toBeGreaterThanOrEqual(40));

  const named = walks.map((row) => [row.crons.join(' and '), row.zone, row.change, row] as const);
  it.each(named)('are the server’s: %s in %s at %s', (...[, , , row]) => {
    const { spec, start } = compiled(row);
    let at = start(row.from);
    for (const time of row.times) {
      expect(spec.next(at)).toBe(start(time));
      at = start(time);
    }
    expect(spec.next(at)).toBeGreaterThan(start(row.to));
  });
  it.each(named)('are the same backwards: %s in %s at %s', (...[, , , row]) => {
    const { spec, start } = compiled(row);
    let at = start(row.to) + 1;
    for (const time of row.times.toReversed()) {
      expect(spec.previous(at)).toBe(start(time));
      at = start(time);
    }
    expect(spec.previous(at) ?? 0).toBeLessThanOrEqual(start(row.from));
  });
  it.each(named)('are the same from any instant between two of them: %s in %s at %s', (...[, , , row]) => {
    const { start } = compiled(row);
    row.times.slice(1).forEach((time, i) => {
      const before = row.times[i]!;
      for (const second of new Set([before + 1, Math.floor((before + time) / 2), time - 1])) {
        // A spec that was asked nothing before.
        const { spec } = compiled(row);
        if (second < time) expect(spec.next(start(second))).toBe(start(time));
        if (second > before) expect(spec.previous(start(second))).toBe(start(before));
      }
    });
  });
  it.each(named)('are counted as they are: %s in %s at %s', (...[, , , row]) => {
    const { spec, start } = compiled(row);
    expect(spec.count(start(row.from), start(row.to))).toBe(row.times.length);
    for (const [from, to] of [
      [row.from, 0],
      [-7200, 7200],
      [-1800, 1800],
      [0, row.to],
      [-1, 3599],
    ] as const) {
      const among = row.times.filter((time) => from < time && time <= to).length;
      expect({ from, to, count: spec.count(start(from), start(to)) }).toEqual({ from, to, count: among });
    }
  });
});

function compiled({ zone, change, from, crons, every = [], startsThere }: Walk): {
  spec: CompiledSpec;
  start: (second: number) => number;
} {
  const intervals = every.map(([seconds, offset]) => `@every ${seconds}s/${offset}s`);
  const start = (second: number) => (secondOf(change) + second) * 1000;
  const startAt = startsThere && new Date(start(from + 1));
  return { spec: compileSpec({ cronExpressions: [...crons, ...intervals], timezone: zone, startAt }), start };
}

const group = (zone: Zone, cron = '0 30 2 * * * *', first = 0) =>
  new ServerGroup(zone, [calendarOfCron(cron)], [], first);
const iso = (second: number) => new Date(second * 1000).toISOString().slice(0, 19);
/** A zone of which nothing is known yet. */
const fresh = (name: string) => new Zone(name, (second) => wallSecond(name, second) - second);

describe('a far time near a clock change', () => {
  it.each([
    ['2037-10-25T01:30:00', '0 30 2 25 10 * 2037'],
    ['2037-10-26T01:30:00', '0 30 2 25,26 10 * 2037', '2037-10-25T01:30:00'],
  ])('is found in a zone of which nothing was known: %s', (time, cron, after = '2001-01-01T00:00:00') => {
    expect(iso(group(fresh('Europe/Berlin'), cron).next(secondOf(`${after}Z`) + 1))).toBe(time);
  });
  it('is found backwards in a zone of which nothing was known', () => {
    const ahead = secondOf('2060-01-01T00:00:00Z');
    expect(iso(group(fresh('Europe/Berlin'), '0 30 2 25 10 * 2037').previous(ahead))).toBe('2037-10-25T01:30:00');
  });
  it('is none if no calendar has one', () => {
    const once = group(zoneNamed('Europe/Berlin', 'zone'), '0 30 2 25 10 * 2037');
    expect(once.next(secondOf('2037-10-25T01:30:01Z'))).toBe(Number.POSITIVE_INFINITY);
    expect(once.previous(secondOf('2037-10-25T01:29:59Z'))).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('the windows around clock changes', () => {
  const windows = (zone: Zone, from: string, upTo: string) =>
    [...group(zone).windows(secondOf(from), secondOf(upTo))].map((window) => [iso(window.from), iso(window.to)]);
  const SPRING = ['2026-03-28T21:00:00', '2026-03-29T05:00:00'];
  const AUTUMN = ['2026-10-24T21:00:00', '2026-10-25T05:00:00'];

  it.each([
    ['a whole year', '2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z', [SPRING, AUTUMN]],
    ['a summer', '2026-04-01T00:00:00Z', '2026-10-01T00:00:00Z', []],
    ['up to before a window', '2026-04-01T00:00:00Z', '2026-10-24T20:59:59Z', []],
    ['up to the first second of a window', '2026-04-01T00:00:00Z', '2026-10-24T21:00:00Z', [AUTUMN]],
    ['from the last second of a window', '2026-03-29T04:59:59Z', '2026-10-01T00:00:00Z', [SPRING]],
    ['from after a window', '2026-03-29T05:00:00Z', '2026-10-01T00:00:00Z', []],
    ['from the first second of a window', '2026-03-28T21:00:00Z', '2026-12-01T00:00:00Z', [SPRING, AUTUMN]],
    ['within a window, before the change', '2026-03-29T00:00:00Z', '2026-03-29T00:30:00Z', [SPRING]],
    ['within a window, over the change', '2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z', [SPRING]],
    ['within a window, after the change', '2026-03-29T02:00:00Z', '2026-03-29T03:00:00Z', [SPRING]],
  ])('are those that touch %s', (_, from, upTo, expected) => {
    expect(windows(zoneNamed('Europe/Berlin', 'zone'), from, upTo)).toEqual(expected);
    expect(windows(fresh('Europe/Berlin'), from, upTo)).toEqual(expected);
  });

  it.each([
    // From the change less what it moves and three hours, to the change and as much.
    ['America/New_York', '2026-03-08T07:00:00Z', 4, 4],
    ['Australia/Lord_Howe', '2023-04-01T15:00:00Z', 3.5, 3.5],
    ['Antarctica/Troll', '2023-10-29T01:00:00Z', 5, 5],
    // If missing time touches midnight: to the end of the day.
    ['America/Havana', '2026-03-08T05:00:00Z', 4, 27],
    ['Asia/Beirut', '2026-03-28T22:00:00Z', 4, 27],
    ['America/Godthab', '2024-03-31T01:00:00Z', 4, 27],
    ['America/St_Johns', '2007-03-11T03:31:00Z', 4, 27],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 27, 50],
    // Not if the time around midnight comes twice.
    ['Africa/Cairo', '2026-10-29T21:00:00Z', 4, 4],
    ['America/St_Johns', '2007-11-04T02:31:00Z', 4, 4],
  ])('reach, in %s at %s, from %d hours before to %d hours after', (name, change, before, after) => {
    const start = secondOf(change);
    expect(windows(zoneNamed(name, 'zone'), change, change)).toEqual([
      [iso(start - before * HOUR), iso(start + after * HOUR)],
    ]);
  });

  it.each([
    [27, 21],
    [20, 14],
    [7, 1],
    [6, 0],
    [5, 0],
  ])('end six hours before the next change, which comes %d hours later: after %d', (hours, to) => {
    const [first, second] = [secondOf('2026-06-10T00:00:00Z'), secondOf('2026-06-10T00:00:00Z') + hours * HOUR];
    // The clock goes forward at midnight, and once more.
    const zone = new Zone('made up', (at) => (at < first ? 0 : at < second ? HOUR : 2 * HOUR));
    const [window] = group(zone).windows(first - 4 * HOUR, first - 4 * HOUR);
    expect(window).toEqual({ from: first - 4 * HOUR, to: first + to * HOUR });
  });
});

describe('the deviations in a window', () => {
  const berlin = zoneNamed('Europe/Berlin', 'zone');
  const change = secondOf('2026-10-25T01:00:00Z');
  const window = { from: change - 4 * HOUR, to: change + 4 * HOUR };
  it('are found once', () => {
    const some = group(berlin);
    expect(some.differences(window)).toMatchObject([{ times: [change + 1800] }]);
    expect(some.differences(window)).toBe(some.differences(window));
  });
  it('give way to LITERAL at their end, which is not part of them', () => {
    const some = group(berlin, '* * * * * * *');
    const [difference] = some.differences(window);
    const { from, to, times } = difference!;
    // Of the two hours, the server has the first second, one amid them, and the one after them.
    expect(times).toHaveLength(3);
    const [first, middle, last] = times as [number, number, number];
    expect([first, last]).toEqual([from, to - 1]);
    const asked = [from - 1, from, from + 1, middle, middle + 1, to - 1, to];
    expect(asked.map((second) => some.next(second))).toEqual([from - 1, first, middle, middle, last, last, to]);
    expect(asked.map((second) => some.previous(second))).toEqual([from - 1, first, first, middle, middle, last, to]);
  });
  it('begin with the spec: the server asks from the second before', () => {
    const times = (first: number) => group(berlin, '0 0,30 * * * * *', first).differences(window);
    expect(times(window.from)).toEqual(times(0));
    for (const first of [change - 1800, change]) expect(times(first)[0]!.from).toBeGreaterThanOrEqual(first);
    expect(times(window.to)).toEqual([]);
    expect(times(window.to + 1)).toEqual([]);
  });
  it('are kept for 20,000 times; then all are forgotten', () => {
    // Each autumn, the server has 3,601 seconds around a change that LITERAL has not.
    const howe = zoneNamed('Australia/Lord_Howe', 'zone');
    const some = group(howe, '* * * * * * *');
    const all = [...some.windows(change, secondOf('2040-01-01T00:00:00Z'))].filter(
      (one) => some.differences(one).length > 0,
    );
    const sizes = all.map((one) => some.differences(one).reduce((sum, { times }) => sum + times.length, 0));
    expect(new Set(sizes)).toEqual(new Set([3_601]));
    const fits = 5;

    const other = group(howe, '* * * * * * *');
    const first = other.differences(all[0]!);
    for (const one of all.slice(1, fits)) other.differences(one);
    expect(other.differences(all[0]!)).toBe(first);
    const last = other.differences(all[fits]!);
    expect(other.differences(all[fits]!)).toBe(last);
    const again = other.differences(all[0]!);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    // The two that came since are kept.
    expect(other.differences(all[fits]!)).toBe(last);
  });
});
