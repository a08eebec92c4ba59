import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Violation } from '../../chaos/check/facts';
import { NEMESES } from '../../chaos/nemesis';
import { planOf } from '../../chaos/plan';
import { run } from '../../chaos/run';
import { mutantOf } from '../support/processes/mutant';

const COMMAND = resolve(__dirname, '../../dist/cli/main.js');
const MEMBERS = ['trigger-1', 'trigger-2', 'trigger-3', 'worker-1', 'worker-2'];
const FAULTS = NEMESES.map(({ name }) => name);

/** A run of a third of the load, with all faults or some. */
async function chaos(seed: number, seconds: number, { command = COMMAND, faults = FAULTS, settleSeconds = 60 } = {}) {
  const plan = planOf({ seed, milliseconds: seconds * 1_000, share: 0.3, members: MEMBERS, faults });
  const options = {
    plan,
    command,
    triggers: 3,
    workers: 2,
    settleMilliseconds: settleSeconds * 1_000,
    onProgress: () => {},
  };
  return (await run(options, onTestFinished)).result;
}

it.each([1, 17, 36])('whatever breaks under seed %i, each occurrence has its one answer', async (seed) => {
  const result = await chaos(seed, 45);
  expect(result.examples).toEqual([]);
  expect(result.settledSeconds).not.toBeNull();
  expect(result.started).toBeGreaterThan(100);
});

/** A program each that breaks one promise, and the kind of violation by which the checker must find it. */
const MUTANTS: [what: string, kind: Violation['kind'], file: string, from: string, to: string][] = [
  [
    ...(['calls each start under another workflow ID', 'doubled', 'temporal/start-request.js'] as const),
    ...(['workflowId: firing.workflowId,', 'workflowId: firing.workflowId + Math.random(),'] as const),
  ],
  [
    ...(['drops one claim of ten', 'missed', 'trigger/claim/record-decisions.js'] as const),
    ...([
      'answered.flatMap((one) => one.firings),',
      'answered.flatMap((one) => one.firings).filter(() => Math.random() > 0.1),',
    ] as const),
  ],
  [
    ...(['goes by a clock that is ahead', 'early', 'trigger/clock.js'] as const),
    ...(['this.#reading.database + (', 'this.#reading.database + 2_000 + ('] as const),
  ],
  [
    ...(['knows no overlap', 'overlap violated', 'core/decisions/overlap.js'] as const),
    ...(['const capacity = maxConcurrent ??', 'const capacity = Number.POSITIVE_INFINITY ??'] as const),
  ],
  [
    ...(['skips what is to wait', 'wrongly skipped', 'core/decisions/overlap.js'] as const),
    ...([
      "case 'BUFFER_ALL':",
      "case 'BUFFER_ALL': if (policy === 'BUFFER_ALL') return void decisions.push('skip');",
    ] as const),
  ],
  [
    ...(['takes each end for a good one', 'linked to the wrong run', 'trigger/observe/chain.js'] as const),
    ...(["const outcome = chain?.outcome ?? 'unknown';", "const outcome = 'completed';"] as const),
  ],
  [
    ...(['records no end', 'never closed', 'store/firings/close.js'] as const),
    ...(['if (ended.length === 0)', 'if (ended.length >= 0)'] as const),
  ],
  [
    ...(['sends no alert and says that it did', 'alert not delivered', 'alerts/send.js'] as const),
    ...(['await (0, post_1.post)(webhook, { id: messageId, at: now(), body });', 'undefined;'] as const),
  ],
];

it.each(MUTANTS)('a program that %s is found out: %s', async (_what, kind, file, from, to) => {
  const command = mutantOf(kind.replaceAll(' ', '-'), file, from, to);
  const { violations } = await chaos(4, 20, { command, faults: ['starts'], settleSeconds: 20 });
  expect(violations[kind]).toBeGreaterThan(0);
});
