import { expect, it } from 'vitest';
import { TransitionLog } from '../../../trigger/transition-log';
import { someSchedule, useLedger } from '../../support/ledger';
import { MemoryLogger } from '../../support/logger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a trigger says in one line what it did since the last one, how late it was, and what waits', async () => {
  const { client, clock, log } = ledger();
  await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:02Z');
  await passes.claim();
  await passes.dispatch();
  clock.set('2026-03-01T02:00:00Z');
  await passes.claim();
  await passes.report();
  const said = () => log.lines.filter(({ message }) => message === 'in the last minute').at(-1);
  expect(said()).toEqual({
    level: 'info',
    message: 'in the last minute',
    meta: {
      ...{ claimed: 4, linked: 2, closed: 0, notCompleted: 0, skipped: 0, missed: 0 },
      ...{ recovered: 0, adopted: 0, abandoned: 0 },
      ...{ lagP50Milliseconds: 2_000, lagP99Milliseconds: 2_000, lagMaxMilliseconds: 2_000 },
      // By the database's clock, which is months ahead of this test's.
      ...{ due: 2, oldestDueSeconds: expect.any(Number) },
      ...{ waiting: 2, oldestWaitingSeconds: expect.any(Number), running: 2, openLetters: 0 },
    },
  });
  await passes.report();
  expect(said()!.meta).toMatchObject({ claimed: 0, linked: 0, waiting: 2 });
  expect(said()!.meta).not.toHaveProperty('lagP50Milliseconds');
});

it('of many lines of one transition within a second the rest is said at debug and counted; warnings all stay', () => {
  const kept = new MemoryLogger();
  let now = 0;
  const log = new TransitionLog(kept, () => now);
  for (let index = 0; index < 120; index++) log.info('claimed', { scheduleId: String(index) });
  for (let index = 0; index < 60; index++) log.warn('closed', { outcome: 'failed' });
  for (let index = 0; index < 60; index++) log.info('trigger running');
  const at = (level: string, message: string) =>
    kept.lines.filter((line) => line.level === level && line.message === message).length;
  expect([at('info', 'claimed'), at('debug', 'claimed'), at('warn', 'closed')]).toEqual([50, 70, 60]);
  expect(at('info', 'trigger running')).toBe(60);
  now = 1_000;
  log.info('claimed');
  expect(at('info', 'claimed')).toBe(51);
  expect(log.take()).toMatchObject({ transitions: { claimed: 121, closed: 60 }, notCompleted: 60, linesLeftOut: 70 });
  expect(log.take()).toMatchObject({ transitions: { claimed: 0 }, linesLeftOut: 0 });
});
