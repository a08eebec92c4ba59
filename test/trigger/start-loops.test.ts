import { expect, it } from 'vitest';
import { StartQueue } from '../../trigger/queue';
import type { QueuedClaim } from '../../trigger/queued-claim';
import { StartLoops } from '../../trigger/start-loops';
import { Ticker } from '../../trigger/ticker';
import { MemoryLogger } from '../support/logger';

const NOW = Date.UTC(2026, 2, 1);
/** Far beyond the length of a test: only what wakes a loop makes it run again. */
const NEVER = 3_600_000;

/** Start loops, one for each namespace, that note when they run and never get to the end of a pass before `finish`. */
function loopsOn(queue: StartQueue) {
  const runs: string[] = [];
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const loops = new StartLoops(queue, (namespace) => [
    new Ticker({
      name: 'start',
      intervalMilliseconds: NEVER,
      backoffCapMilliseconds: NEVER,
      logger: new MemoryLogger(),
      pass: async () => {
        runs.push(namespace);
        await finished;
        return NEVER;
      },
    }),
  ]);
  return { loops, runs, finish };
}

function add(queue: StartQueue, ...namespaces: string[]): void {
  const rest = { taskQueue: 'jobs', tenant: '', kind: 'schedule', startsAt: null } as const;
  const claims = namespaces.map((namespace): QueuedClaim => {
    return { scheduleId: namespace, scheduledTime: new Date(NOW), namespace, ...rest };
  });
  queue.add(claims, NOW);
}

it('a namespace has start loops from its first claim on, whether that was queued before they start or after', async () => {
  const queue = new StartQueue();
  const { loops, runs, finish } = loopsOn(queue);
  add(queue, 'a', 'b');
  expect(runs).toEqual([]);
  loops.start();
  expect(runs).toEqual(['a', 'b']);
  add(queue, 'a', 'c');
  expect(runs).toEqual(['a', 'b', 'c']);
  finish();
  // The one that got a claim meanwhile runs once more.
  await expect.poll(() => runs).toEqual(['a', 'b', 'c', 'a']);
  await loops.stop();
});

it('no start loop is made once they are to stop, and those that run get to their end', async () => {
  const queue = new StartQueue();
  const { loops, runs, finish } = loopsOn(queue);
  loops.start();
  add(queue, 'a');
  let hasStopped = false;
  const stopped = loops.stop().then(() => {
    hasStopped = true;
  });
  add(queue, 'a', 'late');
  await Promise.resolve();
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
  expect(runs).toEqual(['a']);
});
