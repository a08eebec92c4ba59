import { expect, it, onTestFinished, vi } from 'vitest';
import { readsOf } from '../../../server/dashboard/api/reads';

/** Reads of a path whose answers the test gives. */
function scene() {
  const asked: { answer: () => void; signal: AbortSignal }[] = [];
  const reads = readsOf((signal) => new Promise<void>((answer) => asked.push({ answer, signal })));
  const answerLast = async () => {
    asked.at(-1)!.answer();
    // The next read begins after the former one has settled.
    await new Promise(setImmediate);
  };
  return { asked, reads, answerLast };
}

it('an answer slower than the events arrives: no event ends the read under way', async () => {
  const { asked, reads } = scene();
  reads.again();
  for (let events = 0; events < 5; events++) reads.againNotBefore(0);
  reads.again();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
});

it('what changed during a read is seen: one more read begins when it has ended', async () => {
  const { asked, reads, answerLast } = scene();
  reads.again();
  reads.again();
  reads.againNotBefore(0);
  await answerLast();
  expect(asked).toHaveLength(2);
  await answerLast();
  expect(asked).toHaveLength(2);
});

it('events right after a read are not lost: one more read begins a little later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { asked, reads, answerLast } = scene();
  reads.again();
  await answerLast();
  for (let events = 0; events < 3; events++) reads.againNotBefore(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  await answerLast();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
});

it('a read that begins before does for an event that had to wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { asked, reads, answerLast } = scene();
  reads.again();
  await answerLast();
  reads.againNotBefore(1_000);
  reads.again();
  await answerLast();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(2);
});

it('the interval begins no read while one is under way, and one after it', async () => {
  const { asked, reads, answerLast } = scene();
  reads.again();
  reads.pollIfOlderThan(0);
  await answerLast();
  expect(asked).toHaveLength(1);
  reads.pollIfOlderThan(0);
  expect(asked).toHaveLength(2);
});

it('the interval and events go on after the browser’s clock was set back an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { asked, reads, answerLast } = scene();
  reads.again();
  await answerLast();
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  reads.pollIfOlderThan(5_000);
  await answerLast();
  expect(asked).toHaveLength(2);
  vi.setSystemTime(Date.now() - 3_600_000);
  reads.againNotBefore(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toHaveLength(3);
});

it('a read without an answer is given up after a minute', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { asked, reads } = scene();
  reads.again();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(asked[0]!.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked[0]!.signal.reason).toMatchObject({ message: expect.stringContaining('longer than a minute') });
});

it('a read ends with its component, and no other one begins', async () => {
  const { asked, reads, answerLast } = scene();
  reads.again();
  reads.again();
  reads.stop();
  expect(asked[0]!.signal.aborted).toBe(true);
  await answerLast();
  reads.again();
  expect(asked).toHaveLength(1);
});
