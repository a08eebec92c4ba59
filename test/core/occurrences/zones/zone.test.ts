import { describe, expect, it } from 'vitest';
import { LAST_SECOND } from '../../../../core/occurrences/civil';
import { Zone } from '../../../../core/occurrences/zones/zone';
import { type Change, clockWith, secondOf } from './clock';

const DAY = 86_400;
const HOUR = 3600;
const FORWARD = secondOf('2026-03-29T01:00:00Z');
const BACK = secondOf('2026-10-25T01:00:00Z');
/** The clock of Berlin in 2026. */
const BERLIN: Change[] = [
  [FORWARD, 2 * HOUR],
  [BACK, HOUR],
];

function zoneOf(first: number, changes: readonly Change[]): { zone: Zone; asked: number[] } {
  const { offsetAt, asked } = clockWith(first, changes);
  return { zone: new Zone('test', offsetAt), asked };
}

/** Asked for before a question, so that the answer is seen not to depend on what was asked for before. */
const BEFORE = ['1970-01-01', '2026-01-01', '2026-03-29', '2026-07-01', '2026-10-25', '2026-12-31', '2100-12-31'];

function afterAny<Answer>(changes: readonly Change[], ask: (zone: Zone) => Answer): Answer[] {
  const kept = zoneOf(HOUR, changes).zone;
  return BEFORE.flatMap((day) => {
    const fresh = zoneOf(HOUR, changes).zone;
    return [kept, fresh].map((zone) => {
      zone.offset(secondOf(`${day}T12:00:00Z`));
      return ask(zone);
    });
  });
}

function each<Value>(value: Value): Value[] {
  return BEFORE.flatMap(() => [value, value]);
}

