import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { readEndedStalls } from '../../../store/firings/observe';
import type { StalledReason } from '../../../temporal/port';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule } from '../../support/ledger';
import { rowsRead } from '../../support/statements/plans';
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
  const { observe, trigger } = await startMany(2, 'untilFinished', {
    describes: async (describe) => {
      const chain = await describe();
      asked += 1;
      return chain && { ...chain, stalled: asked <= stalling ? ('no_worker' as const) : undefined };
    },
  });
  const observeWith = async (count: number) => {
    [stalling, asked] = [count, 0];
    await observe(HOUR);
    await trigger.passes.sayOver();
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
  const { observe, trigger } = await startMany(1, 'untilFinished', {
    describes: async (describe) => {
      const chain = await describe();
      return chain && { ...chain, stalled };
    },
  });
  await observe(HOUR);
  stalled = 'task_failing';
  await observe(HOUR);
  await trigger.passes.sayOver();
  expect(told()).toEqual([
    'runs make no progress: no_worker',
    'runs make no progress: task_failing',
    'runs make progress again: no_worker',
  ]);
  stalled = undefined;
  await observe(HOUR);
  await trigger.passes.sayOver();
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
    expect(told()).toEqual(['runs make no progress: no_worker']);
    await trigger.passes.sayOver();
    expect(told()).toEqual(['runs make no progress: no_worker', 'runs make progress again: no_worker']);
  },
);

it('a trigger that runs says that runs make progress again, though none is left to observe', async () => {
  const { trigger, observe } = await startMany(1, 'untilFinished', {
    describes: async (describe) => {
      const chain = await describe();
      return chain && { ...chain, stalled: 'no_worker' as const };
    },
  });
  await observe(HOUR);
  await ledger().query('delete from escapement.firings');
  const running = trigger.run();
  try {
    await expect
      .poll(told, { timeout: 60_000 })
      .toEqual(['runs make no progress: no_worker', 'runs make progress again: no_worker']);
  } finally {
    trigger.shutdown();
    await running;
  }
});

it('a run that makes no progress is read once, however many causes may be over', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
       run_id, claimed_at, linked_at, stalled)
     select $1, '2026-03-01Z'::timestamptz + k * interval '1 second', 'linked', 'schedule', 'default', 1, 'w' || k, 'r' || k,
       '2026-03-01Z', '2026-03-01Z', 'no_worker' from generate_series(1, 1000) k`,
    [scheduleId],
  );
  const sent: [string, unknown[]][] = [];
  const store = openStore({ pool: watchedPool(ledger(), { before: (text, values) => sent.push([text, values]) }) });
  ledger().beforeClose(() => store.close());
  const causeOf = (taskQueue: string) => ({ namespace: 'default', taskQueue, reason: 'no_worker' });
  const over = Array.from({ length: 20 }, (_, n) => causeOf(`queue ${n}`));
  const ended = await readEndedStalls(store, [...over, causeOf('nobody-polls'), causeOf('')]);
  expect(new Set(ended)).toEqual(new Set(over));
  const [text, values] = sent.find(([sql]) => sql.includes('unnest'))!;
  const [row] = await ledger().query(`explain (analyze, format json) ${text}`, values);
  const plan = row!['QUERY PLAN'][0].Plan;
  for (const table of ['firings', 'schedule_versions']) {
    expect(
      rowsRead(plan, table).reduce((sum, rows) => sum + rows, 0),
      table,
    ).toBeLessThanOrEqual(1_000);
  }
});
