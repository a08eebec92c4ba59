import { expect, it } from 'vitest';
import type { StalledReason } from '../../../temporal/port';
import { useWatchedLists } from './watched';

const HOUR = 3_600_000;

const { ledger, startMany } = useWatchedLists();

/** What the log says of routes whose runs make no progress. */
const told = () =>
  ledger()
    .log.lines.filter(({ message }) => message.startsWith('runs make '))
    .map(({ message, meta }) => `${message}: ${meta.reason}`);

it('runs are said to make progress again once none of them stalls', async () => {
  let stalling: number;
  let asked = 0;
  const { observe } = await startMany(2, 'untilFinished', {
    describes: async (describe) => {
      const chain = await describe();
      asked += 1;
      return chain && { ...chain, stalled: asked <= stalling ? ('no_worker' as const) : undefined };
    },
  });
  const observeWith = async (count: number) => {
    [stalling, asked] = [count, 0];
    await observe(HOUR);
    expect(asked).toBe(2);
  };
  await observeWith(2);
  await observeWith(1);
  expect(told()).toEqual(['runs make no progress: no_worker']);
  await observeWith(0);
  expect(told()).toEqual(['runs make no progress: no_worker', 'runs make progress again: no_worker']);
});

it('a run that stalls for another reason is said to be over the first one', async () => {
  let stalled: StalledReason | undefined = 'no_worker';
  const { observe } = await startMany(1, 'untilFinished', {
    describes: async (describe) => {
      const chain = await describe();
      return chain && { ...chain, stalled };
    },
  });
  await observe(HOUR);
  stalled = 'task_failing';
  await observe(HOUR);
  expect(told()).toEqual([
    'runs make no progress: no_worker',
    'runs make progress again: no_worker',
    'runs make no progress: task_failing',
  ]);
  stalled = undefined;
  await observe(HOUR);
  expect(told().at(-1)).toBe('runs make progress again: task_failing');
});
