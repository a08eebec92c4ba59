import { beforeEach, expect, it } from 'vitest';
import { CappedStarts } from '../../../trigger/dispatch/caps';

let now: number;

beforeEach(() => {
  now = 0;
});

const capped = () => new CappedStarts({ taskQueues: { api: 10, reports: 10 } }, () => now);

/** The caps that have held starts back for a minute. */
const forMinute = (caps: CappedStarts) =>
  caps.full().flatMap(({ forMilliseconds, ...cap }) => (forMilliseconds >= 60_000 ? [cap] : []));

it.each([
  ['first', [0, 1]],
  ['last', [1, 0]],
])('a cap holds nothing back by starts that a take needs none of, though that take ends %s', (_, order) => {
  const caps = capped();
  const firings = [{ taskQueue: 'reports' }];
  for (; now < 120_000; now += 1_000) {
    // Two loops take at the same time, while firings wait for one of the task queues alone. Each cap allows one start.
    const takes = [caps.take('default', 100), caps.take('default', 100)];
    const pages = [
      { firings, isHeldBack: true },
      { firings: [], isHeldBack: true },
    ];
    for (const index of order) caps.giveBack('default', takes[index]!, pages[index]);
  }
  expect(forMinute(caps)).toEqual([{ taskQueue: 'reports', perSecond: 10 }]);
});

it('a cap that holds starts of one namespace back does so though another one needs none of them', () => {
  const caps = capped();
  for (; now < 120_000; now += 1_000) {
    const idle = caps.take('idle', 100);
    caps.giveBack('busy', caps.take('busy', 100), { firings: [], isHeldBack: true });
    caps.giveBack('idle', idle, { firings: [], isHeldBack: false });
  }
  expect(forMinute(caps)).toEqual([
    { taskQueue: 'api', perSecond: 10 },
    { taskQueue: 'reports', perSecond: 10 },
  ]);
});

it('a cap of a namespace whose starts come again and again, but not faster than it allows, holds none back', () => {
  const caps = new CappedStarts({ namespaces: { default: 1 } }, () => now);
  for (; now < 120_000; now += 2_000) {
    caps.giveBack('default', caps.take('default', 100), { firings: [{ taskQueue: 'api' }], isHeldBack: false });
    expect(caps.take('default', 100).starts).toBe(0);
    now += 1_000;
    caps.giveBack('default', caps.take('default', 100), { firings: [], isHeldBack: false });
  }
  expect(forMinute(caps)).toEqual([]);
});

it('the next take waits for the cap that allowed no more, and not at all if it has filled up meanwhile', () => {
  const takeAll = (caps: CappedStarts, milliseconds: number) => {
    const take = caps.take('default', 100);
    now += milliseconds;
    const firings = [...take.taskQueues].flatMap(([taskQueue, count]) => Array(count).fill({ taskQueue }));
    caps.giveBack('default', take, { firings, isHeldBack: true });
    return caps.pauseOf('default');
  };
  expect(takeAll(new CappedStarts({ taskQueues: { api: 100 } }, () => now), 15)).toBe(0);
  expect(takeAll(new CappedStarts({ taskQueues: { api: 100 } }, () => now), 4)).toBe(6);
  // Another cap that is used up for an hour does not hold this one back.
  expect(takeAll(new CappedStarts({ taskQueues: { api: 100, slow: 1 / 3_600 } }, () => now), 4)).toBe(6);
  const ofAll = new CappedStarts({ namespaces: { default: 10 } }, () => now);
  ofAll.giveBack('default', ofAll.take('default', 100), { firings: [{ taskQueue: 'api' }], isHeldBack: false });
  ofAll.take('default', 100);
  expect(ofAll.pauseOf('default')).toBe(100);
});

it('a namespace or task queue with a name that every object has has no cap unless it is given one', () => {
  const caps = new CappedStarts({ namespaces: { busy: 10 }, taskQueues: { api: 10 } }, () => now);
  for (const namespace of ['constructor', '__proto__']) {
    expect(caps.take(namespace, 100).starts).toBe(100);
    const admitted = Array.from({ length: 50 }, () => caps.admit({ namespace, taskQueue: namespace }));
    expect(admitted).not.toContain(false);
  }
  const given = new CappedStarts({ taskQueues: { constructor: 10 } }, () => now);
  expect(given.take('default', 100).taskQueues.get('constructor')).toBeLessThan(100);
});
