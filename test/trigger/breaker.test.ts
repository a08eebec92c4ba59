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
