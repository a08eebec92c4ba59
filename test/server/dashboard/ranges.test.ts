import { describe, expect, it } from 'vitest';
import { instantOf } from '../../../server/dashboard/time/format';
import { tonightAfter, weekStart } from '../../../server/dashboard/views/ahead/ranges';

const at = (text: string) => Date.parse(text);
const tonight = (now: string, zone: string) => {
  const { from, to } = tonightAfter(at(now), zone);
  return [from.toISOString(), to.toISOString()];
};

describe('tonight, 1 to 3', () => {
  it('is the coming night, and this one until one o’clock', () => {
    expect(tonight('2026-03-05T06:40:00Z', 'UTC')).toEqual(['2026-03-06T01:00:00.000Z', '2026-03-06T03:00:00.000Z']);
    expect(tonight('2026-03-05T00:40:00Z', 'UTC')).toEqual(['2026-03-05T01:00:00.000Z', '2026-03-05T03:00:00.000Z']);
  });

  it('is from 1 to 3 by the clock on the wall also where clocks change in that night or the day before', () => {
    expect(tonight('2026-03-28T12:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
    ]);
    expect(tonight('2026-10-24T12:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
    expect(tonight('2026-03-29T00:30:00Z', 'Europe/Berlin')).toEqual([
      '2026-03-29T23:00:00.000Z',
      '2026-03-30T01:00:00.000Z',
    ]);
  });
});

it('a local time that clocks skip is the first instant after the skip, as on the server', () => {
  const read = (text: string, zone: string) => instantOf(text, zone)?.toISOString();
  expect(read('2026-03-29T01:00', 'Europe/London')).toBe('2026-03-29T01:00:00.000Z');
  expect(read('2026-03-29T02:30:15', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
  expect(read('2026-03-08T02:30', 'America/New_York')).toBe('2026-03-08T07:00:00.000Z');
  expect(read('2026-10-04T02:10', 'Australia/Lord_Howe')).toBe('2026-10-03T15:30:00.000Z');
  expect(read('2026-03-29T03:00', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
});

it('the week on a wall screen moves on by whole days, so that six of its days are read already', () => {
  const first = at('2026-03-05T06:00:00Z');
  expect(weekStart(first, at('2026-03-06T05:59:59Z'))).toBe(first);
  expect(weekStart(first, at('2026-03-06T06:00:00Z'))).toBe(at('2026-03-06T06:00:00Z'));
  expect(weekStart(first, at('2026-03-12T23:00:00Z'))).toBe(at('2026-03-12T06:00:00Z'));
});
