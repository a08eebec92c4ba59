import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { firstOfOurs, maybeBuffered } from '../../../moving/cut-over/handover';
import type { Standing } from '../../../moving/native/standing';

const MINUTE = 60_000;
const [BUFFER_ONE, BUFFER_ALL, CANCEL_OTHER, ALLOW_ALL] = [2, 3, 4, 6];
const everyHour = compileSpec({ intervals: [{ every: '1h' }] }, { scheduleId: 's' });
const everyMinute = compileSpec({ intervals: [{ every: '1m' }] }, { scheduleId: 's' });
/** All in minutes. */
const standing = ({ first, last, lastStartedAt = last, buffered = 0, readAt }: Partial<Standing>): Standing => ({
  ...(readAt === undefined ? {} : { readAt: readAt * MINUTE }),
  first: first == null ? null : first * MINUTE,
  last: last == null ? null : last * MINUTE,
  lastStartedAt: lastStartedAt == null ? null : lastStartedAt * MINUTE,
  buffered,
});

describe('the first nominal time that is ours', () => {
  const firstOf = (
    before: Partial<Standing>,
    after: Partial<Standing>,
    now: number,
    { ours = everyMinute, theirs = everyMinute } = {},
  ) => firstOfOurs(ours, { theirs, before: standing(before), after: standing(after), now: now * MINUTE })! / MINUTE;

  it('is the first that native had not come to when it was paused at once', () => {
    expect(firstOf({ first: 6, last: 5 }, { first: 6, last: 5 }, 5.5)).toBe(6);
    expect(firstOf({ first: 6, last: null }, { first: 6, last: null }, 5.5)).toBe(6);
  });

  it('is the first behind the last that native started while the pause was on its way', () => {
    expect(firstOf({ first: 6, last: 5 }, { first: 9, last: 7 }, 8.5)).toBe(8);
    expect(firstOf({ first: 6, last: 5 }, { first: 9, last: 5 }, 8.5)).toBe(6);
  });

  it('is never one that native had come to before the pause, whatever it left out', () => {
    expect(firstOf({ first: 6, last: 2 }, { first: 6, last: 2 }, 5.5)).toBe(6);
  });

  it('is the next from now on where native comes to none any more', () => {
    expect(firstOf({ first: null, last: 5 }, { first: null, last: 5 }, 8.5)).toBe(9);
  });

  it('is never one that native had come to by a clock that is ahead of ours', () => {
    expect(firstOf({ first: 7, last: 2, readAt: 5.9 }, { first: 7, last: 2 }, 5.95)).toBe(7);
  });

  it('is the next since native was read if the spec was made more frequent here', () => {
    const hourly = { theirs: everyHour };
    expect(firstOf({ first: 120, last: 60, readAt: 70.5 }, { first: 120, last: 60 }, 72.5, hourly)).toBe(71);
    expect(firstOf({ first: 120, last: 60 }, { first: 120, last: 60 }, 72.5, hourly)).toBe(73);
  });

  it('is no past one if the spec was made less frequent here', () => {
    expect(firstOf({ first: 71, last: null }, { first: 71, last: null }, 70.5, { ours: everyHour })).toBe(120);
  });

  it('is also one of ours that fell due while native was behind', () => {
    expect(firstOf({ first: 60, last: 0, readAt: 61 }, { first: 60, last: 0 }, 62, { theirs: everyHour })).toBe(60);
  });
});

describe('what may wait in a native schedule', () => {
  const waiting = (at: Partial<Standing>, policy: number) =>
    maybeBuffered(everyMinute, standing(at), policy).map((time) => time / MINUTE);

  it('is the first behind the last that it started where it buffers all', () => {
    expect(waiting({ first: 9, last: 5, buffered: 3 }, BUFFER_ALL)).toEqual([6, 7, 8]);
    expect(waiting({ first: 9, last: 5, buffered: 0 }, BUFFER_ALL)).toEqual([]);
    expect(waiting({ first: 9, last: 5, buffered: 1 }, ALLOW_ALL)).toEqual([]);
  });

  it('is the last that it came to where that one cancels the others', () => {
    expect(waiting({ first: 9, last: 5, buffered: 1 }, CANCEL_OTHER)).toEqual([8]);
  });

  it('is the first that fell due after the last had started where it buffers one: those before were left out', () => {
    expect(waiting({ first: 9, last: 5, lastStartedAt: 5.1, buffered: 1 }, BUFFER_ONE)).toEqual([6]);
    expect(waiting({ first: 9, last: 5, lastStartedAt: 6.5, buffered: 1 }, BUFFER_ONE)).toEqual([7]);
  });

  it('is either of two where one fell due just before the last had started: none is lost', () => {
    expect(waiting({ first: 9, last: 5, lastStartedAt: 7.01, buffered: 1 }, BUFFER_ONE)).toEqual([7, 8]);
    expect(waiting({ first: 9, last: 5, lastStartedAt: 8.5, buffered: 1 }, BUFFER_ONE)).toEqual([8]);
  });

  it('is the same after the last time of the spec: none of what waited is lost', () => {
    const over = { first: null, last: 5, lastStartedAt: 5.1, readAt: 8.5 };
    expect(waiting({ ...over, buffered: 3 }, BUFFER_ALL)).toEqual([6, 7, 8]);
    expect(waiting({ ...over, buffered: 1 }, CANCEL_OTHER)).toEqual([8]);
    expect(waiting({ ...over, buffered: 1 }, BUFFER_ONE)).toEqual([6]);
  });

  it.each([
    ['one', BUFFER_ONE],
    ['all', BUFFER_ALL],
    ['the latest', CANCEL_OTHER],
  ])('is nothing up to the last that it started where it buffers %s: only starts by hand wait', (_, policy) => {
    expect(waiting({ first: 9, last: 8, buffered: 2 }, policy)).toEqual([]);
    expect(waiting({ first: 9, last: 7, lastStartedAt: 8.5, buffered: 2 }, policy)).toEqual([8]);
  });
});
