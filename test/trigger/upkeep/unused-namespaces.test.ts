import { expect, it, onTestFinished, vi } from 'vitest';
import { useLedger } from '../../support/ledger';
import { triggerOnDouble } from '../../support/watched-double';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DAY = 86_400_000;

it('what is logged of a namespace that is away again begins anew after it was forgotten', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { passes, context } = await triggerOnDouble(ledger());
  const call = () => expect(context.temporal.of('mistyped').describeChain('any')).rejects.toThrow('not found');
  await call();
  await passes.sweep();
  vi.advanceTimersByTime(DAY);
  await call();
  const refused = { level: 'warn', message: 'Temporal refuses the namespace: due firings wait', seconds: undefined };
  expect(ledger().log.lines.map(({ level, message, meta }) => ({ level, message, seconds: meta.seconds }))).toEqual([
    refused,
    {
      ...{ level: 'info', seconds: undefined },
      message: 'a namespace that is away is forgotten: no schedule starts there any more',
    },
    refused,
  ]);
});
