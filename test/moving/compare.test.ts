import { expect, it } from 'vitest';
import { match, NativeRuns, type Shadow } from '../../moving/compare/match';

const MINUTE = 60_000;
const run = (nominal: number, startedAt = nominal + 100, closedAt = startedAt + 500) => ({
  ...{ workflowId: `w-${nominal}`, nominal: nominal * MINUTE, startedAt, closedAt },
});

async function* shadows(...minutes: number[]): AsyncGenerator<Shadow> {
  for (const minute of minutes) yield { nominal: minute * MINUTE, decidedAt: minute * MINUTE + 200 };
}

async function verdicts(runs: NativeRuns, minutes: number[], { mayOverlap = false, rememberedFrom = 0 } = {}) {
  const found: string[] = [];
  const both = { shadows: shadows(...minutes), runs, from: MINUTE, to: 9 * MINUTE, mayOverlap, rememberedFrom };
  for await (const { scheduledTime, verdict, hereLag, nativeLag } of match('s', both)) {
    found.push([+scheduledTime / MINUTE, verdict, hereLag ?? '-', nativeLag ?? '-'].join(' '));
  }
  return found;
}

it('says of each occurrence what both did, and which only one of them did', async () => {
  const runs = new NativeRuns();
  for (const minute of [1, 2, 5]) runs.add(run(minute, minute * MINUTE + 100));
  expect(await verdicts(runs, [1, 3, 5, 6])).toEqual([
    '1 same 200 100',
    '2 only_native - 100',
    '3 only_here 200 -',
    '5 same 200 100',
    '6 only_here 200 -',
  ]);
});

it('takes what native left out while a run was open for left out here too, unless runs may overlap', async () => {
  const runs = new NativeRuns();
  // It was retried: its second run is of the same chain.
  runs.add(run(1, MINUTE + 100, MINUTE + 200));
  runs.add(run(1, MINUTE + 300, 3.5 * MINUTE));
  runs.add(run(7, 7 * MINUTE, Number.POSITIVE_INFINITY));
  expect(await verdicts(runs, [1, 2, 3, 4, 7, 8])).toEqual([
    '1 same 200 100',
    '2 overlap 200 -',
    '3 overlap 200 -',
    '4 only_here 200 -',
    '7 same 200 0',
    '8 overlap 200 -',
  ]);
  expect((await verdicts(runs, [2], { mayOverlap: true }))[1]).toBe('2 only_here 200 -');
});

it('does not say of a time that is older than the retention that native did not start it', async () => {
  const runs = new NativeRuns();
  runs.add(run(3, 3 * MINUTE + 100));
  runs.add(run(4, 4 * MINUTE + 100));
  expect(await verdicts(runs, [1, 3, 5], { rememberedFrom: 5 * MINUTE })).toEqual([
    '1 unknown 200 -',
    '3 same 200 100',
    '4 only_native - 100',
    '5 only_here 200 -',
  ]);
});
