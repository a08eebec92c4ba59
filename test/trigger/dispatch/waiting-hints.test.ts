import { beforeEach, expect, it } from 'vitest';
import type { TakenPage } from '../../../store/firings/waiting';
import { WaitingHints } from '../../../trigger/dispatch/waiting-hints';

const NOW = new Date(0);
const LANE = { tenant: '', taskQueue: 'queue', late: false };
const UNKNOWN = Number.POSITIVE_INFINITY;

let waiting: WaitingHints;
/** The namespaces whose loops were woken, by call. */
let woken: string[][];

beforeEach(() => {
  waiting = new WaitingHints();
  woken = [];
  waiting.onMore((namespaces) => woken.push([...namespaces]));
});

const claim = (...namespaces: string[]) =>
  waiting.claimed(namespaces.map((namespace) => ({ namespace, ...LANE, readyAt: NOW })));

/** A page of firings that are on time, and of late ones. */
function page({ onTime = 0, late = 0, ...rest }: Partial<TakenPage> & { onTime?: number; late?: number } = {}) {
  const firings = [...Array(onTime).fill({ late: false }), ...Array(late).fill({ late: true })];
  return { firings, after: {}, isHeldBack: false, isCut: false, ...rest };
}

it('claimed firings wake the loops of their namespaces once, and none do not', () => {
  claim('a', 'b', 'a');
  expect(woken).toEqual([['a', 'b']]);
  expect(waiting.of('a').firings).toBe(2);
  expect(waiting.of('b').firings).toBe(1);
  claim();
  expect(woken).toHaveLength(1);
});

it('lanes in which firings wait wake the loops of their namespaces once, and none do not', () => {
  waiting.found([
    { namespace: 'a', ...LANE, from: NOW },
    { namespace: 'a', ...LANE, late: true, from: NOW },
    { namespace: 'b', ...LANE, from: NOW },
  ]);
  expect(woken).toEqual([['a', 'b']]);
  expect([waiting.of('a').firings, waiting.of('b').firings]).toEqual([UNKNOWN, UNKNOWN]);
  expect(waiting.taking('b', 100).lanes).toEqual([{ ...LANE, from: NOW }]);
  waiting.found([]);
  expect(woken).toHaveLength(1);
  waiting.found([{ namespace: 'c', ...LANE, from: NOW }]);
  expect(woken).toEqual([['a', 'b'], ['c']]);
});

it('only namespaces in which something may wait have loops to start', () => {
  expect(waiting.of('empty').firings).toBe(0);
  claim('one');
  claim('taken');
  waiting.taking('taken', 100);
  waiting.found([{ namespace: 'found', ...LANE, from: NOW }]);
  expect(waiting.namespaces()).toEqual(['one', 'found']);
});

it('what one loop is about to take wakes no other in vain, and more than it takes does', () => {
  claim('a', 'a', 'a');
  const one = waiting.taking('a', 2);
  expect(waiting.of('a').firings).toBe(1);
  waiting.taking('a', 100);
  expect(waiting.of('a').firings).toBe(0);
  waiting.took('a', page({ onTime: 2 }), { limit: 2, ...one });
  expect(waiting.of('a').firings).toBe(UNKNOWN);
});

it.each([
  ['took all', page({ onTime: 1 }), { more: false, lanesLeft: false }, 'sleep'],
  ['found none', page(), { more: false, lanesLeft: false }, 'sleep'],
  ['is full', page({ onTime: 2 }), { more: true, lanesLeft: false }, 'run'],
  ['is full, beside a used up cap', page({ onTime: 2, isHeldBack: true }), { more: true, lanesLeft: false }, 'run'],
  [
    'left only what a cap holds back',
    page({ onTime: 1, isHeldBack: true }),
    { more: false, lanesLeft: false },
    'sleep',
  ],
  ['did not read all lanes', page({ onTime: 1, isCut: true }), { more: true, lanesLeft: false }, 'run'],
  ['found none in the lanes it read', page({ isCut: true }), { more: true, lanesLeft: false }, 'run'],
  [
    'took some of the lanes it read, beside a used up cap',
    page({ onTime: 1, isCut: true, isHeldBack: true }),
    { more: true, lanesLeft: false },
    'run',
  ],
  [
    'found only what a cap holds back in the lanes it read',
    page({ isCut: true, isHeldBack: true }),
    { more: false, lanesLeft: true },
    'run',
  ],
])('after a take that %s, the loops that had left all to it go on as they must', (_, taken, left, others) => {
  claim('a', 'b');
  const taking = waiting.taking('a', 2);
  woken.length = 0;
  expect(waiting.took('a', taken, { limit: 2, ...taking })).toEqual(left);
  expect(woken).toEqual(others === 'run' ? [['a']] : []);
});

