import { expect, it } from 'vitest';
import { TemporalCallError, type TemporalPort } from '../../../temporal/port';
import type { TriggerContext } from '../../../trigger/context';
import { retentionOf } from '../../../trigger/observe/namespace-retention';
import { temporalAnswering } from '../../support/answering';
import { ManualClock } from '../../support/ledger-clock';

function asking(answer: TemporalPort['retention']) {
  const clock = new ManualClock('2026-03-01T01:00:00Z');
  const asked: string[] = [];
  const temporal = temporalAnswering(clock, {
    retention: (namespace) => {
      asked.push(namespace);
      return answer(namespace);
    },
  });
  return { clock, asked, context: { clock, temporal } as unknown as TriggerContext };
}

it('a namespace is asked for its retention once an hour, each for itself', async () => {
  let retention = 1;
  const { clock, asked, context } = asking(async () => retention++);
  expect(await retentionOf(context, 'aa')).toBe(1);
  expect(await retentionOf(context, 'bb')).toBe(2);
  clock.advance(3_599_999);
  expect(await retentionOf(context, 'aa')).toBe(1);
  clock.advance(1);
  expect(await retentionOf(context, 'aa')).toBe(3);
  expect(asked).toEqual(['aa', 'bb', 'aa']);
});

it('a namespace that does not tell its retention is left alone for that hour too', async () => {
  const { asked, context } = asking(() => Promise.reject(new TemporalCallError('may not', 'rejected')));
  expect(await retentionOf(context, 'aa')).toBeUndefined();
  expect(await retentionOf(context, 'aa')).toBeUndefined();
  expect(asked).toEqual(['aa']);
});

it('an error of this program is not taken for a refusal', async () => {
  const { context } = asking(() => Promise.reject(new Error('a bug')));
  await expect(retentionOf(context, 'aa')).rejects.toThrow('a bug');
});
