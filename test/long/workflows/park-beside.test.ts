import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import type { BuryRequest } from '../../../core/letters/park';
import { proxyOf } from '../../support/connections/proxy';
import { eventTypes, Steps, useParking } from '../../support/failures/parking';
import { gate } from '../../support/leases/lease-activities';
import { uniqueName, useLedger } from '../../support/ledger';
import { sdkLog } from '../../support/quiet-sdk';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);
const WAYS = ['promises', 'conditions'];

interface Scene {
  park: string[];
  broken: string[];
  ways?: { mail?: string; charge?: string; looks?: boolean };
  /** The local activity that parks a step of this type, once the run is there. */
  burying: (activityType: string, bury: () => Promise<unknown>, run: Run) => Promise<unknown>;
  /** The workflow's own local activity, each time. */
  looking?: (run: Run) => Promise<void>;
}

interface Run {
  execution: WorkflowHandle;
  /** Lets the mail arrive. */
  mail: () => void;
}

/**
 * A run with a step beside another, on a worker whose Postgres is away. Its workflow task ends soon, so that a local
 * activity can outlast it.
 */
async function beside({ park, broken, ways, burying, looking }: Scene) {
  sdkLog().length = 0;
  const url = new URL(ledger().databaseUrl);
  const proxy = await proxyOf(url.host);
  url.host = proxy.address;
  const [taskQueue, elsewhere] = [uniqueName('queue'), uniqueName('queue')];
  const steps = new Steps();
  for (const type of broken) steps.broken.add(type);
  const run = gate<Run>();
  const mail = gate();
  const sendMail = async (order: string) => {
    if (!broken.includes('sendMail')) await mail.promise;
    return steps.activities.sendMail(order);
  };
  const inbound = {
    async execute(input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) {
      const { step } = input.args[0] as Partial<BuryRequest>;
      return step ? burying(step.activityType, () => next(input), await run.promise) : next(input);
    },
  };
  proxy.cut();
  await parking.work({
    taskQueue,
    activities: { ...steps.activities, sendMail, ...(looking ? { look: async () => looking(await run.promise) } : {}) },
    plugins: [parking.plugin({ connectionString: url.href, park })],
    interceptors: { activity: [() => ({ inbound })] },
  });
  const args = ['A1', elsewhere, ways];
  const execution = await parking.fire('beside', taskQueue, args, { workflowTaskTimeout: '3 seconds' });
  run.open({ execution, mail: mail.open });
  const end = async () => {
    steps.broken.clear();
    await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    const result = await execution.result();
    await parking.replay(execution, [parking.plugin()]);
    return result;
  };
  return { execution, proxy, steps, end };
}

/** Fails as it does, but with a pause after it that is so long that a timer takes its place. */
const failsForLong = (bury: () => Promise<unknown>) =>
  bury().catch(({ message }: Error) => {
    throw ApplicationFailure.create({ message, nextRetryDelay: '10100 ms' });
  });

/** Until the workflow has said this. */
const said = (message: string) => expect.poll(() => sdkLog().some((line) => line.message === message)).toBe(true);

const count = async ({ execution }: Pick<Run, 'execution'>, event: string) =>
  (await eventTypes(execution)).filter((type) => type === `${event}EventAttributes`).length;

const until = (run: Pick<Run, 'execution'>, event: string, times = 1) =>
  expect.poll(() => count(run, event)).toBeGreaterThanOrEqual(times);

it.each(WAYS)('a run replays that went on beside a step that Postgres kept from being parked: %s', async (way) => {
  const { execution, proxy, steps, end } = await beside({
    ...{ park: ['chargeCard'], broken: ['chargeCard'], ways: { mail: way } },
    async burying(_, bury, { mail }) {
      mail();
      await said('mailed');
      return failsForLong(bury);
    },
  });
  await until({ execution }, 'timerStarted');
  await parking.replay(execution, [parking.plugin()]);
  proxy.restore();
  await parking.letters(1);
  steps.broken.clear();
  await parking.decide(execution, { decision: 'redrive' });
  expect(await end()).toEqual(['chargeCard A1', 'sendMail A1']);
});

it.each(WAYS)(
  'a run replays that went on beside a step before it heard that this one is not parked: %s',
  async (way) => {
    const { execution, end } = await beside({
      ...{ park: ['sendMail'], broken: ['chargeCard'], ways: { mail: way } },
      async burying(_, bury, { mail }) {
        mail();
        await said('mailed');
        return bury();
      },
    });
    await until({ execution }, 'activityTaskScheduled', 4);
    await parking.replay(execution, [parking.plugin()]);
    expect(await end()).toEqual(['chargeCard A1', 'sendMail A1']);
  },
);

