import { describe, expect, it } from 'vitest';
import { type CallEnd, StartGate, StartGates } from '../../../trigger/dispatch/starts-in-flight';

/** How many of so many calls the gate lets in before any has ended. */
async function letIn(gate: StartGate, calls: number, isOnTime = false): Promise<number> {
  let entered = 0;
  for (let call = 0; call < calls; call++) {
    void gate.enter(isOnTime).then(() => {
      entered += 1;
    });
  }
  await Promise.resolve();
  return entered;
}

/** A single call, which ends like this. */
async function callOnce(gate: StartGate, end: CallEnd, latency: number): Promise<void> {
  await gate.enter(false);
  gate.leave(end, latency);
}

/** Calls that are made together and end like this, a second later. */
async function fillAndEnd(gate: StartGate, calls: number, end: CallEnd): Promise<void> {
  await letIn(gate, calls);
  for (let call = 0; call < calls; call++) gate.leave(end, 1_000);
}

it('of a backlog 24 starts go at once, and beside them others that are on time, as many as the trigger may have', async () => {
  expect(await letIn(new StartGate(64, () => 0), 26)).toBe(24);
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 24);
  expect(gate.isLoaded).toBe(true);
  expect(await letIn(gate, 50, true)).toBe(40);
});

it('calls pass in the order in which they ask, though the first of them may only pass once another has ended', async () => {
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 24);
  const passed: string[] = [];
  for (const name of ['backlog', 'on time', 'on time too']) {
    void gate.enter(name !== 'backlog').then(() => passed.push(name));
  }
  await Promise.resolve();
  expect(passed).toEqual([]);
  gate.leave('other', 10);
  await Promise.resolve();
  expect(passed).toEqual(['backlog', 'on time', 'on time too']);
});

it.each(['busy', 'lost'] as const)(
  'after calls that were %s, as many are on time as of a backlog, for half a minute',
  async (end) => {
    let now = 0;
    const gate = new StartGate(64, () => now);
    const inFlight = async () => {
      const entered = await letIn(gate, 64, true);
      for (let call = 0; call < 64; call++) gate.leave('other', 10);
      return entered;
    };
    expect(await inFlight()).toBe(64);
    await fillAndEnd(gate, 24, end);
    expect(gate.limit).toBe(12);
    expect(await inFlight()).toBe(gate.limit);
    now = 30_000;
    expect(await inFlight()).toBe(gate.limit);
    now = 30_001;
    expect(await inFlight()).toBe(Math.min(64, 3 * gate.limit));
  },
);

it('a burst that fills what a backlog may have counts as load, though no call waits, and a single call does not', async () => {
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 23, true);
  expect(gate.isLoaded).toBe(false);
  await letIn(gate, 1, true);
  expect(gate.isLoaded).toBe(true);
  const single = new StartGate(1, () => 0);
  await letIn(single, 1);
  expect(single.isLoaded).toBe(false);
});

it.each([true, false])('no more calls are under way than the trigger may have; on time: %s', async (isOnTime) => {
  expect(await letIn(new StartGate(8, () => 0), 26, isOnTime)).toBe(8);
});

it('two calls that may not become three count as load, and so does a call for which another one waits', async () => {
  const two = new StartGate(2, () => 0);
  await letIn(two, 2);
  expect(two.isLoaded).toBe(true);
  const one = new StartGate(1, () => 0);
  await letIn(one, 2);
  expect(one.isLoaded).toBe(true);
});

