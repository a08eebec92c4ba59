import { expect, it, onTestFinished, vi } from 'vitest';
import { Complaint } from '../../../logging/complaint';
import { TemporalCallError } from '../../../temporal/port';
import { AwayLog } from '../../../trigger/away-log';
import { Lanes } from '../../../trigger/lanes';
import { Ticker } from '../../../trigger/ticker';
import { MemoryLogger } from '../../support/logger';

const MINUTE = 60_000;
/** Far beyond the length of a test. */
const NEVER = 3_600_000;

function complaining() {
  let now = 0;
  const logger = new MemoryLogger();
  const complaint = new Complaint(logger, { failing: 'fails', over: 'works' }, { namespace: 'billing' }, () => now);
  const said = () => logger.lines.map(({ level, message, meta }) => [level, message, meta.error, meta.failures]);
  return { complaint, logger, said, after: (milliseconds: number) => (now += milliseconds) };
}

it('what goes on failing is said at once, when its text changes, and each minute, as an error from a minute on', () => {
  const { complaint, logger, said, after } = complaining();
  complaint.failed('no answer');
  after(10_000);
  complaint.failed('no answer');
  complaint.failed('refused');
  after(50_000);
  complaint.failed('refused');
  expect(said()).toEqual([
    ['warn', 'fails', 'no answer', undefined],
    ['warn', 'fails', 'refused', 3],
  ]);
  after(10_000);
  complaint.failed('refused');
  after(MINUTE);
  complaint.failed('refused');
  expect(said().slice(2)).toEqual([
    ['error', 'fails', 'refused', 5],
    ['error', 'fails', 'refused', 6],
  ]);
  expect(logger.lines.at(-1)!.meta).toMatchObject({ namespace: 'billing', seconds: 130 });

  complaint.over();
  complaint.over();
  expect(said().slice(4)).toEqual([['info', 'works', undefined, 6]]);
  complaint.failed('refused');
  expect(said().at(-1)).toEqual(['warn', 'fails', 'refused', undefined]);
});

it('a server that answered is not said to be silent', () => {
  const logger = new MemoryLogger();
  const log = new AwayLog(logger);
  log.onAway('nope', new TemporalCallError('Namespace nope is not found', 'refused'));
  log.onAway('nope', new TemporalCallError('deadline exceeded', 'away'));
  log.onBack('nope');
  expect(logger.lines.map(({ message, meta }) => [message, meta.namespace, meta.error])).toEqual([
    ['Temporal refuses the namespace: due firings wait', 'nope', 'Namespace nope is not found'],
    ['Temporal does not answer: due firings wait', 'nope', 'deadline exceeded'],
    ['Temporal answers again', 'nope', undefined],
  ]);
});

it('a pass that only waits for a namespace lets the next one begin, which leaves that namespace out', async () => {
  const lanes = new Lanes();
  const worked: string[] = [];
  let answer: () => void = () => {};
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let passes = 0;
  const ticker = new Ticker({
    name: 'some',
    intervalMilliseconds: 1,
    backoffCapMilliseconds: NEVER,
    logger: new MemoryLogger(),
    pass: async (goOn) => {
      passes += 1;
      const items = [{ namespace: 'silent' }, { namespace: 'healthy' }];
      const working = lanes.run(items, async (_, namespace) => {
        worked.push(namespace);
        if (namespace === 'silent') await silence;
      });
      goOn();
      await working;
      return 1;
    },
  });
  ticker.start();
  await expect.poll(() => worked.filter((namespace) => namespace === 'healthy').length).toBeGreaterThan(2);
  expect(worked.filter((namespace) => namespace === 'silent')).toHaveLength(1);
  expect(lanes.busy).toContain('silent');

  let hasStopped = false;
  const stopped = ticker.stop().then(() => {
    hasStopped = true;
  });
  await Promise.resolve();
  expect(hasStopped).toBe(false);
  answer();
  await stopped;
  expect(passes).toBeGreaterThan(2);
  expect(lanes.busy).toEqual([]);
});

it('a pass that still has work of its own to do is waited for, however long it takes', async () => {
  let passes = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ticker = new Ticker({
    name: 'some',
    intervalMilliseconds: 1,
    backoffCapMilliseconds: NEVER,
    logger: new MemoryLogger(),
    pass: async () => {
      passes += 1;
      await finished;
      return NEVER;
    },
  });
  ticker.start();
  for (let turn = 0; turn < 20; turn++) {
    ticker.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(passes).toBe(1);
  finish();
  await ticker.stop();
});

it('a pass that fails is repeated after its first pause, and then after pauses that double up to their limit', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let passes = 0;
  const ticker = new Ticker({
    name: 'some',
    intervalMilliseconds: NEVER,
    retryMilliseconds: 1_000,
    backoffCapMilliseconds: 3_000,
    logger: new MemoryLogger(),
    pass: async () => {
      passes += 1;
      throw new Error('refused');
    },
  });
  ticker.start();
  const seen: number[] = [];
  for (const milliseconds of [999, 1, 1_999, 1, 2_999, 1]) {
    await vi.advanceTimersByTimeAsync(milliseconds);
    seen.push(passes);
  }
  expect(seen).toEqual([1, 2, 2, 3, 3, 4]);
  await ticker.stop();
});

it('a slow pass that ends well after later passes have failed does not count as their success', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const logger = new MemoryLogger();
  let finish: (pause: number) => void = () => {};
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  let passes = 0;
  const ticker = new Ticker({
    name: 'some',
    intervalMilliseconds: 1_000,
    backoffCapMilliseconds: NEVER,
    logger,
    pass: async (goOn) => {
      passes += 1;
      if (passes > 3) return NEVER;
      if (passes > 1) throw new Error('refused');
      goOn();
      return finished;
    },
  });
  ticker.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passes).toBe(2);
  finish(NEVER);
  await vi.advanceTimersByTimeAsync(1_000);
  // The pause after the second failure is twice the first one.
  await vi.advanceTimersByTimeAsync(1_999);
  expect([passes, logger.messages()]).toEqual([3, ['some pass failed; trying again']]);
  await vi.advanceTimersByTimeAsync(1);
  expect([passes, logger.messages().slice(1)]).toEqual([4, ['some pass works again']]);
  await ticker.stop();
});
