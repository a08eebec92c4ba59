import { describe, expect, it } from 'vitest';
import { Admission } from '../../trigger/admission';
import { StartQueue } from '../../trigger/queue';
import type { QueuedClaim } from '../../trigger/queued-claim';
import { CappedStarts } from '../../trigger/start-caps';
import { StartGate } from '../../trigger/start-gate';
import { StartGates } from '../../trigger/start-gates';
import { StartRate } from '../../trigger/start-rate';

const NOW = Date.UTC(2026, 2, 1);

function claim(scheduleId: string, options: Partial<QueuedClaim> = {}): QueuedClaim {
  return {
    scheduleId,
    scheduledTime: new Date(NOW),
    namespace: 'default',
    taskQueue: 'jobs',
    tenant: '',
    kind: 'schedule',
    startsAt: null,
    ...options,
  };
}

const after = (milliseconds: number) => new Date(NOW + milliseconds);
const ids = (claims: QueuedClaim[]) => claims.map(({ scheduleId }) => scheduleId);

describe('the start queue', () => {
  it('takes what is due before what is handed over ahead, and that before what is late', () => {
    const queue = new StartQueue();
    const late = claim('late', { scheduledTime: after(-11_000) });
    const ahead = claim('ahead', { startsAt: after(1_000) });
    queue.add([late, claim('backfill', { kind: 'backfill' }), ahead, claim('due')], NOW);
    expect(queue.timely).toBe(2);
    expect(ids(queue.take(4, NOW))).toEqual(['due', 'ahead', 'late', 'backfill']);
  });

  it('takes what was left of a burst that was to be handed over ahead before what comes due later', () => {
    const queue = new StartQueue();
    const burst = ['first', 'second', 'third'].map((id) => claim(id, { startsAt: after(1_000) }));
    queue.add([...burst, claim('next', { startsAt: after(5_000) })], NOW);
    expect(ids(queue.take(1, NOW))).toEqual(['first']);
    queue.add([claim('a second later', { scheduledTime: after(2_000) })], NOW + 2_000);
    expect(ids(queue.take(2, NOW + 2_000))).toEqual(['second', 'third']);
    queue.add([claim('two seconds later', { scheduledTime: after(3_000) })], NOW + 3_000);
    expect(ids(queue.take(9, NOW + 3_000))).toEqual(['a second later', 'two seconds later', 'next']);
  });

  it('takes what was to be handed over ahead for as long as it is ahead, each claim until its own time', () => {
    const queue = new StartQueue();
    queue.add([claim('one', { startsAt: after(1_000) }), claim('other', { startsAt: after(2_000) })], NOW);
    const due = (at: number) => claim(`due at ${at}`, { scheduledTime: after(at) });
    queue.add([due(1_500)], NOW + 1_500);
    expect(ids(queue.take(2, NOW + 1_500))).toEqual(['one', 'due at 1500']);
    queue.add([due(1_999)], NOW + 1_999);
    expect(ids(queue.take(1, NOW + 1_999))).toEqual(['due at 1999']);
    queue.add([due(2_000)], NOW + 2_000);
    expect(ids(queue.take(2, NOW + 2_000))).toEqual(['other', 'due at 2000']);
  });

  it('takes what was to be handed over ahead by the turns of tenants once its time has come', () => {
    const queue = new StartQueue();
    const many = ['one', 'two', 'three'].map((id) => claim(id, { tenant: 'big' }));
    queue.add([...many, claim('small', { tenant: 'small', startsAt: after(1_000) })], NOW);
    expect(ids(queue.take(3, NOW + 1_000))).toEqual(['one', 'small', 'two']);
  });

  it('does not take for late what has come due by its jitter just now', () => {
    const queue = new StartQueue();
    const jittered = claim('jittered', { scheduledTime: after(-60_000), startsAt: after(1_000) });
    queue.add([jittered, claim('late', { scheduledTime: after(-60_000) })], NOW);
    queue.add([claim('due', { scheduledTime: after(1_000) })], NOW + 1_000);
    expect(ids(queue.take(3, NOW + 1_000))).toEqual(['jittered', 'due', 'late']);
  });

  it('does not take for late what was claimed when its jitter was over', () => {
    const queue = new StartQueue();
    const late = claim('late', { scheduledTime: after(-60_000) });
    queue.add([late, claim('jittered', { scheduledTime: after(-60_000), dueAt: after(-1_000) })], NOW);
    expect(ids(queue.take(2, NOW))).toEqual(['jittered', 'late']);
  });

  it('takes of one namespace alone where it is asked to, and tells what waits there', () => {
    const queue = new StartQueue();
    queue.add([claim('one', { namespace: 'a' }), claim('other', { namespace: 'b' })], NOW);
    const asked: string[] = [];
    const mayGo = ({ scheduleId }: QueuedClaim) => asked.push(scheduleId) > 0;
    expect(ids(queue.take(10, NOW, { namespace: 'b', mayGo }))).toEqual(['other']);
    expect(asked).toEqual(['other']);
    expect([queue.sizeOf('a'), queue.sizeOf('b'), queue.sizeOf('c')]).toEqual([1, 0, 0]);
    expect(ids(queue.waiting())).toEqual(['one']);
  });

  it('takes of all namespaces by turns, what is due in any of them before what is late in another', () => {
    const queue = new StartQueue();
    const of = (namespace: string) => [
      claim(`${namespace} late`, { namespace, kind: 'backfill' }),
      claim(`${namespace} 1`, { namespace }),
      claim(`${namespace} 2`, { namespace }),
    ];
    queue.add([...of('a'), ...of('b'), ...of('c')], NOW);
    // However few are taken at once.
    const first = [1, 2, 3].flatMap(() => ids(queue.take(1, NOW)));
    expect(first.sort()).toEqual(['a 1', 'b 1', 'c 1']);
    expect(ids(queue.take(3, NOW)).sort()).toEqual(['a 2', 'b 2', 'c 2']);
    expect(ids(queue.take(3, NOW)).sort()).toEqual(['a late', 'b late', 'c late']);
  });

  it('takes one of each tenant in turn, so that a hundred thousand of one do not delay another’s single one', () => {
    const queue = new StartQueue();
    const many = Array.from({ length: 100_000 }, (_, index) => claim(`many-${index}`, { tenant: 'big' }));
    queue.add([...many, claim('one', { tenant: 'small' })], NOW);
    expect(ids(queue.take(3, NOW))).toEqual(['many-0', 'one', 'many-1']);
  });

  it('keeps each claim once, the oldest first', () => {
    const queue = new StartQueue();
    queue.add([claim('a'), claim('b')], NOW);
    queue.add([claim('a')], NOW);
    expect(queue.waiting().length).toBe(2);
    expect(ids(queue.take(10, NOW))).toEqual(['a', 'b']);
    expect(queue.waiting().length).toBe(0);
  });
});

