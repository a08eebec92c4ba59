import { expect, it } from 'vitest';
import { untilSettled } from '../../chaos/settled';

const settledAfter = (...answers: { left: number; isToAdopt: boolean }[]) => {
  const looks: string[] = [];
  const query = async (text: string) => {
    looks.push(text);
    return [answers[looks.length - 1] ?? answers.at(-1)!] as never;
  };
  return untilSettled({ query }, { since: Date.now(), atMost: 60_000, tell: () => {} }).then((settled) => ({
    settled: settled !== undefined,
    looks: looks.length,
  }));
};

it('a run is settled once no work is left', async () => {
  const end = await settledAfter({ left: 1, isToAdopt: false }, { left: 0, isToAdopt: false });
  expect(end).toEqual({ settled: true, looks: 2 });
});

it('a run with a failover is settled only after the second adoption, and the work that it finds', async () => {
  const end = await settledAfter(
    ...[
      { left: 0, isToAdopt: true },
      { left: 2, isToAdopt: false },
    ],
    { left: 0, isToAdopt: false },
  );
  expect(end).toEqual({ settled: true, looks: 3 });
});
