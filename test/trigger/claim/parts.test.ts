import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { CallLease } from '../../../temporal/call-lease';
import { DatabaseClock } from '../../../trigger/clock';
import { concurrently } from '../../../trigger/concurrently';
import { DefinitionCache } from '../../../trigger/definitions';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger();

describe('DatabaseClock', () => {
  const at = (time: string) => Date.parse(`2026-03-01T00:00:${time}Z`);

  it('goes by the database, late by at most the round trip and never ahead', () => {
    let monotonic = 1_000;
    const clock = new DatabaseClock(() => monotonic);
    const sentAt = clock.mark();
    monotonic += 400;
    clock.synchronize(sentAt, new Date(at('10.000')));
    expect(clock.now()).toBe(at('10.000'));
    monotonic += 2_500;
    expect(clock.now()).toBe(at('12.500'));
  });

  it('ignores a reading that took too long, unless it shows that the estimate is behind or ahead', () => {
    let monotonic = 0;
    const clock = new DatabaseClock(() => monotonic);
    clock.synchronize(clock.mark(), new Date(at('10.000')));
    const sentAt = clock.mark();
    monotonic += 4_000;
    clock.synchronize(sentAt, new Date(at('13.000')));
    expect(clock.now()).toBe(at('14.000'));
    // The database has answered nevertheless.
    expect(clock.readAt).toBe(4_000);
    // As after the machine has slept, for which the monotonic clock stood still.
    clock.synchronize(sentAt, new Date(at('30.000')));
    expect(clock.now()).toBe(at('30.000'));
    // It may have been read at once, and have come back slowly.
    clock.synchronize(sentAt, new Date(at('26.000')));
    expect(clock.now()).toBe(at('30.000'));
    // As after the database's clock was set back.
    for (const time of ['25.990', '02.000']) {
      clock.synchronize(sentAt, new Date(at(time)));
      expect(clock.now()).toBe(at(time));
    }
  });
});

describe('CallLease', () => {
  it.each([
    ['the monotonic clock', 0],
    ["the host's clock, which goes on while the machine is suspended", 1],
  ])('is over by %s alone', (_, index) => {
    const clocks = [5_000, 1_700_000_000_000];
    const lease = new CallLease(
      8_000,
      clocks.map((_now, which) => () => clocks[which]!),
    );
    clocks[index]! += 7_999;
    expect([lease.left(), lease.isOver()]).toEqual([1, false]);
    clocks[index]! += 1;
    expect(lease.isOver()).toBe(true);
  });
});

describe('concurrently', () => {
  it('begins nothing further once it is to stop, and leaves the rest undefined', async () => {
    const stop = new AbortController();
    const results = await concurrently([1, 2, 3, 4], 2, stop.signal, async (item) => {
      stop.abort();
      return item;
    });
    expect(results).toEqual([1, undefined, undefined, undefined]);
  });

  it('begins nothing further after an error, and throws the first one once all that began has ended', async () => {
    const stop = new AbortController();
    const events: string[] = [];
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const working = concurrently([1, 2, 3, 4, 5], 3, stop.signal, async (item) => {
      events.push(`${item} begins`);
      if (item === 2) throw new Error('the first');
      await finished;
      events.push(`${item} ends`);
      if (item === 1) throw new Error('another');
    }).finally(() => events.push('all end'));
    await new Promise(setImmediate);
    finish();
    await expect(working).rejects.toThrow('the first');
    expect(events).toEqual(['1 begins', '2 begins', '3 begins', '1 ends', '3 ends', 'all end']);
  });
});

describe('DefinitionCache', () => {
  it('gives all that was asked for, though it keeps less', async () => {
    const keys = [];
    for (let index = 0; index < 3; index++) {
      const { scheduleId } = await ledger().client.create(someSchedule());
      keys.push({ scheduleId, version: 1 });
    }
    const store = openStore({ connectionString: ledger().databaseUrl });
    const cache = new DefinitionCache(1);
    await cache.load(store, keys.slice(0, 1));
    const definitions = await cache.load(store, keys);
    expect(keys.map((key) => definitions(key).action.workflowType)).toEqual(Array(3).fill('echoFiring'));
    await store.close();
  });
});