describe('the limit', () => {
  /** A clock counts from some earlier moment, such as the start of the process. */
  let now = 3_600_000;

  /** A gate with as many calls in progress as may be, whose calls end one after the other, each with a latency. */
  async function fullGate(cap: number) {
    const gate = new StartGate(cap, () => now);
    await letIn(gate, cap);
    const answer = async (count: number, latency: number) => {
      for (let call = 0; call < count; call++) {
        gate.leave('answered', latency);
        await letIn(gate, 1);
      }
      return gate.limit;
    };
    return { gate, answer };
  }

  /** One that has grown to 64 calls, none of which has taken longer than 10 ms. */
  async function grownGate() {
    const { gate, answer } = await fullGate(64);
    expect(await answer(2_000, 10)).toBe(64);
    return { gate, answer };
  }

  it('grows by about one with each round of calls while the latency stays low, up to what the trigger may have', async () => {
    const { answer } = await fullGate(64);
    expect(await answer(48, 10)).toBe(25);
    expect(await answer(2_000, 10)).toBe(64);
  });

  it('grows also where no call waits, if all that may be are in progress, and not below that', async () => {
    const gate = new StartGate(64, () => now);
    const answerRounds = async (rounds: number, inFlight: () => number) => {
      for (let round = 0; round < rounds; round++) {
        await letIn(gate, inFlight());
        for (let call = inFlight(); call > 0; call--) gate.leave('answered', 10);
      }
      return gate.limit;
    };
    expect(await answerRounds(100, () => 23)).toBe(24);
    expect(await answerRounds(25, () => 24)).toBe(25);
  });

  it('shrinks by about one with each round of calls while the latency is several times the best one', async () => {
    const { answer } = await grownGate();
    expect(await answer(1, 10_000)).toBe(63);
    expect(await answer(31, 10_000)).toBe(63);
    expect(await answer(32, 10_000)).toBe(62);
  });

  it('stays as it is while about as many calls queue in the server as should', async () => {
    const { gate, answer } = await fullGate(36);
    expect(await answer(1_000, 10)).toBe(36);
    // Of 36 calls, 18 queue if each takes twice as long as the best. The latency is an average, which takes a while.
    expect(await answer(500, 20)).toBe(36);
    gate.leave('busy', 20);
    expect(await answer(500, 36)).toBe(18);
  });

  it('does not shrink because of one slow call', async () => {
    const { answer } = await grownGate();
    expect(await answer(1, 60)).toBe(64);
  });

  it('is that of a slower server once the best latency is half a minute old', async () => {
    const { answer } = await grownGate();
    now += 20_000;
    expect(await answer(1, 10)).toBe(64);
    now += 30_000;
    expect(await answer(200, 100)).toBeLessThan(63);
    now += 1;
    expect(await answer(1_000, 100)).toBe(64);
  });

  it.each(['busy', 'lost'] as const)('halves after calls that were %s, down to one call', async (end) => {
    const gate = new StartGate(24, () => now);
    const limits: number[] = [];
    for (let time = 0; time < 6; time++) {
      await fillAndEnd(gate, gate.limit, end);
      limits.push(gate.limit);
      now += 10_000;
    }
    expect(limits).toEqual([12, 6, 3, 1, 1, 1]);
    expect(await letIn(gate, 2)).toBe(1);
  });

  it('halves once for all calls that were in progress together, and again for a call that was sent afterwards', async () => {
    const { gate } = await grownGate();
    now += 10_001;
    gate.leave('lost', 10_000);
    for (let call = 0; call < 20; call++) {
      now += 100;
      gate.leave('lost', 10_000);
      gate.leave('busy', 10_000);
    }
    expect(gate.limit).toBe(32);
    now += 10_000;
    expect(await letIn(gate, 64)).toBe(9);
    gate.leave('lost', 10_000);
    expect(gate.limit).toBe(16);
  });

  it('stays as it is while most calls are answered, as if one of several hosts is silent', async () => {
    const gate = new StartGate(64, () => now);
    await letIn(gate, 64, true);
    now += 10;
    for (let call = 0; call < 32; call++) gate.leave('answered', 10);
    await letIn(gate, 32, true);
    now += 9_990;
    for (let call = 0; call < 32; call++) gate.leave('lost', 10_000);
    expect([gate.limit, await letIn(gate, 64, true)]).toEqual([25, 32]);
  });

  it('halves if calls were answered only before most of the lost ones were sent, or fewer were answered', async () => {
    const gate = new StartGate(64, () => now);
    await letIn(gate, 64, true);
    for (let call = 0; call < 16; call++) gate.leave('answered', 10);
    now += 10_001;
    for (const end of ['answered', 'lost'] as const) gate.leave(end, 10_000);
    expect(gate.limit).toBe(24);
    gate.leave('lost', 10_000);
    expect(gate.limit).toBe(12);
  });

  it.each([
    ['at once, which shows no load', 64, 999],
    ['while fewer were in progress than it allows', 23, 1_000],
  ])('stays as it is if calls were lost %s', async (_, calls, latency) => {
    const gate = new StartGate(64, () => now);
    await letIn(gate, calls, true);
    for (let call = 0; call < calls; call++) gate.leave('lost', latency);
    expect([gate.limit, await letIn(gate, 64, true)]).toEqual([24, 64]);
  });

  it('grows back after lost calls once calls are answered', async () => {
    const { gate, answer } = await grownGate();
    for (let time = 0; time < 3; time++) {
      now += 10_001;
      gate.leave('lost', 10_000);
    }
    expect(gate.limit).toBe(8);
    expect(await answer(1_800, 10)).toBe(60);
  });

  it('is not changed by a call with another end', async () => {
    const gate = new StartGate(8, () => now);
    for (let time = 0; time < 100; time++) {
      await letIn(gate, 8 - (time % 2));
      gate.leave('other', 10);
    }
    expect([gate.limit, gate.pause]).toEqual([8, 0]);
  });
});

describe('the pause after a refusal by a busy server', () => {
  it('doubles with each refusal up to two seconds, and is short again once a call is answered', async () => {
    let now = 3_600_000;
    const gate = new StartGate(64, () => now);
    expect(gate.pause).toBe(0);
    const pauseAfterRefusal = async () => {
      await callOnce(gate, 'busy', 10);
      const { pause } = gate;
      now += pause;
      return pause;
    };
    const pauses: number[] = [];
    for (let time = 0; time < 7; time++) pauses.push(await pauseAfterRefusal());
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    expect(gate.pause).toBe(0);
    await callOnce(gate, 'answered', 10);
    expect(await pauseAfterRefusal()).toBe(100);
  });

  it('runs down, and refusals that come meanwhile neither prolong it nor halve the limit again', async () => {
    let now = 3_600_000;
    const gate = new StartGate(64, () => now);
    await letIn(gate, 3);
    gate.leave('busy', 10);
    now += 60;
    gate.leave('busy', 70);
    expect([gate.pause, gate.limit]).toEqual([40, 12]);
    now += 39.5;
    gate.leave('busy', 109.5);
    expect([gate.pause, gate.limit]).toEqual([0.5, 12]);
    now += 0.5;
    await callOnce(gate, 'busy', 0);
    expect([gate.pause, gate.limit]).toEqual([200, 6]);
  });

  it('does not follow a lost call, which has taken its time already', async () => {
    const gate = new StartGate(64, () => 3_600_000);
    await callOnce(gate, 'lost', 10_000);
    expect(gate.pause).toBe(0);
  });
});

it('the batches of a namespace share a gate, and another namespace has one of its own', () => {
  const gates = new StartGates(8);
  expect(gates.of('default')).toBe(gates.of('default'));
  expect(gates.of('billing')).not.toBe(gates.of('default'));
  expect(gates.of('billing').limit).toBe(8);
});
