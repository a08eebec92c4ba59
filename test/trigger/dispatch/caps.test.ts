import { beforeEach, describe, expect, it } from 'vitest';
import { CappedStarts, type UsedStarts } from '../../../trigger/dispatch/caps';

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

describe('a start that is called at once, outside of a take', () => {
  it('is admitted a tenth of a second’s starts at a time, and at least one', () => {
    const admitted = (perSecond: number) => {
      const caps = new CappedStarts({ namespaces: { default: perSecond } }, () => now);
      return Array.from({ length: 20 }, () => caps.admit({ namespace: 'default', taskQueue: 'api' })).lastIndexOf(true);
    };
    expect(admitted(100)).toBe(9);
    expect(admitted(1)).toBe(0);
  });

  it('needs a start of its namespace and of its task queue, and uses up none if either has none', () => {
    const caps = new CappedStarts({ namespaces: { default: 20 }, taskQueues: { api: 10 } }, () => now);
    const admit = (taskQueue: string) => caps.admit({ namespace: 'default', taskQueue });
    expect([admit('api'), admit('api'), admit('other'), admit('other')]).toEqual([true, false, true, false]);
  });

  it('makes a take wait until its cap allows one again', () => {
    const caps = new CappedStarts({ namespaces: { default: 10 } }, () => now);
    expect(caps.admit({ namespace: 'default', taskQueue: 'api' })).toBe(true);
    expect(caps.take('default', 100).starts).toBe(0);
    expect(caps.pauseOf('default')).toBe(100);
  });
});

describe('a cap', () => {
  it('is shared by the live triggers, as many as they are by now', () => {
    const caps = new CappedStarts({ namespaces: { default: 100 } }, () => now);
    expect(caps.take('default', 100).starts).toBe(10);
    caps.triggers = 4;
    expect(caps.take('default', 100).starts).toBe(0);
    expect(caps.pauseOf('default')).toBe(40);
  });

  it('allows what a take gave back to the next one, and makes no take wait meanwhile', () => {
    const caps = new CappedStarts({ namespaces: { default: 100 }, taskQueues: { api: 100 } }, () => now);
    const firings = [{ taskQueue: 'api' }, { taskQueue: 'api' }, { taskQueue: 'other' }];
    caps.giveBack('default', caps.take('default', 100), { firings, isHeldBack: false });
    expect(caps.pauseOf('default')).toBe(0);
    expect(caps.take('default', 100)).toEqual({ starts: 7, taskQueues: new Map([['api', 7]]) });
    expect(caps.pauseOf('never taken')).toBe(0);
  });

  it('of a task queue allows no more starts than a take may make', () => {
    const caps = new CappedStarts({ namespaces: { default: 30 }, taskQueues: { api: 100 } }, () => now);
    expect(caps.take('default', 100)).toEqual({ starts: 3, taskQueues: new Map([['api', 3]]) });
  });

  it('allows all of what a take took and could not use, as after an error', () => {
    const caps = new CappedStarts({ namespaces: { default: 100 }, taskQueues: { api: 50 } }, () => now);
    caps.giveBack('default', caps.take('default', 100), undefined);
    expect(caps.take('default', 100)).toEqual({ starts: 10, taskQueues: new Map([['api', 5]]) });
  });
});

describe('that a cap holds starts back', () => {
  const holdBack = (caps: CappedStarts, page: UsedStarts | undefined) =>
    caps.giveBack('default', caps.take('default', 100), page);
  const allUsed = { firings: [{ taskQueue: 'api' }], isHeldBack: true };
  const noneUsed = { firings: [], isHeldBack: false };
  const waiting = { firings: [], isHeldBack: true };
  const ofNamespace = () => new CappedStarts({ namespaces: { default: 1 / 3_600 } }, () => now);
  const ofTaskQueue = () => new CappedStarts({ taskQueues: { api: 1 / 3_600 } }, () => now);

  beforeEach(() => {
    now = 3_600_000;
  });

  it('a namespace’s cap tells from the first take that it allowed none, and no task queue is blamed', () => {
    const caps = ofNamespace();
    holdBack(caps, allUsed);
    expect(caps.full()).toEqual([]);
    now += 2_000;
    caps.take('default', 100);
    now += 1_000;
    expect(caps.full()).toEqual([{ namespace: 'default', perSecond: 1 / 3_600, forMilliseconds: 1_000 }]);
  });

  it('a task queue’s cap tells from the first take after which a firing waited for it', () => {
    const caps = ofTaskQueue();
    holdBack(caps, allUsed);
    holdBack(caps, noneUsed);
    expect(caps.full()).toEqual([]);
    holdBack(caps, waiting);
    now += 1_000;
    expect(caps.full()).toEqual([{ taskQueue: 'api', perSecond: 1 / 3_600, forMilliseconds: 1_000 }]);
  });

  it('is over five seconds after the last time, and new if it begins again', () => {
    const caps = ofTaskQueue();
    holdBack(caps, allUsed);
    holdBack(caps, waiting);
    now += 5_000;
    expect(caps.full()).toMatchObject([{ forMilliseconds: 5_000 }]);
    holdBack(caps, waiting);
    now += 5_000;
    expect(caps.full()).toMatchObject([{ forMilliseconds: 10_000 }]);
    now += 1;
    expect(caps.full()).toEqual([]);
    holdBack(caps, waiting);
    now += 1_000;
    expect(caps.full()).toMatchObject([{ forMilliseconds: 1_000 }]);
  });

  it('is over once a take needs fewer starts than the cap allows, and not because a take fails', () => {
    const caps = new CappedStarts({ namespaces: { default: 1 } }, () => now);
    holdBack(caps, allUsed);
    caps.take('default', 100);
    now += 1_000;
    holdBack(caps, undefined);
    expect(caps.full()).toHaveLength(1);
    holdBack(caps, noneUsed);
    expect(caps.full()).toEqual([]);
  });

  it('is not over because a take uses all that the cap allows', () => {
    const caps = new CappedStarts({ namespaces: { default: 1 } }, () => now);
    holdBack(caps, allUsed);
    caps.take('default', 100);
    now += 1_000;
    holdBack(caps, allUsed);
    expect(caps.full()).toEqual([{ namespace: 'default', perSecond: 1, forMilliseconds: 1_000 }]);
  });
});
