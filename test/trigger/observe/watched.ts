import { expect, inject } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import type { TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import type { TriggerLimits } from '../../../trigger/limits';
import { Trigger } from '../../../trigger/trigger';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

export type List = () => ReturnType<TemporalPort['listEnds']>;

export type Describe = () => ReturnType<TemporalPort['describeChain']>;
export type Start = () => ReturnType<TemporalPort['startWorkflow']>;

export interface Started {
  limits?: Partial<TriggerLimits>;
  lists?: (list: List) => ReturnType<List>;
  describes?: (describe: Describe) => ReturnType<Describe>;
  starts?: (start: Start) => ReturnType<Start>;
}

export const asked = (calls: string[]) => calls.filter((call) => call === 'describeChain').length;

/** Triggers whose questions to Temporal a test watches. */
export function useWatchedLists() {
  // The server lists by its own clock what has ended.
  const ledger = useLedger(new Date().toISOString());

  // Other files' lists would use up what the server allows a namespace.
  const worker = useWorker({ ownNamespace: true });

  /** A trigger of the real server that notes its calls. */
  async function watchedTrigger(
    limits: Partial<TriggerLimits> = {},
    {
      lists = (list) => list(),
      describes = (describe) => describe(),
      starts = (start) => start(),
    }: Pick<Started, 'lists' | 'describes' | 'starts'> = {},
  ) {
    const calls: string[] = [];
    const trigger = await Trigger.createOn(
      { limits, connectionString: ledger().databaseUrl, clock: ledger().clock, logger: ledger().log },
      async (settings) => {
        const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
        const watched = new Proxy(port, {
          get: (target, name: keyof TemporalPort) => {
            const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
            if (!method) return undefined;
            return (...args: unknown[]) => {
              calls.push(name);
              const call = () => method.apply(target, args);
              if (name === 'listEnds') return lists(call as List);
              if (name === 'startWorkflow') return starts(call as Start);
              return name === 'describeChain' ? describes(call as Describe) : call();
            };
          },
        });
        return oneServer(watched);
      },
    );
    ledger().beforeClose(() => trigger.close());
    return { trigger, calls };
  }

  /** So many schedules, each with one firing that was linked. */
  async function startMany(count: number, workflowType: string, { limits, ...through }: Started = {}) {
    const { client, clock } = ledger();
    const { namespace, taskQueue } = worker();
    clock.set(new Date().toISOString());
    const { trigger, calls } = await watchedTrigger(limits, through);
    for (let index = 0; index < count; index++) {
      const action = { type: 'startWorkflow', workflowType, taskQueue, args: [1] } as const;
      const handle = await client.create(someSchedule({ namespace, action, spec: { cron: '0 0 29 2 *' } }));
      await handle.trigger();
    }
    while ((await trigger.passes.claim()).more) {}
    while ((await trigger.passes.dispatch()).taken > 0) {}
    const rows = () =>
      ledger().query<{ state: string; outcome: string | null; check_in: number; workflow_id: string }>(
        `select state, outcome, workflow_id, extract(epoch from check_at - linked_at)::float8 as check_in from escapement.firings
         order by scheduled_time`,
      );
    const observe = async (milliseconds = 1_000) => {
      clock.advance(milliseconds);
      return trigger.passes.observe();
    };
    /** Pass after pass, by the server's clock. */
    const observeUntil = (outcome: string) =>
      expect
        .poll(
          async () => {
            clock.set(new Date().toISOString());
            await trigger.passes.observe();
            return [...new Set((await rows()).map((row) => row.outcome))];
          },
          { interval: 50 },
        )
        .toEqual([outcome]);
    const executions = async () =>
      (await rows()).map(({ workflow_id }) => worker().client.workflow.getHandle(workflow_id));
    return { trigger, calls, rows, observe, observeUntil, executions };
  }

  /** The list lags behind what the server answers to a signal. */
  const untilListed = (query: string, runs: number) =>
    expect.poll(async () => (await worker().client.workflow.count(query)).count).toBe(runs);

  return { ledger, worker, watchedTrigger, startMany, untilListed };
}