describe('caps on starts a second', () => {
  it('hold back a task queue or a namespace and let the others pass', () => {
    let now = 0;
    const caps = new CappedStarts({ taskQueues: { slow: 10 }, namespaces: { small: 20 } }, () => now);
    const queue = new StartQueue();
    const slow = Array.from({ length: 50 }, (_, index) => claim(`slow-${index}`, { taskQueue: 'slow' }));
    const small = Array.from({ length: 50 }, (_, index) => claim(`small-${index}`, { namespace: 'small' }));
    const free = Array.from({ length: 5 }, (_, index) => claim(`free-${index}`));
    queue.add([...slow, ...small, ...free], NOW);
    const take = () => queue.take(100, NOW, { mayGo: (one) => caps.admit(one) });
    const first = take();
    expect(first.filter(({ taskQueue }) => taskQueue === 'slow')).toHaveLength(1);
    expect(first.filter(({ namespace }) => namespace === 'small')).toHaveLength(2);
    expect(ids(first).filter((id) => id.startsWith('free'))).toHaveLength(5);
    let started = 0;
    for (now = 50; now <= 1_000; now += 50) started += take().filter(({ taskQueue }) => taskQueue === 'slow').length;
    expect(started).toBe(10);
  });

  it('are shared by the triggers that are alive', () => {
    let now = 0;
    const caps = new CappedStarts({ namespaces: { default: 100 } }, () => now);
    caps.triggers = 2;
    let admitted = 0;
    for (; now < 1_000; now += 10) while (caps.admit(claim('any'))) admitted += 1;
    expect(admitted).toBeGreaterThanOrEqual(50);
    expect(admitted).toBeLessThanOrEqual(55);
  });
});

