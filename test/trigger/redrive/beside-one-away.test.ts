import { expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { triggerAnswering } from '../../support/answering';
import { useLedger } from '../../support/ledger';
import { giveUp } from './given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');

it('a redrive does not wait for a namespace that is away to answer whether it is back', async () => {
  const scheduleId = await giveUp(ledger(), { overlap: 'ALLOW_ALL' }, 1);
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isSilent = false;
  const one = await triggerAnswering(
    ledger(),
    {
      describeChain: async (namespace, ...chain) => {
        if (namespace !== 'silent') return one.double.describeChain(namespace, ...chain);
        if (!isSilent) throw new TemporalCallError('no answer', 'away', { ofNamespace: true });
        isAsked();
        await answered;
        return undefined;
      },
    },
    { namespaces: ['default', 'silent'], limits: { reconcileIntervalMilliseconds: 20 } },
  );
  await expect(one.context.temporal.of('silent').describeChain('any')).rejects.toThrow('no answer');
  isSilent = true;
  ledger().clock.advance(1_000);
  const running = one.trigger.run();
  try {
    await asked;
    await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'restart' });
    await expect
      .poll(() => ledger().answers(scheduleId))
      .toEqual([expect.stringMatching(/^03-01T01:00:00 schedule linked/)]);
  } finally {
    answer();
    one.trigger.shutdown();
    await running;
  }
});