describe('UTC', () => {
  const utc = new Zone('UTC', undefined);

  it.each([Number.NEGATIVE_INFINITY, -1, 0, FORWARD, LAST_SECOND, 1e12])(
    'is fixed: it has one segment without an end, and shows each time once: %s',
    (second) => {
      expect(utc.isFixed).toBe(true);
      expect(utc.segment(second)).toBe(0);
      expect(utc.offset(second)).toBe(0);
      expect(utc.firstReach(second)).toBe(second);
      expect(utc.reachedAt(second)).toBe(second + 1);
      expect(utc.end(0)).toBe(Number.POSITIVE_INFINITY);
      expect(utc.repeatsUntil(0)).toBe(Number.NEGATIVE_INFINITY);
    },
  );

  it('is the only fixed zone: another one may change, though it never does', () => {
    const { zone } = zoneOf(0, []);
    expect(zone.isFixed).toBe(false);
    expect(zone.name).toBe('test');
    expect(zone.segment(FORWARD)).toBe(0);
    expect(zone.end(0)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a zone whose clock goes forward and back', () => {
  it.each([
    ['before the first change', FORWARD - DAY, HOUR, Number.NEGATIVE_INFINITY, FORWARD],
    ['a second before it goes forward', FORWARD - 1, HOUR, Number.NEGATIVE_INFINITY, FORWARD],
    ['as it goes forward', FORWARD, 2 * HOUR, FORWARD, BACK],
    ['a second before it goes back', BACK - 1, 2 * HOUR, FORWARD, BACK],
    ['as it goes back', BACK, HOUR, BACK, Number.POSITIVE_INFINITY],
    ['long after the last change', secondOf('2100-01-01T00:00:00Z'), HOUR, BACK, Number.POSITIVE_INFINITY],
  ])('has the offset, and the begin and end, of the segment of an instant: %s', (_, second, offset, start, end) => {
    expect(afterAny(BERLIN, (zone) => zone.offset(second))).toEqual(each(offset));
    // A segment ends where the next one begins, as far as the years are read.
    const { zone } = zoneOf(HOUR, BERLIN);
    for (const edge of [FORWARD, BACK, second]) zone.cover(edge);
    const segment = zone.segment(second);
    expect([zone.starts[segment], zone.end(segment)]).toEqual([start, end]);
  });

  it.each([
    ['just before the missing hour', '2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
    ['at the begin of the missing hour', '2026-03-29T02:00:00', '2026-03-29T01:00:00Z'],
    ['in the missing hour', '2026-03-29T02:30:00', '2026-03-29T01:00:00Z'],
    ['at the end of the missing hour', '2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
    ['just after the missing hour', '2026-03-29T03:00:01', '2026-03-29T01:00:01Z'],
    ['in summer', '2026-07-01T12:00:00', '2026-07-01T10:00:00Z'],
    ['just before the repeated hour', '2026-10-25T01:59:59', '2026-10-24T23:59:59Z'],
    ['at the begin of the repeated hour, at its first pass', '2026-10-25T02:00:00', '2026-10-25T00:00:00Z'],
    ['in the repeated hour, at its first pass', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
    ['at the end of the repeated hour', '2026-10-25T02:59:59', '2026-10-25T00:59:59Z'],
    ['just after the repeated hour', '2026-10-25T03:00:00', '2026-10-25T02:00:00Z'],
    ['in winter', '2026-12-01T12:00:00', '2026-12-01T11:00:00Z'],
  ])('reaches a local time at the first instant that shows it or is past it: %s', (_, local, instant) => {
    const found = afterAny(BERLIN, (zone) => zone.firstReach(secondOf(`${local}Z`)));
    expect(found).toEqual(each(secondOf(instant)));
  });

  it.each([
    ['just before the missing hour', '2026-03-29T00:59:59Z', '2026-03-29T02:00:00'],
    ['right after the missing hour', '2026-03-29T01:00:00Z', '2026-03-29T03:00:01'],
    ['at the end of the first pass', '2026-10-25T00:59:59Z', '2026-10-25T03:00:00'],
    ['at the begin of the second pass', '2026-10-25T01:00:00Z', '2026-10-25T03:00:00'],
    ['in the second pass', '2026-10-25T01:30:00Z', '2026-10-25T03:00:00'],
    ['at the end of the second pass', '2026-10-25T01:59:59Z', '2026-10-25T03:00:00'],
    ['just after the second pass', '2026-10-25T02:00:00Z', '2026-10-25T03:00:01'],
  ])('has reached a local time, excluded, in which repeated time counts once: %s', (_, instant, local) => {
    const found = afterAny(BERLIN, (zone) => zone.reachedAt(secondOf(instant)));
    expect(found).toEqual(each(secondOf(`${local}Z`)));
  });

  it('repeats time until an hour after it went back, and none after it went forward', () => {
    const { zone } = zoneOf(HOUR, BERLIN);
    for (const second of [FORWARD, BACK]) zone.cover(second);
    expect(zone.repeatsUntil(zone.segment(BACK))).toBe(BACK + HOUR);
    expect(zone.repeatsUntil(zone.segment(FORWARD))).toBeLessThanOrEqual(FORWARD);
    expect(zone.repeatsUntil(0)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a zone whose clock goes back, and changes again before the repeated time is over', () => {
  it('counts the time once, though it goes back twice', () => {
    const { zone } = zoneOf(2 * HOUR, [
      [BACK, HOUR],
      [BACK + 1800, 0],
    ]);
    zone.cover(BACK);
    const reached = BACK + 2 * HOUR;
    for (const after of [0, 1799, 1800, 3600, 7199]) expect(zone.reachedAt(BACK + after)).toBe(reached);
    expect(zone.reachedAt(BACK + 7200)).toBe(reached + 1);
    expect(zone.firstReach(reached - 1)).toBe(BACK - 1);
    expect(zone.firstReach(reached)).toBe(BACK + 7200);
    expect(zone.repeatsUntil(zone.segment(BACK))).toBe(BACK + 1800);
    expect(zone.repeatsUntil(zone.segment(BACK + 1800))).toBe(BACK + 7200);
  });

  it('passes over the rest of the repeated time, if it goes forward again', () => {
    const { zone } = zoneOf(2 * HOUR, [
      [BACK, HOUR],
      [BACK + 1800, HOUR + 2700],
    ]);
    zone.cover(BACK);
    const reached = BACK + 2 * HOUR;
    expect(zone.reachedAt(BACK + 1799)).toBe(reached);
    expect(zone.reachedAt(BACK + 1800)).toBe(reached + 901);
    expect(zone.firstReach(reached - 1)).toBe(BACK - 1);
    for (const later of [0, 1, 900]) expect(zone.firstReach(reached + later)).toBe(BACK + 1800);
    expect(zone.firstReach(reached + 901)).toBe(BACK + 1801);
    expect(zone.repeatsUntil(zone.segment(BACK))).toBe(BACK + 1800);
    expect(zone.repeatsUntil(zone.segment(BACK + 1800))).toBeLessThanOrEqual(BACK + 1800);
  });
});

describe('the years of a zone', () => {
  /** The first days of what is read at once: four years, from 29 December on. */
  const [CHUNK_OF_1970, CHUNK_OF_1974] = ['1969-12-29', '1973-12-29'].map((day) => secondOf(`${day}T00:00:00Z`));
  const [CHUNK_OF_2026, CHUNK_OF_2030] = ['2025-12-29', '2029-12-29'].map((day) => secondOf(`${day}T00:00:00Z`));
  const EDGE_OF_2100 = LAST_SECOND + 3 * DAY;
  const summers: Change[] = Array.from({ length: 131 }, (_, year) => 1970 + year).flatMap((year) => [
    [secondOf(`${year}-03-29T01:00:00Z`), 2 * HOUR],
    [secondOf(`${year}-10-25T01:00:00Z`), HOUR],
  ]);

  it('are read in fours, when one of them is first needed, with three days around them', () => {
    const { zone, asked } = zoneOf(HOUR, summers);
    expect(asked).toEqual([]);
    zone.offset(FORWARD);
    expect(Math.min(...asked)).toBe(CHUNK_OF_2026! - 3 * DAY);
    expect(Math.max(...asked)).toBe(CHUNK_OF_2030! + 3 * DAY);
    asked.length = 0;
    for (const second of [CHUNK_OF_2026!, FORWARD, BACK, CHUNK_OF_2030! - 1]) zone.offset(second);
    expect(asked).toEqual([]);
    const [from, to] = [CHUNK_OF_2026! - 3 * DAY, CHUNK_OF_2030! + 3 * DAY];
    zone.offset(CHUNK_OF_2030!);
    expect(Math.max(...asked)).toBe(to + 1461 * DAY);
    zone.offset(CHUNK_OF_2026! - 1);
    expect(Math.min(...asked)).toBe(from - 1461 * DAY);
    expect(asked.filter((second) => second > from && second < to)).toEqual([]);
  });

  it.each([
    ['1970', 0],
    ['an instant long before', Number.NEGATIVE_INFINITY],
  ])('begin with 29 December 1969, and are read once: %s', (_, second) => {
    const { zone, asked } = zoneOf(HOUR, summers);
    expect(zone.offset(second)).toBe(HOUR);
    expect([Math.min(...asked), Math.max(...asked)]).toEqual([CHUNK_OF_1970!, CHUNK_OF_1974! + 3 * DAY]);
    asked.length = 0;
    for (const early of [Number.NEGATIVE_INFINITY, -1e10, -3 * DAY - 1, 0, CHUNK_OF_1974! - 1]) {
      expect(zone.offset(early)).toBe(HOUR);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['2100', LAST_SECOND],
    ['an instant long after', 1e12],
  ])('end with the third day of 2101, and are read once: %s', (_, second) => {
    const { zone, asked } = zoneOf(HOUR, [[EDGE_OF_2100, 0]]);
    expect(zone.offset(EDGE_OF_2100 - 1)).toBe(HOUR);
    zone.offset(second);
    expect(Math.max(...asked)).toBe(EDGE_OF_2100);
    asked.length = 0;
    for (const late of [EDGE_OF_2100, EDGE_OF_2100 + 1, 1e12]) expect(zone.offset(late)).toBe(0);
    expect(asked).toEqual([]);
  });

  it.each([
    ['the first second of four years', CHUNK_OF_2026!],
    ['a second in their midst', FORWARD],
    ['the last second of four years', CHUNK_OF_2030! - 1],
    ['the first second of all', 0],
    ['the last second of all', LAST_SECOND],
  ])('are known within two days of an instant that is covered: %s', (_, second) => {
    for (const at of [second - 2 * DAY, second - DAY, second, second + 1, second + 2 * DAY]) {
      const { zone } = zoneOf(HOUR, [[at, 0]]);
      zone.cover(second);
      expect([...zone.starts]).toEqual([Number.NEGATIVE_INFINITY, at]);
      expect([...zone.offsets]).toEqual([HOUR, 0]);
    }
  });

  it.each([
    ['rising', [0, CHUNK_OF_2026!, LAST_SECOND]],
    ['falling', [LAST_SECOND, CHUNK_OF_2026!, 0]],
    ['from the midst on', [FORWARD, 0, LAST_SECOND]],
    ['four years at a time', Array.from({ length: 33 }, (_, chunk) => chunk * 1461 * DAY)],
    ['four years at a time, back', Array.from({ length: 33 }, (_, chunk) => LAST_SECOND - chunk * 1461 * DAY)],
  ])('make the same table in whatever order they are needed: %s', (_, order) => {
    const { zone } = zoneOf(HOUR, summers);
    for (const second of order) zone.cover(second);
    expect([...zone.starts]).toEqual([Number.NEGATIVE_INFINITY, ...summers.map(([at]) => at)]);
    expect([...zone.offsets]).toEqual([HOUR, ...summers.map(([, offset]) => offset)]);
    // In spring the clock had shown 02:00 before the change, and in autumn 03:00.
    const shown = summers.map(([at, offset]) => at + (offset === HOUR ? 2 * HOUR : HOUR));
    expect([...zone.reached]).toEqual([Number.NEGATIVE_INFINITY, ...shown]);
  });

  it('are found from any other year, whichever was asked for before', () => {
    const { zone } = zoneOf(HOUR, summers);
    const years = [1970, 1971, 1973, 1974, 1999, 2000, 2001, 2026, 2027, 2099, 2100];
    const instants = years.flatMap((year) => [`${year}-01-01`, `${year}-07-01`, `${year}-12-01`]);
    const wrong: string[] = [];
    for (const before of instants) {
      for (const day of instants) {
        zone.offset(secondOf(`${before}T00:00:00Z`));
        const offset = zone.offset(secondOf(`${day}T00:00:00Z`));
        if (offset !== (day.includes('-07-') ? 2 * HOUR : HOUR)) wrong.push(`${day} after ${before}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
