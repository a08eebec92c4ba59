import { beforeEach, describe, expect, it } from 'vitest';
import { EndLists } from '../../../trigger/observe/end-lists';

const LIMITS = {
  listEndsIntervalMilliseconds: 1_000,
  observeIntervalMilliseconds: 1_000,
  stalledAfterMilliseconds: 60_000,
};

let now: number;
let ends: EndLists;

beforeEach(() => {
  now = Date.parse('2026-03-01T12:00:00Z');
  ends = new EndLists(() => now, LIMITS);
});

const seconds = (count: number) => new Date(now + count * 1_000);

const NOTHING = Number.NEGATIVE_INFINITY;

describe('the ends of a namespace', () => {
  it('are listed for six minutes after one of its chains was last seen to run', () => {
    const until = new Date('2026-03-01T12:06:00Z');
    ends.runs('default');
    expect(ends.open()).toEqual([{ namespace: 'default', until }]);
    now = until.getTime() - 1;
    expect(ends.open()).toEqual([{ namespace: 'default', until }]);
    now = until.getTime();
    expect(ends.open()).toEqual([]);
  });

  it('are listed still after the database was replaced, as if nothing had been read there', () => {
    ends.runs('default');
    ends.settle('default', 'run', seconds(0));
    ends.listed('default', now, ends.rangeOf('default', seconds(-1)));
    ends.doesNotList('silent');
    const other = ends.ofOtherDatabase();
    expect(other.open()).toEqual([{ namespace: 'default', until: new Date('2026-03-01T12:06:00Z') }]);
    expect(other.isSettled('default', 'run')).toBe(false);
    expect(other.rangeOf('default', seconds(-1))).toEqual({ since: seconds(-31), isWhole: true });
    expect(other.isUnlisted('silent')).toBe(false);
  });
});

describe('a list', () => {
  it('begins half a minute before the last complete one, which another clock may have put into the future', () => {
    expect(ends.rangeOf('default', seconds(-5))).toEqual({ since: seconds(-35), isWhole: true });
    expect(ends.rangeOf('default', seconds(20))).toEqual({ since: seconds(-30), isWhole: true });
  });

  it('is read whole every ten seconds, and otherwise from two seconds before the newest end', () => {
    const listedTo = seconds(0);
    const whole = ends.rangeOf('default', listedTo);
    const newest = seconds(-1);
    ends.listed('default', newest.getTime(), whole);
    now += 9_999;
    const short = ends.rangeOf('default', listedTo);
    expect(short).toEqual({ since: new Date(newest.getTime() - 2_000), isWhole: false });
    // A short list does not delay the next whole one, and an older end does not count.
    ends.listed('default', newest.getTime() - 20_000, short);
    expect(ends.rangeOf('default', listedTo)).toEqual(short);
    now += 1;
    expect(ends.rangeOf('default', listedTo)).toEqual({ since: seconds(-40), isWhole: true });
  });

  it('never begins before a whole one would, however old the newest end is', () => {
    ends.listed('default', now - 300_000, ends.rangeOf('default', seconds(-300)));
    now += 1_000;
    expect(ends.rangeOf('default', seconds(0))).toEqual({ since: seconds(-30), isWhole: false });
  });

  it('lets runs that are not looked at again be forgotten once no list reaches back to their ends', () => {
    const sixMinutes = 360_000;
    ends.settle('default', 'recent', new Date(now - sixMinutes));
    ends.settle('default', 'old', new Date(now - sixMinutes - 1));
    const settled = () => ['recent', 'old'].filter((runId) => ends.isSettled('default', runId));
    ends.listed('default', NOTHING, { since: seconds(-2), isWhole: false });
    expect(settled()).toEqual(['recent', 'old']);
    ends.listed('default', NOTHING, { since: seconds(-30), isWhole: true });
    expect(settled()).toEqual(['recent']);
    expect(ends.isSettled('another', 'recent')).toBe(false);
  });
});

describe('a list of late ends', () => {
  it('begins six minutes back, and counts as in progress for three minutes after each page', () => {
    expect(ends.lateList()).toEqual({ begunAt: seconds(0), since: seconds(-360) });
    expect(ends.lateListHeldUntil()).toEqual(seconds(180));
  });

  it.each([
    ['half a minute after it began, if it took a little', 2_000, true, 28_000],
    ['after three times as long as it took', 20_000, true, 60_000],
    ['after five minutes, if it took over a hundred seconds', 110_000, true, 300_000],
    ['after half a minute, if it was not read to its end', 40_000, false, 30_000],
    ['after five minutes, if the clock was set back meanwhile', -3_600_000, true, 300_000],
  ])('is due again %s', (_, took, isComplete, pause) => {
    const late = ends.lateList();
    now += took;
    expect(ends.nextLateList(late, isComplete)).toEqual(new Date(now + pause));
  });
});

describe('the chains of a namespace that does not list its ends', () => {
  it('are polled by themselves for two minutes after it was last asked', () => {
    ends.doesNotList('default');
    now += 60_000;
    ends.doesNotList('default');
    now += 119_999;
    expect(ends.isUnlisted('default')).toBe(true);
    expect(ends.firstPollAfter('default')).toBe(1_000);
    expect(ends.firstPollAfter('another')).toBe(61_000);
    now += 1;
    expect(ends.isUnlisted('default')).toBe(false);
    expect(ends.firstPollAfter('default')).toBe(61_000);
  });

  it('are not once it lists them, and are found to be due when it stops to', () => {
    ends.runs('default');
    expect([ends.doesNotList('default'), ends.doesNotList('default')]).toEqual([true, false]);
    expect(ends.isAnyUnlisted).toBe(true);
    ends.listed('default', NOTHING, { since: seconds(-2), isWhole: false });
    expect(ends.isUnlisted('default')).toBe(false);
    expect(ends.isAnyUnlisted).toBe(false);
    expect(ends.leftAlone()).toEqual([]);
    expect(ends.doesNotList('default')).toBe(true);
  });

  it('do not count where none is seen to run', () => {
    ends.doesNotList('default');
    expect(ends.unlisted()).toEqual(['default']);
    expect(ends.isAnyUnlisted).toBe(false);
  });

  it('are left to polls alone where the trigger is told to list nothing', () => {
    const none = new EndLists(() => now, { ...LIMITS, listEndsIntervalMilliseconds: 0 });
    expect(none.unlisted()).toBe('all');
    expect(none.isUnlisted('default')).toBe(true);
    expect(none.firstPollAfter('default')).toBe(1_000);
    const often = new EndLists(() => now, { ...LIMITS, listEndsIntervalMilliseconds: 1 });
    expect(often.unlisted()).toEqual([]);
    expect(often.isUnlisted('default')).toBe(false);
  });
});

it('a namespace that does not list its ends is left alone for as long as it has not, at most a minute', () => {
  ends.doesNotList('default');
  expect(ends.leftAlone()).toEqual([]);
  now += 2_000;
  ends.doesNotList('default');
  now += 1_999;
  expect(ends.leftAlone()).toEqual(['default']);
  now += 1;
  expect(ends.leftAlone()).toEqual([]);
  now += 90_000;
  ends.doesNotList('default');
  now += 59_999;
  expect(ends.leftAlone()).toEqual(['default']);
  now += 1;
  expect(ends.leftAlone()).toEqual([]);
});
