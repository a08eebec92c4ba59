import { expect, it } from 'vitest';
import { untilListed, untilSettled } from '../../chaos/settled';

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

it('the chains are read once Temporal lists each run of the ledger as ended, or says how many it lacks', async () => {
  const open = { execution: { runId: 'one' } };
  const ended = { ...open, closeTime: {} };
  const lists = [[], [open], [ended]] as never[];
  const list = async () => lists.shift() ?? ([ended] as never);
  expect(await untilListed(list, ['one'], 60_000)).toBe(0);
  expect(lists).toEqual([]);
  expect(await untilListed(list, ['one', 'two', 'three'], -1)).toBe(2);
});