it('a run replays that heard of one step after the other whether it is parked', async () => {
  const both = gate();
  const { execution, proxy, end } = await beside({
    ...{ park: ['sendMail'], broken: ['chargeCard', 'sendMail'], ways: { charge: 'promises' } },
    async burying(activityType, bury, run) {
      if (activityType === 'sendMail') {
        both.open();
        await said('not charged');
        return failsForLong(bury);
      }
      await both.promise;
      const tasks = await count(run, 'workflowTaskStarted');
      await until(run, 'workflowTaskStarted', tasks + 1);
      return bury();
    },
  });
  await until({ execution }, 'timerStarted');
  await parking.replay(execution, [parking.plugin()]);
  proxy.restore();
  await parking.letters(1);
  await parking.decide(execution, { decision: 'discard' });
  expect(await end()).toEqual(['chargeCard A1', 'sendMail A1']);
});

it('a run replays that was cancelled while it parked one step and another one ran', async () => {
  const { execution, end } = await beside({
    ...{ park: ['chargeCard'], broken: ['chargeCard'] },
    async burying(_, bury, run) {
      await run.execution.cancel();
      await until(run, 'activityTaskCancelRequested');
      run.mail();
      return bury();
    },
  });
  await until({ execution }, 'activityTaskScheduled', 4);
  await parking.replay(execution, [parking.plugin()]);
  expect(await end()).toEqual(['chargeCard A1', 'sendMail A1']);
});

describe('a run replays with a local activity of its own beside a step', () => {
  const ALL = ['chargeCard A1', 'sendMail A1', 'look A1'];
  const FIRST = { bury: 'not charged', look: 'looked', 'look again': 'looked twice' };

  it.each([
    [['bury', 'look', 'look again']],
    [['look', 'bury', 'look again']],
    [['look', 'look again', 'bury']],
  ] as const)('that is not parked: %j', async (order: readonly (keyof typeof FIRST)[]) => {
    const inTurn = async (what: keyof typeof FIRST) => {
      const before = order[order.indexOf(what) - 1];
      if (before) await said(FIRST[before]);
    };
    let looks = 0;
    const { execution, end } = await beside({
      ...{ park: ['sendMail'], broken: ['chargeCard'], ways: { looks: true } },
      async burying(_, bury, { mail }) {
        await inTurn('bury');
        const answer = bury();
        mail();
        return answer;
      },
      async looking() {
        looks += 1;
        await inTurn(looks === 1 ? 'look' : 'look again');
      },
    });
    await until({ execution }, 'activityTaskScheduled', 5);
    await parking.replay(execution, [parking.plugin()]);
    expect(await end()).toEqual(ALL);
  });

  it('while both wait for so long that timers take their places', async () => {
    const failed = gate();
    let looks = 0;
    const { execution, proxy, steps, end } = await beside({
      ...{ park: ['chargeCard'], broken: ['chargeCard'], ways: { looks: true } },
      async burying(_, bury, run) {
        run.mail();
        return failsForLong(bury).finally(failed.open);
      },
      async looking(run) {
        looks += 1;
        if (looks > 1) return;
        await failed.promise;
        // The other failure has reached the workflow before this one does.
        await count(run, 'workflowTaskStarted');
        throw ApplicationFailure.create({ message: 'not seen', nextRetryDelay: '10100 ms' });
      },
    });
    await until({ execution }, 'timerStarted', 2);
    await parking.replay(execution, [parking.plugin()]);
    proxy.restore();
    await parking.letters(1);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await end()).toEqual(ALL);
  });

  it('that is parked while another step ends', async () => {
    const { execution, proxy, steps, end } = await beside({
      ...{ park: ['chargeCard'], broken: ['chargeCard'], ways: { mail: 'promises', looks: true } },
      async burying(_, bury, { mail }) {
        mail();
        await said('looked twice');
        return bury();
      },
      async looking() {
        await said('mailed');
      },
    });
    await until({ execution }, 'activityTaskScheduled', 4);
    await parking.replay(execution, [parking.plugin()]);
    proxy.restore();
    await parking.letters(1);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await end()).toEqual(ALL);
  });

  it('that is cancelled', async () => {
    const { execution, end } = await beside({
      ...{ park: ['chargeCard'], broken: ['chargeCard', 'sendMail'], ways: { looks: true } },
      async burying(activityType, bury, run) {
        if (activityType === 'sendMail') return bury();
        await until(run, 'activityTaskScheduled', 3);
        await run.execution.cancel();
        await said('looked twice');
        return bury();
      },
      async looking() {
        await said('not charged');
      },
    });
    await until({ execution }, 'activityTaskScheduled', 5);
    await parking.replay(execution, [parking.plugin()]);
    expect(await end()).toEqual(ALL);
  });
});
