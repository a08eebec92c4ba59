import type { Bench } from '../lib/bench';
import { claimBacklog } from '../lib/fill/backlog';
import { allClosed } from '../lib/measure/closed';
import { freshName } from '../lib/names';
import { figure, ratio, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { settle } from '../lib/settle';
import { startTrigger } from '../lib/trigger-process';
import { type Account, eachOnce, takeAccount } from '../lib/usage/account';

interface Size {
  /** Number of firings that wait when the triggers start. */
  firings: number;
  rounds: number;
}

interface Round {
  perSecond: number;
  /** The share of all links that the trigger with the most links made. */
  largestShare: number;
  account: Account;
}

const LINKED = /"msg":"linked"/g;

export const backlog = defineScene<Size>({
  name: 'backlog',
  title: 'A backlog that two triggers share, beside one that has it alone',
  full: { firings: 10_000, rounds: 3 },
  quick: { firings: 20, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const one: Round[] = [];
    const two: Round[] = [];
    for (let round = 0; round < size.rounds; round++) {
      for (const triggers of round % 2 === 0 ? [1, 2] : [2, 1]) {
        await settle(bench.servers, 0);
        const found = await workOff(bench, size.firings, triggers);
        (triggers === 1 ? one : two).push(found);
        bench.progress(`round ${round + 1} of ${size.rounds}, ${triggers}: ${Math.round(found.perSecond)}/s`);
      }
    }
    const rates = (rounds: Round[]) => rounds.map(({ perSecond }) => perSecond);
    const shares = two.map(({ largestShare }) => largestShare);
    return {
      figures: [
        figure('one trigger', 'closed', '/s', rates(one)),
        figure('two triggers', 'closed', '/s', rates(two)),
        figure('two triggers', 'taken by the one that took more', '%', shares),
      ],
      verdicts: [
        verdict('taken by the one that took more', '%', shares, { atMost: 70, every: true }),
        ratio('closed by two, of those by one', rates(two), rates(one)),
      ],
      checks: [eachOnce([...one, ...two].map(({ account }) => account))],
      notes: ['Both begin at once, with their defaults, when all waits already.'],
      plots: [],
    };
  },
});

/** Measures the time from the start of the last trigger until all firings are closed. */
function workOff(bench: Bench, firings: number, triggers: number): Promise<Round> {
  return bench.withLedger(async (ledger) => {
    const { databaseUrl } = ledger;
    const { address } = bench.servers;
    const prefix = freshName('backlog');
    await claimBacklog(ledger, address, { prefix, count: firings });
    const started = await Promise.all(Array.from({ length: triggers }, () => startTrigger({ databaseUrl, address })));
    try {
      const runningSince = Date.now();
      const closedAt = await allClosed(ledger, prefix, firings);
      const linked = started.map((trigger) => trigger.log().match(LINKED)?.length ?? 0);
      return {
        perSecond: (firings / (closedAt - runningSince)) * 1_000,
        largestShare: (100 * Math.max(...linked)) / linked.reduce((sum, count) => sum + count),
        account: await takeAccount(bench, ledger, { prefix, expected: firings }),
      };
    } finally {
      await Promise.all(started.map((trigger) => trigger.stop()));
    }
  });
}
