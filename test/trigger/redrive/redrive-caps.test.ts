import { ApplicationFailure } from '@temporalio/common';
import { beforeAll, expect, it } from 'vitest';
import type { Trigger, TriggerOptions } from '../../../trigger';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';
import type { Steps } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const deployments = useDeployments();
const LETTERS = 3;
/** One may go at once, the next one after an hour. */
const CAP = 1 / 3_600;

const steps: Steps = {
  pack: async () => 'parcel',
  mail: async () => {},
  chargeCard: async () => {
    throw ApplicationFailure.create({ type: 'CardDeclined', message: 'no money' });
  },
};

const capped: [string, () => TriggerOptions['maxStartsPerSecond']][] = [
  ['a namespace', () => ({ namespaces: { default: CAP } })],
  ['a task queue', () => ({ taskQueues: { [deployments().taskQueue]: CAP } })],
];

beforeAll(() => deployments().deploy(steps));

/** So many schedules, each with the letter of a workflow that failed. */
async function failed(): Promise<void> {
  const { taskQueue, client } = deployments();
  const action = { type: 'startWorkflow', workflowType: 'fulfils', taskQueue } as const;
  for (let count = 0; count < LETTERS; count++) await ledger().client.create(someSchedule({ action }));
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  for await (const { workflowId } of ledger().client.firings({ state: 'linked' })) {
    await expect(client.workflow.getHandle(workflowId!).result()).rejects.toThrow();
  }
  ledger().clock.advance(1_000);
  expect(await trigger.passes.observe()).toMatchObject({ closed: LETTERS });
}

/** Looks for redrives until each has had its turn, and what they did together. */
async function looks(trigger: Trigger) {
  const sum = { restarted: 0, resumed: 0 };
  for (let look = 0; look < 3; look++) {
    ledger().clock.advance(2_001);
    const { restarted, resumed } = await trigger.passes.redrive();
    sum.restarted += restarted;
    sum.resumed += resumed;
  }
  return sum;
}

it.each(capped)('many that are taken up again stay under the cap of %s, and none is lost', async (_, caps) => {
  await failed();
  await ledger().client.deadLetters.redriveAll({ state: 'open' }, { mode: 'resume' });
  expect(await looks(await ledger().trigger({ maxStartsPerSecond: caps() }))).toMatchObject({ resumed: 1 });
  expect(await looks(await ledger().trigger())).toMatchObject({ resumed: LETTERS - 1 });
});

it.each(capped)('many that are started again stay under the cap of %s, and none is lost', async (_, caps) => {
  await failed();
  await ledger().client.deadLetters.redriveAll({ state: 'open' }, { mode: 'restart' });
  const trigger = await ledger().trigger({ maxStartsPerSecond: caps() });
  expect(await looks(trigger)).toMatchObject({ restarted: LETTERS });
  const linked = async ({ passes }: Trigger) => (await passes.dispatch()).linked;
  expect([await linked(trigger), await linked(trigger)]).toEqual([1, 0]);
  expect(await linked(await ledger().trigger())).toBe(LETTERS - 1);
});
