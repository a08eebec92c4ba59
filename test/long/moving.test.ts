import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type ProvidedTemporalCluster, provideTemporalCluster } from '../../provision';
import { bundleOf } from '../support/bundles';
import { runCli, type TestProcess } from '../support/child';
import { fiftyNative } from '../support/fifty-native';
import { uniqueName, useLedger } from '../support/ledger';
import { historiesOf, wrongWith } from '../support/moving-histories';
import { quietSdk } from '../support/quiet-sdk';
import { withCalls } from '../support/temporal-calls';

/** `old` runs the server's first scheduler, `new` its second one. */
const NAMESPACES = ['old', 'new'] as const;
/** Its schedules begin with the first scheduler, and the server takes them to the second one when it is told to. */
const MIGRATING = 'migrating';
const ROUNDS = 2;
const KILLS = 2;
/** On an overloaded server a command may be refused; it says so, and is called again. */
const CALLS_AT_MOST = 20;
const PATIENTLY = { timeout: 300_000 };

const ledger = useLedger();
let server: ProvidedTemporalCluster;
let connection: Connection;
const clients = new Map<string, Client>();
const stops: (() => Promise<void>)[] = [];
const taskQueue = 'moving';

beforeAll(async () => {
  quietSdk();
  const of = (value: (namespace: string) => unknown) =>
    [...NAMESPACES, MIGRATING].map((namespace) => ({ namespace, value: value(namespace) as never }));
  server = await provideTemporalCluster({
    databaseUrl: inject('databaseUrl'),
    namespaces: [...NAMESPACES, MIGRATING],
    dynamicConfig: {
      'history.enableCHASMSchedulerCreation': of((namespace) => namespace !== 'old'),
      // What keeps an ID for the other scheduler would keep a schedule from being taken there for a quarter of an hour.
      'history.enableCHASMSchedulerSentinels': of((namespace) => namespace !== MIGRATING),
      'history.chasmSchedulerCreationRolloutPercent': of((namespace) => (namespace === 'new' ? 100 : 0)),
    },
  });
  const { address } = server;
  connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  for (const namespace of [...NAMESPACES, MIGRATING]) {
    clients.set(namespace, new Client({ connection, namespace }));
    const workflowBundle = await bundleOf(require.resolve('../support/workflows.ts'));
    const worker = await Worker.create({ connection: native, namespace, taskQueue, workflowBundle });
    const running = worker.run();
    stops.unshift(async () => {
      worker.shutdown();
      await running;
    });
  }
  stops.push(() => native.close());
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await connection?.close();
  await server?.stop();
});

const environment = () => ({
  DATABASE_URL: ledger().databaseUrl,
  TEMPORAL_ADDRESS: server.address,
  TEMPORAL_NAMESPACE: 'old',
});

async function count(where: string): Promise<number> {
  const [row] = await ledger().query<{ count: number }>(`select count(*)::int from escapement.moves where ${where}`);
  return row!.count;
}

/** Run a command; kill it in the middle a few times, by what the ledger says of how far it is. All that it printed in the end. */
async function killed(args: string[], isDone: string, total: number): Promise<Record<string, unknown>[]> {
  const printed: Record<string, unknown>[] = [];
  const read = ({ output }: TestProcess) =>
    output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await count(isDone);
    const enough = before + Math.ceil(Math.random() * Math.max(1, (total - before) / 2));
    const child = runCli([...args, '--json'], environment());
    const dead = child.ended();
    const isEnough = async () => expect(await count(isDone)).toBeGreaterThanOrEqual(enough);
    await Promise.race([dead, vi.waitFor(isEnough, PATIENTLY)]);
    child.kill('SIGKILL');
    await dead;
  }
  for (let call = 0; call < CALLS_AT_MOST; call++) {
    const last = runCli([...args, '--json'], environment());
    await last.ended();
    printed.push(...read(last));
    const refused = read(last).flatMap(({ reason }) => reason ?? []);
    if (refused.length === 0) break;
    // Nothing but that the server has too much to do.
    for (const reason of refused) expect(reason).toMatch(/^Temporal says: |has not come to its (un)?pause/);
  }
  expect(await count(isDone), args.join(' ')).toBe(total);
  return printed;
}