it.each([
  ['took all', page({ onTime: 1 }), 0, []],
  ['left some', page({ onTime: 1, isHeldBack: true }), UNKNOWN, [{ ...LANE, from: NOW }]],
])('a take that %s leaves as many lanes to read', (_, taken, firings, lanes) => {
  claim('a');
  const taking = waiting.taking('a', 2);
  expect(taking.lanes).toEqual([{ ...LANE, from: NOW }]);
  waiting.took('a', taken, { limit: 2, ...taking });
  expect(waiting.of('a').firings).toBe(firings);
  expect(waiting.taking('a', 2).lanes).toEqual(lanes);
});

it('loops that are awake since nobody knows how many firings wait are not woken again', () => {
  claim('a');
  const one = waiting.taking('a', 100);
  const other = waiting.taking('a', 100);
  woken.length = 0;
  waiting.failed('a', one.take);
  waiting.failed('a', other.take);
  expect(woken).toEqual([['a']]);
});

it.each([
  ['failed', (take: number) => waiting.failed('a', take)],
  ['left some', (take: number) => waiting.took('a', page({ isHeldBack: true }), { limit: 100, take })],
])('what a take had that %s is taken by the next, though another take passed it over meanwhile', (_, end) => {
  const lane = { ...LANE, from: NOW };
  waiting.found([{ namespace: 'a', ...lane }]);
  const one = waiting.taking('a', 100);
  const other = waiting.taking('a', 100);
  end(one.take);
  waiting.took('a', page(), { limit: 100, ...other });
  expect(waiting.of('a').firings).toBe(UNKNOWN);
  expect(waiting.taking('a', 100).lanes).toEqual([lane]);
});

it('what a failed take had is taken by the next, though another take passed it over before', () => {
  const lane = { ...LANE, from: NOW };
  waiting.found([{ namespace: 'a', ...lane }]);
  const failing = waiting.taking('a', 100);
  const other = waiting.taking('a', 100);
  waiting.took('a', page(), { limit: 100, ...other });
  waiting.failed('a', failing.take);
  expect(waiting.of('a').firings).toBe(UNKNOWN);
  expect(waiting.taking('a', 100).lanes).toEqual([lane]);
});

it('what is claimed while a take is under way is not forgotten where nobody knew how many wait', () => {
  waiting.found([{ namespace: 'a', ...LANE, from: NOW }]);
  const taking = waiting.taking('a', 100);
  claim('a');
  waiting.took('a', page({ onTime: 1 }), { limit: 100, ...taking });
  expect(waiting.of('a').firings).toBeGreaterThan(0);
  const next = waiting.taking('a', 100);
  waiting.took('a', page({ onTime: 1 }), { limit: 100, ...next });
  expect(waiting.of('a').firings).toBe(0);
});

it('the next take begins after the lane that was served last, in each part', () => {
  const served = { tenant: 'acme', taskQueue: 'api' };
  const none = { tenant: '', taskQueue: '' };
  const taking = waiting.taking('a', 2);
  waiting.took('a', page({ onTime: 2, after: { overdue: served } }), { limit: 2, ...taking });
  expect(waiting.of('a').after).toEqual({ onTime: none, overdue: served, missed: none });
});

it('the count of firings that are on time leaves out the late ones, and loses what was taken', () => {
  const late = { namespace: 'a', ...LANE, late: true, readyAt: NOW };
  expect(waiting.timely).toBe(0);
  claim('a', 'a', 'a', 'b');
  waiting.claimed([late, late]);
  expect(waiting.timely).toBe(4);
  const take = (onTime: number) => {
    const taking = waiting.taking('a', 2);
    waiting.took('a', page({ onTime, late: 2 - onTime }), { limit: 2, ...taking });
    return waiting.timely;
  };
  expect(take(1)).toBe(3);
  expect(take(2)).toBe(1);
  // This trigger takes firings that others claimed, too.
  expect(take(2)).toBe(1);
});

it('once all was taken, no firing on time is left, also of those that another trigger took', () => {
  claim('a', 'a', 'b');
  const taking = waiting.taking('a', 100);
  waiting.took('a', page({ onTime: 1 }), { limit: 100, ...taking });
  expect(waiting.timely).toBe(1);
});
