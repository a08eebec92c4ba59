import { expect, inject, it, onTestFinished } from 'vitest';
import { Breaker } from '../../temporal/breaker';
import { connectTemporal } from '../../temporal/connection';
import { TemporalCallError } from '../../temporal/port';
import { startOf } from '../testing/start-of';

it('a start that cannot be put into a request does not count as an answer of the namespace', async () => {
  const settings = { deadlineMilliseconds: 60_000, identity: 'test', stalledAfterMilliseconds: 60_000 };
  const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
  onTestFinished(() => port.close());
  const start = startOf('nobody-polls', 'echoFiring', { retry: { maximumAttempts: -1 } });
  const silence = new TemporalCallError('no answer', 'away');
  const listener = { onAway: () => {}, onBack: () => {} };
  const breaker = new Breaker(() => Promise.reject(silence), Date.now, listener);
  let fail: (error: Error) => void = () => {};
  const unanswered = breaker.call(
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  );
  const unsent = { kind: 'rejected', unsent: true };
  await expect(breaker.call(() => port.startWorkflow(start))).rejects.toMatchObject(unsent);
  fail(silence);
  await expect(unanswered).rejects.toMatchObject({ ofNamespace: true });
  expect(breaker.isOpen).toBe(true);
});

it('a namespace that is away is asked again at once if the clock is set back meanwhile', async () => {
  const silence = new TemporalCallError('no answer', 'away');
  let now = Date.parse('2026-03-01T01:00:00Z');
  let ask: () => Promise<void> = () => Promise.reject(silence);
  const listener = { onAway: () => {}, onBack: () => {} };
  const breaker = new Breaker(
    () => ask(),
    () => now,
    listener,
  );
  await expect(breaker.call(() => Promise.reject(silence))).rejects.toMatchObject({ ofNamespace: true });
  now += 999;
  expect(await breaker.isReady()).toBe(false);
  expect(breaker.leftAloneUntil).toBe(now + 1);
  now -= 3_600_000;
  expect(await breaker.isReady()).toBe(false);
  expect(breaker.leftAloneUntil).toBe(now + 1_000);
  now -= 3_600_000;
  ask = () => Promise.resolve();
  expect(await breaker.isReady()).toBe(true);
});