it('a batch takes the claims of a namespace that is away to put them off, and leaves caps to those that answer', () => {
  const caps = new CappedStarts({ taskQueues: { jobs: 1 } }, () => 0);
  const admission = new Admission({ caps, gates: new StartGates(64) }, new Set(['away']));
  const away = claim('away', { namespace: 'away' });
  expect([away, away].map((one) => admission.admits(one))).toEqual([true, true]);
  expect([claim('one'), claim('other')].map((one) => admission.admits(one))).toEqual([true, false]);
});

describe('the gate of a namespace', () => {
  /** A server that works on one call at a time, and so answers the later the more wait in it. */
  async function load(gate: StartGate, calls: number, serviceMilliseconds: number, clock: { now: number }) {
    let busyUntil = clock.now;
    const answers: { at: number; from: number }[] = [];
    const call = async () => {
      await gate.enter();
      busyUntil = Math.max(busyUntil, clock.now) + serviceMilliseconds;
      answers.push({ at: busyUntil, from: clock.now });
    };
    const pending = Array.from({ length: calls }, call);
    for (let answered = 0; answered < calls; answered++) {
      while (answers.length === 0) await Promise.resolve();
      answers.sort((one, other) => one.at - other.at);
      const { at, from } = answers.shift()!;
      clock.now = at;
      gate.leave('answered', at - from);
      await Promise.resolve();
    }
    await Promise.all(pending);
  }

  it('lets in no more than keep the server busy', async () => {
    const clock = { now: 0 };
    const gate = new StartGate(1_000, () => clock.now);
    await load(gate, 5_000, 4, clock);
    expect(gate.limit).toBeGreaterThan(10);
    expect(gate.limit).toBeLessThan(40);
  });

  it('opens while latency holds, up to its cap', () => {
    const gate = new StartGate(40, () => 0);
    for (let call = 0; call < 5_000; call++) {
      const entering = gate.limit;
      for (let one = 0; one < entering; one++) void gate.enter();
      for (let one = 0; one < entering; one++) gate.leave('answered', 10);
    }
    expect(gate.limit).toBe(40);
  });

  it('halves and pauses when the server refuses, once for calls that were under way together', () => {
    let now = 0;
    const gate = new StartGate(64, () => now);
    for (let call = 0; call < 16; call++) void gate.enter();
    for (let call = 0; call < 16; call++) gate.leave('busy', 5);
    expect(gate.limit).toBe(8);
    expect(gate.pause).toBe(100);
    now = 100;
    void gate.enter();
    gate.leave('busy', 5);
    expect(gate.limit).toBe(4);
    expect(gate.pause).toBe(200);
    now = 300;
    void gate.enter();
    gate.leave('answered', 5);
    expect(gate.pause).toBe(0);
  });
});

it('the rate of starts is measured only while starts wait for their turn', () => {
  let now = 0;
  const rate = new StartRate(150, () => now);
  for (let start = 0; start < 500; start++) rate.started(false);
  expect(rate.perSecond).toBe(150);
  for (let start = 0; start < 2_000; start++) {
    now += 2;
    rate.started(true);
  }
  expect(rate.perSecond).toBeGreaterThan(490);
  expect(rate.perSecond).toBeLessThan(520);
  // An hour without a start between two bursts is no load.
  now += 3_600_000;
  for (let start = 0; start < 60; start++) {
    now += 2;
    rate.started(true);
  }
  expect(rate.perSecond).toBeGreaterThan(490);
});
