import { expect, it, vi } from 'vitest';
import { uniqueName, useLedger } from '../../support/ledger';
import { MIGRATING, NAMESPACES, PATIENTLY, TASK_QUEUE, useMovingCluster } from '../../support/moving/moving-cluster';
import { historiesOf, wrongWith } from '../../support/moving/moving-histories';
import { runCli } from '../../support/processes/child';
import { withCalls } from '../../support/temporal-calls';

/** So often each side runs it. */
const TIMES = 4;

const ledger = useLedger();
const { clients, environmentOf } = useMovingCluster();

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
      action: { type: 'startWorkflow', workflowType: 'naps', taskQueue: TASK_QUEUE, args: [0] },
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
    const trigger = runCli(['run'], environmentOf(ledger(), namespace));
    const done = async (move: () => Promise<{ schedules: { status: string; reason?: string }[] }>) =>
      vi.waitFor(
        async () => expect((await move()).schedules.map(({ reason }) => reason)).toEqual([undefined]),
        PATIENTLY,
      );
    await done(() => client.cutOver({ from: from('cutOver'), ...which }));
    const fired = () => ledger().query(`select 1 from escapement.firings where state = 'closed' and reason is null`);
    await vi.waitFor(async () => expect((await fired()).length).toBeGreaterThanOrEqual(TIMES), PATIENTLY);
    const since = Date.now();
    await done(() => client.rollBack({ from: from('rollBack'), ...which }));
    const handle = native.schedule.getHandle(scheduleId);
    await vi.waitFor(async () => {
      const { info } = await handle.describe();
      const later = info.recentActions.filter(({ scheduledAt }) => scheduledAt.getTime() > since);
      expect(later.length).toBeGreaterThanOrEqual(TIMES);
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
          startWorkflow: { workflowId: scheduleId, workflowType: { name: 'naps' }, taskQueue: { name: TASK_QUEUE } },
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
