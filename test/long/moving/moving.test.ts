import { expect, it, vi } from 'vitest';
import { uniqueName, useLedger } from '../../support/ledger';
import { fiftyNative } from '../../support/moving/fifty-native';
import { NAMESPACES, PATIENTLY, TASK_QUEUE, useMovingCluster } from '../../support/moving/moving-cluster';
import { historiesOf, wrongWith } from '../../support/moving/moving-histories';
import { runCli, type TestProcess } from '../../support/processes/child';
import { withCalls } from '../../support/temporal-calls';

const ROUNDS = 2;
const KILLS = 2;
/** An overloaded server may refuse a command. The command reports it, and is called again. */
const CALLS_AT_MOST = 20;
/** Number of times that each side runs each schedule in each round. */
const TIMES = 2;

const ledger = useLedger();
const { clients, environmentOf } = useMovingCluster();
const environment = () => environmentOf(ledger(), 'old');

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
    // The only allowed problem is an overloaded server.
    for (const reason of refused) expect(reason).toMatch(/^Temporal says: |has not acted on the (un)?pause/);
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
    const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue: TASK_QUEUE, args: [0] };
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
        `select schedule_id from escapement.firings where state = 'closed' and kind = 'schedule' and scheduled_time > $1
         group by 1 having count(*) >= $2`,
        [fresh, TIMES],
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
        const later = info.recentActions.filter(({ scheduledAt }) => scheduledAt.getTime() > since);
        expect(later.length).toBeGreaterThanOrEqual(TIMES);
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
    const problems = wrongWith(one, ran, {
      rounds: ROUNDS,
      answer: (second) => answers.get(second),
      skippedThere: info.numActionsSkippedOverlap,
      wentBack: wentBack.get(scheduleId) ?? [],
    });
    if (problems.length === 0) continue;
    const gaps = await ledger().query(
      `select from_time, to_time, count, reason, recorded_at from escapement.gaps where schedule_id = $1 order by 1`,
      [scheduleId],
    );
    wrong.push(
      ...problems,
      `gaps of ${scheduleId}: ${JSON.stringify(gaps)}; went back at ${(wentBack.get(scheduleId) ?? []).map((at) => new Date(at * 1_000).toISOString())}`,
    );
  }
  expect(wrong).toEqual([]);
});

it('takes all that is due since a pause that landed late: the call that had sent it was killed', {
  timeout: 300_000,
}, async () => {
  // While it is paused, the second scheduler still lists future times, so its position does not show when it stopped.
  const namespace = 'new';
  const native = clients.get(namespace)!;
  const scheduleId = uniqueName('late');
  await native.schedule.create({
    ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, policies: { overlap: 'ALLOW_ALL' as never } },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue: TASK_QUEUE, args: [0] },
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
        await expect.poll(() => Date.now() - landedAt, { timeout: 60_000 }).toBeGreaterThan(5_000);
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
