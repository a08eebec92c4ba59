import { describe, expect, it } from 'vitest';
import { readChanges } from '../../../../core/occurrences/zones/zone-changes';
import { zoneNamed } from '../../../../core/occurrences/zones/zones';
import { type Change, clockWith, secondOf } from './clock';

const DAY = 86_400;
const HOUR = 3600;
const FROM = secondOf('2026-01-01T00:00:00Z');

/** What is read of a clock that begins at UTC+1, from `from` to `to`. */
function changesOf(changes: readonly Change[], from: number, to: number) {
  return readChanges(clockWith(HOUR, changes).offsetAt, from, to);
}

describe('the changes of a clock', () => {
  it.each([
    ['a minute', 60],
    ['a day', DAY],
    ['four years', 1461 * DAY],
  ])('are none if its offset stays the same for %s', (_, length) => {
    expect(changesOf([], FROM, FROM + length)).toEqual({ firstOffset: HOUR, starts: [], offsets: [] });
  });

  it('are none in an empty range, which is read at its only instant', () => {
    expect(changesOf([[FROM, 7200]], FROM, FROM)).toEqual({ firstOffset: 7200, starts: [], offsets: [] });
  });

  it.each([
    ['at the first second of the range, since its offset is the first one', 0, []],
    ['one second later', 1, [FROM + 1]],
    ['one second before the end of the range', 10 * DAY - 1, [FROM + 10 * DAY - 1]],
    ['at the very end of the range', 10 * DAY, [FROM + 10 * DAY]],
    ['one second after the range', 10 * DAY + 1, []],
  ])('are those after its beginning, up to and including its end: %s', (_, after, starts) => {
    expect(changesOf([[FROM + after, 7200]], FROM, FROM + 10 * DAY).starts).toEqual(starts);
  });

  it.each([
    ['at a whole hour', 40 * HOUR],
    ['at midnight', 2 * DAY],
    ['a second before a whole hour', 40 * HOUR - 1],
    ['a second after a whole hour', 40 * HOUR + 1],
    ['at half an hour', 40 * HOUR + 1800],
    ['at an odd second', 40 * HOUR + 2670],
    ['in the first hour', 17],
    ['in the last hour of five days', 5 * DAY - 17],
    ['at the end of five days', 5 * DAY],
    ['a second after five days', 5 * DAY + 1],
  ])('are found to the second: %s', (_, after) => {
    for (const from of [FROM, FROM - 1, FROM + 1234, -3 * DAY, -3 * DAY - 1234]) {
      expect(changesOf([[from + after, 0]], from, from + 8 * DAY)).toEqual({
        firstOffset: HOUR,
        starts: [from + after],
        offsets: [0],
      });
    }
  });

  it('are told in order, each with its new offset, though several lie within an hour', () => {
    const changes: Change[] = [
      [FROM + 3 * HOUR, 7200],
      [FROM + 3 * HOUR + 1, 9000],
      [FROM + 3 * HOUR + 1500, 10_800],
      [FROM + 5 * HOUR, 0],
      [FROM + 60 * DAY, HOUR],
    ];
    expect(changesOf(changes, FROM, FROM + 90 * DAY)).toEqual({
      firstOffset: HOUR,
      starts: changes.map(([at]) => at),
      offsets: [7200, 9000, 10_800, 0, HOUR],
    });
  });

  it.each([0, 1, 2 * DAY, 5 * DAY - 1, 5 * DAY, 5 * DAY + 1])(
    'are all found if they cancel each other out five days later, wherever these begin: after %i seconds',
    (after) => {
      const there = FROM + DAY + after;
      const back = there + 5 * DAY;
      const read = changesOf(
        [
          [there, 7200],
          [back, HOUR],
        ],
        FROM,
        FROM + 30 * DAY,
      );
      expect(read).toEqual({ firstOffset: HOUR, starts: [there, back], offsets: [7200, HOUR] });
    },
  );

  it('are found in Recife, whose summer of 2000 lasted a week', () => {
    const zone = zoneNamed('America/Recife', 'timezone');
    zone.cover(secondOf('2000-10-10T00:00:00Z'));
    const year = [secondOf('2000-06-01T00:00:00Z'), secondOf('2001-06-01T00:00:00Z')] as const;
    const starts = [...zone.starts].filter((start) => start > year[0] && start < year[1]);
    expect(starts).toEqual([secondOf('2000-10-08T03:00:00Z'), secondOf('2000-10-15T02:00:00Z')]);
    expect(zone.offset(starts[0]! - 1)).toBe(-3 * HOUR);
    expect(zone.offset(starts[0]!)).toBe(-2 * HOUR);
    expect(zone.offset(starts[1]!)).toBe(-3 * HOUR);
  });
});

describe('reading the changes of a clock', () => {
  it('asks once for each five days without a change, and not beyond the range', () => {
    const { offsetAt, asked } = clockWith(HOUR, []);
    readChanges(offsetAt, FROM, FROM + 12 * DAY);
    expect(asked).toEqual([FROM, FROM + 5 * DAY, FROM + 10 * DAY, FROM + 12 * DAY]);
  });

  it.each([1, 30, 31, 59, 60, 61, 119])(
    'finds a change at a whole hour by few questions, since clocks usually change there: after %i hours',
    (hours) => {
      // A range may begin at an odd second, after a change that was at one.
      for (const from of [FROM, FROM + 1234, FROM + 1801]) {
        const { offsetAt, asked } = clockWith(HOUR, [[FROM + hours * HOUR, 7200]]);
        readChanges(offsetAt, from, from + 5 * DAY);
        // 120 hours are halved seven times; a search by seconds would take 19 steps.
        expect(asked.length).toBeLessThanOrEqual(14);
      }
    },
  );
});
