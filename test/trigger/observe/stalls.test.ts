import { expect, it } from 'vitest';
import type { StalledReason } from '../../../temporal/port';
import { finish } from '../../support/workers/workflows';
import { useWatchedLists } from './watched';

const HOUR = 3_600_000;

const { ledger, startMany, untilListed, watchedTrigger } = useWatchedLists();

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
    'runs make no progress: task_failing',
    'runs make progress again: no_worker',
  ]);
  stalled = undefined;
  await observe(HOUR);
  expect(told().at(-1)).toBe('runs make progress again: task_failing');
});

it.each(['the trigger that said so', 'another one'])(
  'runs that make no progress are over once %s lists their end',
  async (who) => {
    const { trigger, observe, executions } = await startMany(1, 'untilFinished', {
      describes: async (describe) => {
        const chain = await describe();
        return chain && { ...chain, stalled: 'no_worker' as const };
      },
    });
    await observe();
    // A poll only after a minute of the ledger's clock would put the end before the part of the list that is read.
    await ledger().query('update escapement.firings set check_at = linked_at');
    expect(await observe()).toMatchObject({ polled: 1 });
    expect(told()).toEqual(['runs make no progress: no_worker']);
    for (const execution of await executions()) {
      await execution.signal(finish);
      await execution.result();
      await untilListed(`WorkflowId = '${execution.workflowId}' and CloseTime is not null`, 1);
    }
    const lister = who === 'another one' ? (await watchedTrigger()).trigger : trigger;
    ledger().clock.advance(10_000);
    expect(await lister.passes.observe()).toMatchObject({ listed: 1, polled: 0, closed: 1 });
    await trigger.passes.observe();
    expect(told()).toEqual(['runs make no progress: no_worker', 'runs make progress again: no_worker']);
  },
);