it('fifty native schedules, of the old scheduler and the new, run each time once through two moves and back, with kill -9', {
  timeout: 1_800_000,
}, async () => {
  const cases = fiftyNative(NAMESPACES);
  const live = cases.filter(({ options }) => !options.state?.paused);
  for (const { scheduleId, namespace, options } of cases) {
    const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue, args: [0] };
    await clients.get(namespace)!.schedule.create({ scheduleId, action, ...options });
  }
  for (const namespace of NAMESPACES) {
    const listed = async () => {
      const ids: string[] = [];
      for await (const one of clients.get(namespace)!.schedule.list()) ids.push(one.scheduleId);
      return ids;
    };
    // Temporal's visibility may be late.
    await vi.waitFor(async () => expect(await listed()).toHaveLength(cases.length / 2), PATIENTLY);
  }
  const startTrigger = async () => {
    const trigger = runCli(['run'], environment());
    await trigger.line(/trigger running/);
    return trigger;
  };
  let trigger = await startTrigger();
  await killed(['import', '--namespace', 'old', '--namespace', 'new', '--shadow'], `state = 'imported'`, cases.length);
  const shadows = () => ledger().query(`select distinct schedule_id from escapement.firings where reason = 'shadow'`);
  await vi.waitFor(async () => expect(await shadows()).toHaveLength(live.length), PATIENTLY);
  expect(await ledger().query(`select 1 from escapement.firings where state <> 'skipped'`)).toEqual([]);

  const wentBack = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    await killed(['cut-over', '--all', '--take-buffer'], `state = 'cut_over'`, cases.length);
    trigger.kill('SIGKILL');
    await trigger.ended();
    trigger = await startTrigger();
    const fresh = new Date();
    const fired = () =>
      ledger().query(
        `select distinct schedule_id from escapement.firings where state = 'closed' and kind = 'schedule' and scheduled_time > $1`,
        [fresh],
      );
    await vi.waitFor(async () => expect(await fired()).toHaveLength(live.length), PATIENTLY);
    const back = await killed(['roll-back', '--all'], `state = 'imported'`, cases.length);
    for (const { scheduleId, from } of back as { scheduleId: string; from?: string }[]) {
      if (from) wentBack.set(scheduleId, [...(wentBack.get(scheduleId) ?? []), Date.parse(from) / 1_000]);
    }
    const since = Date.now();
    for (const { scheduleId, namespace } of live) {
      await vi.waitFor(async () => {
        const { info } = await clients.get(namespace)!.schedule.getHandle(scheduleId).describe();
        expect(info.recentActions.at(-1)?.scheduledAt.getTime()).toBeGreaterThan(since);
      }, PATIENTLY);
    }
  }
  for (const { scheduleId, namespace } of cases)
    await clients.get(namespace)!.schedule.getHandle(scheduleId).pause('over');
  const open = () => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
  await vi.waitFor(async () => expect(await open()).toEqual([]), PATIENTLY);
  trigger.kill('SIGTERM');
  await trigger.ended();

  const wrong: string[] = [];
  for (const one of cases) {
    const { scheduleId, namespace } = one;
    const client = clients.get(namespace)!;
    const ran = await historiesOf(client, one);
    const { info } = await client.schedule.getHandle(scheduleId).describe();
    const rows = await ledger().query<{ second: number; reason: string }>(
      `select extract(epoch from scheduled_time)::float8 as second, reason from escapement.firings
       where schedule_id = $1 and state = 'skipped' and reason not in ('shadow', 'native')`,
      [scheduleId],
    );
    const answers = new Map(rows.map(({ second, reason }) => [second, reason]));
    wrong.push(
      ...wrongWith(one, ran, {
        rounds: ROUNDS,
        answer: (second) => answers.get(second),
        skippedThere: info.numActionsSkippedOverlap,
        wentBack: wentBack.get(scheduleId) ?? [],
      }),
    );
  }
  expect(wrong).toEqual([]);
});

it('takes all that is due since a pause that landed late: the call that had sent it was killed', {
  timeout: 300_000,
}, async () => {
  // While it is paused the second scheduler goes on to name times to come: where it stands says nothing of when it stopped.
  const namespace = 'new';
  const native = clients.get(namespace)!;
  const scheduleId = uniqueName('late');
  await native.schedule.create({
    ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, policies: { overlap: 'ALLOW_ALL' as never } },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [0] },
  });
  const client = ledger().newClient({ now: undefined as never, namespace });
  await vi.waitFor(async () => {
    await client.importSchedules({ from: native, query: `ScheduleId = '${scheduleId}'` });
    await client.getHandle(scheduleId).describe();
  }, PATIENTLY);
  const which = { scheduleIds: [scheduleId] };
  let land: (() => Promise<unknown>) | undefined;
  const killed = withCalls(native, {
    patchSchedule: (request, real) => {
      land = () => real(request);
      return Promise.reject(new Error('killed'));
    },
  });
  await expect(client.cutOver({ from: killed, ...which })).rejects.toThrow('killed');
  let describes = 0;
  const late = withCalls(native, {
    describeSchedule: async (request, real) => {
      describes += 1;
      if (describes === 2) {
        await land!();
        const landedAt = Date.now();
        await expect.poll(() => Date.now() - landedAt, { timeout: 20_000 }).toBeGreaterThan(5_000);
      }
      return real(request);
    },
  });
  expect((await client.cutOver({ from: late, ...which })).schedules).toMatchObject([{ status: 'moved' }]);
  const trigger = runCli(['run'], environment());
  const fired = () => ledger().query(`select 1 from escapement.firings where state = 'closed'`);
  await vi.waitFor(async () => expect((await fired()).length).toBeGreaterThanOrEqual(8), PATIENTLY);
  await client.getHandle(scheduleId).pause();
  const open = () => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
  await vi.waitFor(async () => expect(await open()).toEqual([]), PATIENTLY);
  trigger.kill('SIGTERM');
  await trigger.ended();
  const one = { scheduleId, namespace, every: 2, offset: 0, policy: 'ALLOW_ALL', options: { spec: {} } };
  const about = { rounds: 0, answer: () => undefined, skippedThere: 0, wentBack: [] };
  expect(wrongWith(one, await historiesOf(native, one), about)).toEqual([]);
});

