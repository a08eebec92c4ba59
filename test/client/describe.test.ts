import { expect, it } from 'vitest';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

function nodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

it('describe says what a schedule did by Temporal’s names: recent, running, taken, missed and skipped actions', async () => {
  const { client, clock } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: worker().taskQueue };
  const policies = { overlap: 'SKIP' as const, catchupLimit: 1, catchupWindow: '1 hour' as const };
  const handle = await client.create(someSchedule({ action, policies }));
  const trigger = await ledger().trigger();
  for (const time of ['01:00', '02:00', '02:10']) {
    clock.set(`2026-03-01T${time}:00Z`);
    if (time === '02:10') await handle.trigger();
    await trigger.passes.claim();
    await trigger.passes.verify();
    await trigger.passes.dispatch();
  }
  clock.set('2026-03-01T06:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.verify();

  const { info } = await handle.describe();
  const [scheduled, manual] = (await ledger().firings(handle.scheduleId))
    .filter(({ runId }) => runId)
    .reverse()
    .map(({ scheduledTime, linkedAt, workflowId, runId }) => ({
      scheduledAt: scheduledTime,
      takenAt: linkedAt,
      action: { type: 'startWorkflow', workflow: { workflowId, firstExecutionRunId: runId } },
    }));
  expect(info).toMatchObject({
    recentActions: [scheduled, manual],
    runningActions: [scheduled!.action, manual!.action],
    numActionsTaken: 2,
    // 03:00 to 05:00: one of them within the window, and over the limit.
    numActionsMissedCatchupWindow: 3,
    numActionsSkippedOverlap: 2,
    createdAt: new Date('2026-03-01T00:30:00Z'),
    lastUpdatedAt: undefined,
    countedFrom: new Date('2026-03-01T00:30:00Z'),
  });
  expect(info.nextActionTimes).toHaveLength(10);
  const { schedules } = await client.listPage();
  expect(schedules[0]!.info).toMatchObject({
    recentActions: [scheduled, manual],
    nextActionTimes: info.nextActionTimes.slice(0, 5),
  });
  for (const workflowId of [scheduled!, manual!].map(({ action }) => action.workflow.workflowId)) {
    await worker().client.workflow.getHandle(workflowId!).signal('finish');
  }
});

it('counts begin again with a schedule that is created again under its name', async () => {
  const { client, clock } = ledger();
  const options = someSchedule({
    action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: 'nobody-polls' },
  });
  const handle = await client.create(options);
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  expect((await handle.describe()).info.numActionsTaken).toBe(1);
  await handle.delete();
  clock.set('2026-03-01T01:30:00Z');
  await client.create(options);
  expect((await handle.describe()).info).toMatchObject({ numActionsTaken: 0, recentActions: [] });
});

it('no more next times are promised than actions remain', async () => {
  const handle = await ledger().client.create(someSchedule({ state: { remainingActions: 2 } }));
  expect((await handle.describe()).info.nextActionTimes).toHaveLength(2);
});

it('describe of a schedule with hundreds of thousands of firings reads no more than the newest 10,000', async () => {
  const { sql, client } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  for (const month of ['2025-12-01', '2026-01-01', '2026-02-01']) {
    await sql.query(`select escapement.ensure_partition('${month}T00:00Z')`);
  }
  await sql.query(`update escapement.schedules set created_at = '2025-12-01T00:00Z'`);
  await sql.query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
      workflow_id, run_id, claimed_at, linked_at, closed_at)
    select $1, t, 'closed', 'completed', 'schedule', 'default', 1, 'w', 'r', t, t, t
    from generate_series('2025-12-08T00:00Z'::timestamptz, '2026-02-28T23:59:36Z', '24 seconds') t`,
    [scheduleId],
  );
  await sql.query('vacuum analyze escapement.firings');
  const statements = new Map<string, unknown[]>();
  const pool = watchedPool(ledger(), { before: (text, values) => statements.set(text, values) });
  const { info } = await ledger().newClient({ connectionString: undefined, pool }).getHandle(scheduleId).describe();
  expect(info.numActionsTaken).toBe(10_000);
  expect(info.countedFrom).toEqual(new Date('2026-02-26T05:20:00Z'));

  const [text, values] = [...statements].find(([statement]) => statement.includes('newest'))!;
  const { rows } = await sql.query(`explain (analyze, format json) ${text}`, values);
  for (const node of nodes(rows[0]['QUERY PLAN'][0].Plan)) {
    expect(node['Actual Rows'] * node['Actual Loops'], JSON.stringify(node['Node Type'])).toBeLessThanOrEqual(10_000);
    expect(node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('firings')).toBeFalsy();
  }
});
