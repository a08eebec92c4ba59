import { describe, expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { Breakers } from '../../trigger/breaker';
import { DatabaseClock } from '../../trigger/clock';
import { concurrently } from '../../trigger/concurrently';
import { DefinitionCache } from '../../trigger/definitions';
import { someSchedule, useLedger } from '../support/ledger';

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

  it('ignores a reading that took too long, once it has one', () => {
    let monotonic = 0;
    const clock = new DatabaseClock(() => monotonic);
    clock.synchronize(clock.mark(), new Date(at('10.000')));
    const sentAt = clock.mark();
    monotonic += 4_000;
    clock.synchronize(sentAt, new Date(at('30.000')));
    expect(clock.now()).toBe(at('14.000'));
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
});

describe('Breakers', () => {
  it('leave a namespace alone for longer and longer, up to half a minute, until it answers', () => {
    const breakers = new Breakers();
    const pauses = [];
    let now = 0;
    for (let failure = 0; failure < 6; failure++) {
      const { until } = breakers.fail('default', now);
      expect(breakers.openUntil('default', until - 1)).toBe(until);
      expect(breakers.openUntil('default', until)).toBeUndefined();
      pauses.push(until - now);
      now = until;
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(breakers.openUntil('other', now)).toBeUndefined();
    expect([breakers.succeed('default'), breakers.succeed('default')]).toEqual([true, false]);
    expect(breakers.fail('default', now)).toEqual({ until: now + 2_000, opened: true });
  });

  it('tell a start that fails while others come through from a namespace that does not answer', () => {
    const breakers = new Breakers();
    const fail = (now: number, called: string[], isAll = true) => breakers.fail('default', now, { called, isAll });
    const succeed = (since: number, ...started: string[]) => breakers.succeed('default', { started, since });
    expect(fail(1_000, ['stuck'])).toEqual({ until: 3_000, opened: true });
    // Called before it failed, and after it.
    succeed(1_000, 'other');
    expect(breakers.isOdd('stuck')).toBe(false);
    succeed(2_000, 'other');
    expect([fail(8_000, ['stuck']), fail(10_000, ['stuck'])]).toEqual([
      { until: 10_000, opened: false },
      { until: 14_000, opened: false },
    ]);
    expect(breakers.openUntil('default', 10_000)).toBeUndefined();
    expect(fail(20_000, ['stuck'], false)).toEqual({ until: 22_000, opened: true });
    // Its own pause goes on where it was.
    succeed(22_000, 'other');
    expect(fail(22_000, ['stuck'])).toEqual({ until: 30_000, opened: false });
    expect(fail(22_500, ['stuck'], false)).toEqual({ until: 24_500, opened: true });
    succeed(22_000, 'other');
    expect(fail(23_000, ['stuck', 'other'])).toEqual({ until: 25_000, opened: true });
    succeed(25_000, 'stuck', 'other');
    expect(fail(26_000, ['stuck'])).toEqual({ until: 28_000, opened: true });
  });

  it('try others before a start that failed, until enough have, then these by turns and another one now and then', () => {
    const breakers = new Breakers();
    const starts = Array.from({ length: 9 }, (_, index) => `start ${index}`);
    const next = () =>
      [...starts].sort((one, other) => breakers.turnOf('default', one) - breakers.turnOf('default', other))[0]!;
    const tried: string[] = [];
    for (let now = 1; tried.length < 18; ) {
      tried.push(next());
      now = breakers.fail('default', now, { called: [tried.at(-1)!] }).until;
    }
    expect(tried).toEqual([...starts.slice(0, 8), ...starts.slice(0, 8), 'start 8', 'start 0']);
  });

  it('count calls that fail together once', () => {
    const breakers = new Breakers();
    expect(breakers.fail('default', 0)).toEqual({ until: 2_000, opened: true });
    expect(breakers.fail('default', 5)).toEqual({ until: 2_000, opened: false });
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
