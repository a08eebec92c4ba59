import { expect, it } from 'vitest';
import { DispatchLoops } from '../../../trigger/dispatch/loops';
import { WaitingHints } from '../../../trigger/dispatch/waiting-hints';
import { Ticker } from '../../../trigger/ticker';
import { MemoryLogger } from '../../support/logger';

/** Far beyond the length of a test: only what wakes a loop makes it run again. */
const NEVER = 3_600_000;

/** Dispatch loops, one per namespace, that record when they run. Their passes do not end before `finish`. */
function loopsOn(waiting: WaitingHints) {
  const runs: string[] = [];
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const loops = new DispatchLoops(waiting, (namespace) => [
    new Ticker({
      name: 'dispatch',
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

const NOW = new Date(0);
const LANE = { tenant: '', taskQueue: 'queue', late: false };
const claim = (waiting: WaitingHints, ...namespaces: string[]) =>
  waiting.claimed(namespaces.map((namespace) => ({ namespace, ...LANE, readyAt: NOW })));

it('a namespace has dispatch loops from its first claim on, whether that was made before they start or after', async () => {
  const waiting = new WaitingHints();
  const { loops, runs, finish } = loopsOn(waiting);
  claim(waiting, 'a', 'b');
  expect(runs).toEqual([]);
  loops.start();
  expect(runs).toEqual(['a', 'b']);
  claim(waiting, 'a', 'c');
  expect(runs).toEqual(['a', 'b', 'c']);
  finish();
  // The loop that got a claim meanwhile runs once more.
  await expect.poll(() => runs).toEqual(['a', 'b', 'c', 'a']);
  await loops.stop();
});

it('what others have left waiting wakes the loops of its namespace as well', async () => {
  const waiting = new WaitingHints();
  const { loops, runs, finish } = loopsOn(waiting);
  loops.start();
  waiting.found([{ namespace: 'theirs', ...LANE, from: NOW }]);
  expect(runs).toEqual(['theirs']);
  finish();
  await loops.stop();
});

it('no dispatch loop is made once they are to stop, and those that run get to their end', async () => {
  const waiting = new WaitingHints();
  const { loops, runs, finish } = loopsOn(waiting);
  loops.start();
  claim(waiting, 'a');
  let isOver = false;
  const stopped = loops.stop().then(() => {
    isOver = true;
  });
  claim(waiting, 'a', 'b');
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  finish();
  await stopped;
  expect(runs).toEqual(['a']);
});

it('a take that failed, or that left some, wakes the loops that had left all to it', async () => {
  const waiting = new WaitingHints();
  const { loops, runs, finish } = loopsOn(waiting);
  loops.start();
  finish();
  claim(waiting, 'failed', 'full');
  await expect.poll(() => runs).toEqual(['failed', 'full']);
  waiting.failed('failed', waiting.taking('failed', 100).take);
  await expect.poll(() => runs).toEqual(['failed', 'full', 'failed']);
  const taking = waiting.taking('full', 1);
  const firings = [{ late: false }];
  waiting.took('full', { firings, after: {}, isHeldBack: false, isCut: false } as never, { limit: 1, ...taking });
  await expect.poll(() => runs).toEqual(['failed', 'full', 'failed', 'full']);
  await loops.stop();
});
