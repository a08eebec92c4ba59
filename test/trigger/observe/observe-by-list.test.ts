import { describe, expect, inject, it } from 'vitest';
import type { ScheduleHandle } from '../../../index';
import { connectTemporal } from '../../../temporal/connection';
import type { TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import type { TriggerLimits } from '../../../trigger/limits';
import { Trigger } from '../../../trigger/trigger';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
// Other files' lists would use up what the server allows a namespace.
const worker = useWorker({ ownNamespace: true });

type List = () => ReturnType<TemporalPort['listStates']>;

/** A trigger of the real server that notes which of its calls look at chains. */
async function watchedTrigger(
  limits: Partial<TriggerLimits>,
  lists: (list: List) => ReturnType<List> = (list) => list(),
) {
  const calls: string[] = [];
  const trigger = await Trigger.createOn(
    {
      // However long the list lags behind, none of them counts as old.
      limits: { observeByListFrom: 1, stalledAfterMilliseconds: 24 * 3_600_000, ...limits },
      connectionString: ledger().databaseUrl,
      clock: ledger().clock,
      logger: ledger().log,
    },
    async (settings) => {
      const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
      const watched = new Proxy(port, {
        get: (target, name: keyof TemporalPort) => {
          const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
          if (!method) return undefined;
          return (...args: unknown[]) => {
            calls.push(name);
            return name === 'listStates'
              ? lists(() => target.listStates(...(args as [string, string[]])))
              : method.apply(target, args);
          };
        },
      });
      return oneServer(watched);
    },
  );
  ledger().beforeClose(() => trigger.close());
  return { trigger, calls };
}

interface Started {
  limits?: Partial<TriggerLimits>;
  lists?: (list: List) => ReturnType<List>;
  taskQueue?: string;
  /** A workflow type that the first has instead. */
  first?: string;
}

async function startMany(count: number, workflowType: string, { limits = {}, lists, first, ...changed }: Started = {}) {
  const { client, clock } = ledger();
  const { namespace } = worker();
  const { taskQueue = worker().taskQueue } = changed;
  const { trigger, calls } = await watchedTrigger(limits, lists);
  const handles: ScheduleHandle[] = [];
  for (let index = 0; index < count; index++) {
    const type = index === 0 ? (first ?? workflowType) : workflowType;
    const action = { type: 'startWorkflow', workflowType: type, taskQueue, args: [1] } as const;
    handles.push(await client.create(someSchedule({ namespace, action })));
  }
  await trigger.passes.claim();
  clock.set('2026-03-01T01:00:00Z');
  while ((await trigger.passes.claim()).more) {}
  while ((await trigger.passes.dispatch()).taken > 0) {}
  const outcomes = async () =>
    (await ledger().query<{ outcome: string }>('select distinct outcome from escapement.firings')).map(
      (row) => row.outcome,
    );
  const observeUntil = (outcome: string) =>
    expect
      .poll(async () => {
        clock.advance(2_000);
        await trigger.passes.observe();
        return outcomes();
      })
      .toEqual([outcome]);
  return { trigger, calls, observeUntil, first: handles[0]! };
}

it('how many firings ended is read from lists, not asked for each', async () => {
  const { calls, observeUntil } = await startMany(30, 'echoFiring');
  await observeUntil('completed');
  expect(calls).toContain('listStates');
  expect(calls.filter((call) => call === 'describeChain')).toEqual([]);
});

it('what did not complete is looked up, since a list shows runs and not chains', async () => {
  const { calls, observeUntil } = await startMany(25, 'alwaysFails');
  await observeUntil('failed');
  expect(calls).toContain('listStates');
  expect(calls.filter((call) => call === 'describeChain').length).toBeGreaterThanOrEqual(25);
});

it('while hardly any has ended a few are looked at, and more only when looks fall behind', async () => {
  const { trigger } = await startMany(12, 'untilFinished', { limits: { batchSize: 10 } });
  const { clock } = ledger();
  const looks = async () => {
    const { looked, more } = await trigger.passes.observe();
    return { looked, more };
  };
  clock.advance(1_000);
  expect(await looks()).toEqual({ looked: 2, more: false });
  expect(await looks()).toEqual({ looked: 2, more: false });
  clock.advance(60_001);
  expect(await looks()).toEqual({ looked: 2, more: true });
  expect(await looks()).toEqual({ looked: 4, more: true });
  // What was looked at at first is due again, but not behind.
  expect(await looks()).toEqual({ looked: 6, more: false });
});

describe('of many that run for long', () => {
  const old = { limits: { stalledAfterMilliseconds: 1 } };

  /** What a look asks for by itself. */
  async function asksOf({ trigger, calls }: Awaited<ReturnType<typeof startMany>>) {
    calls.length = 0;
    ledger().clock.advance(20_000);
    await trigger.passes.observe();
    return calls.filter((call) => call === 'describeChain').length;
  }

  /** Resolves to the workflow IDs once the list shows all their runs: what it does not show is asked for. */
  async function untilListed(runs = 30): Promise<string[]> {
    const rows = await ledger().query<{ workflow_id: string }>('select workflow_id from escapement.firings');
    const workflowIds = rows.map((row) => row.workflow_id);
    const query = `WorkflowId IN (${workflowIds.map((workflowId) => `'${workflowId}'`).join(', ')})`;
    await expect.poll(async () => (await worker().client.workflow.count(query)).count).toBe(runs);
    return workflowIds;
  }

  it('a look asks for few by themselves, and for each within five minutes', async () => {
    const started = await startMany(30, 'untilFinished', { ...old, taskQueue: uniqueName('nobody') });
    await untilListed();
    const known = async (condition: string) =>
      (await ledger().query(`select from escapement.firings where ${condition}`)).length;
    // What is known to get nowhere comes after the others, so that only its turn can tell that of all of them.
    await ledger().query(`update escapement.firings set stalled = 'forgotten'`);
    const asks: number[] = [];
    while (asks.length < 16) asks.push(await asksOf(started));
    expect(await known(`stalled = 'no_worker'`)).toBe(30);
    expect(Math.max(...asks)).toBeLessThan(20);
  });

  it('those come first that are not known to get nowhere', async () => {
    const started = await startMany(30, 'untilFinished', { ...old, taskQueue: uniqueName('nobody') });
    await untilListed();
    await ledger().query('update escapement.firings set stalled = null');
    for (let look = 0; look < 5; look++) await asksOf(started);
    expect(await ledger().query(`select from escapement.firings where stalled = 'no_worker'`)).toHaveLength(30);
  });

  it('all are asked for when the list turns out to stand still', async () => {
    let former: Awaited<ReturnType<List>>;
    const lists = async (read: List) => {
      former ??= await read();
      return former;
    };
    const started = await startMany(30, 'untilFinished', { ...old, lists });
    const executions = (await untilListed()).map((workflowId) => worker().client.workflow.getHandle(workflowId));
    await asksOf(started);
    expect(former).toHaveLength(30);
    await Promise.all(executions.map((execution) => execution.signal(finish)));
    await Promise.all(executions.map((execution) => execution.result()));
    expect(await asksOf(started)).toBe(30);
    expect(await ledger().query(`select from escapement.firings where state = 'closed'`)).toHaveLength(30);
  });

  /** Only its turn would tell of it, were it one of those that a list shows as running. */
  const comesLast = ({ scheduleId }: ScheduleHandle) =>
    ledger().query('update escapement.firings set stalled = $1 where schedule_id = $2', ['forgotten', scheduleId]);

  it.each([
    ['somebody waits for', (handle: ScheduleHandle) => handle.trigger('BUFFER_ONE')],
    [
      'Temporal was told to end',
      ({ scheduleId }: ScheduleHandle) =>
        ledger().query('update escapement.firings set interrupted_at = claimed_at where schedule_id = $1', [
          scheduleId,
        ]),
    ],
  ])('one that %s is asked for at each look', async (_, makeExpected) => {
    const started = await startMany(30, 'untilFinished', old);
    const { first } = started;
    await untilListed();
    const { workflowId } = (await ledger().firings(first.scheduleId))[0]!;
    const execution = worker().client.workflow.getHandle(workflowId!);
    // Until its worker has taken it, it gets nowhere.
    await expect.poll(async () => (await execution.describe()).historyLength).toBeGreaterThanOrEqual(4);
    await makeExpected(first);
    for (let look = 0; look < 3; look++) {
      await comesLast(first);
      await asksOf(started);
      expect(await ledger().firings(first.scheduleId)).toContainEqual(
        expect.objectContaining({ state: 'linked', stalled: null }),
      );
    }
  });

  it('a run that continued as new does not tell that its chain runs', async () => {
    let hidden: string | undefined;
    // The next run is not listed.
    const lists = async (read: List) =>
      (await read())?.filter(({ workflowId, closedAt, outcome }) => workflowId !== hidden || (closedAt && !outcome));
    const started = await startMany(30, 'untilFinished', { ...old, lists, first: 'continues' });
    const { first } = started;
    hidden = (await ledger().firings(first.scheduleId))[0]!.workflowId!;
    const { workflow } = worker().client;
    const ended = `WorkflowId = '${hidden}' and CloseTime is not null`;
    await expect.poll(async () => (await workflow.count(ended)).count).toBe(2);
    await untilListed(31);
    await comesLast(first);
    await asksOf(started);
    expect((await ledger().firings(first.scheduleId))[0]).toMatchObject({ state: 'closed', outcome: 'completed' });
  });
});