type Step = 'import' | 'cutOver' | 'rollBack';

it.each<[Step, string, 'before' | 'behind']>([
  ['import', 'describeSchedule', 'behind'],
  ['cutOver', 'patchSchedule', 'before'],
  ['cutOver', 'patchSchedule', 'behind'],
  ['rollBack', 'patchSchedule', 'before'],
  ['rollBack', 'patchSchedule', 'behind'],
])(
  'runs each time once where the server takes a schedule to its new scheduler during %s, %s, %s',
  {
    timeout: 300_000,
  },
  async (step, call, when) => {
    const namespace = MIGRATING;
    const native = clients.get(namespace)!;
    const scheduleId = uniqueName('taken');
    const every = 2;
    await native.schedule.create({
      ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, policies: { overlap: 'ALLOW_ALL' as never } },
      action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [0] },
    });
    const old = native.workflow.getHandle(`temporal-sys-scheduler:${scheduleId}`);
    let isTaken = false;
    const take = async () => {
      if (isTaken) return;
      isTaken = true;
      await old.signal('migrate-to-chasm');
      await vi.waitFor(async () => expect((await old.describe()).status.name).toBe('COMPLETED'), PATIENTLY);
    };
    const taking = withCalls(native, {
      [call]: async (request: unknown, real: (request: unknown) => Promise<unknown>) => {
        if (when === 'before') await take();
        const answer = await real(request);
        if (when === 'behind') await take();
        return answer;
      },
    } as never);
    const from = (one: Step) => (one === step ? taking : native);
    const which = { scheduleIds: [scheduleId] };
    const client = ledger().newClient({ now: undefined as never, namespace });
    await vi.waitFor(async () => {
      const { schedules } = await client.importSchedules({
        from: from('import'),
        query: `ScheduleId = '${scheduleId}'`,
      });
      expect(schedules.map(({ scheduleId, reason }) => [scheduleId, reason])).toEqual([[scheduleId, undefined]]);
    }, PATIENTLY);
    const trigger = runCli(['run'], { ...environment(), TEMPORAL_NAMESPACE: namespace });
    const done = async (move: () => Promise<{ schedules: { status: string; reason?: string }[] }>) =>
      vi.waitFor(
        async () => expect((await move()).schedules.map(({ reason }) => reason)).toEqual([undefined]),
        PATIENTLY,
      );
    await done(() => client.cutOver({ from: from('cutOver'), ...which }));
    const fired = () => ledger().query(`select 1 from escapement.firings where state = 'closed' and reason is null`);
    await vi.waitFor(async () => expect((await fired()).length).toBeGreaterThanOrEqual(3), PATIENTLY);
    const since = Date.now();
    await done(() => client.rollBack({ from: from('rollBack'), ...which }));
    const handle = native.schedule.getHandle(scheduleId);
    await vi.waitFor(async () => {
      const { info } = await handle.describe();
      expect(info.recentActions.at(-1)?.scheduledAt.getTime()).toBeGreaterThan(since + 4_000);
    }, PATIENTLY);
    await handle.pause('over');
    const open = () => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
    await vi.waitFor(async () => expect(await open()).toEqual([]), PATIENTLY);
    trigger.kill('SIGTERM');
    await trigger.ended();
    expect(isTaken).toBe(true);
    const one = { scheduleId, namespace, every, offset: 0, policy: 'ALLOW_ALL', options: { spec: {} } };
    const about = { rounds: 1, answer: () => undefined, skippedThere: 0, wentBack: [] };
    expect(wrongWith(one, await historiesOf(native, one), about)).toEqual([]);
  },
);

it('takes the catch-up window that is in force in the scheduler that runs a schedule', async () => {
  const windows: Record<string, number> = {};
  for (const namespace of NAMESPACES) {
    const native = clients.get(namespace)!;
    const scheduleId = uniqueName('window');
    await native.workflowService.createSchedule({
      ...{ namespace, scheduleId, requestId: scheduleId },
      schedule: {
        spec: { cronString: ['0 2 * * *'] },
        action: {
          startWorkflow: { workflowId: scheduleId, workflowType: { name: 'naps' }, taskQueue: { name: taskQueue } },
        },
        policies: { catchupWindow: { seconds: 0 as never } },
      },
    });
    const client = ledger().newClient({ now: undefined as never, namespace });
    await vi.waitFor(async () => {
      await client.importSchedules({ from: native, query: `ScheduleId = '${scheduleId}'` });
      windows[namespace] = (await client.getHandle(scheduleId).describe()).policies.catchupWindow;
    }, PATIENTLY);
  }
  expect(windows).toEqual({ old: 10_000, new: 365 * 86_400_000 });
});
