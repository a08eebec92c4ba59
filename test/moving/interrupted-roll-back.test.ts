import { msToTs } from '@temporalio/common/lib/time';
import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOUR = 3_600_000;

/** A schedule whose roll back ended just after it had unpaused native, and the three times that were due since. */
async function interrupted() {
  // Native's next time is half an hour away, so that it does not come up during the test.
  const next = Math.floor(Date.now() / 1_000) * 1_000 + HOUR / 2;
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h', offset: `${(next % HOUR) / 1_000}s` }] },
  });
  const client = await imported(scheduleId);
  const times = [3, 2, 1].map((hours) => new Date(next - hours * HOUR));
  const first = times[0]!.getTime();
  const evidence = { answeredTo: first - 1, remainingActions: null, unpausedAt: first - 120_000 };
  await ledger().query(`update escapement.moves set state = 'rolling_back', evidence = $1`, [evidence]);
  const backfill = `escapement schedule backfill ${scheduleId}`;
  return {
    times,
    handle: client.getHandle(scheduleId),
    rollBack: (from = worker().client) => client.rollBack({ from, scheduleIds: [scheduleId] }),
    idOf: (time: Date) => `${scheduleId}-workflow-${time.toISOString().replace('.000', '')}`,
    noteOf: (count: number, from: Date, to: Date) =>
      `${count} times may have run in Temporal, which may have forgotten it, so they do not run here: \`${backfill} --start ${from.toISOString()} --end ${to.toISOString()} --refire\` runs them`,
  };
}

it('a repeated roll back finds what native has run also if the workflow ID was changed here', async () => {
  const { times, handle, rollBack, idOf } = await interrupted();
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowId: 'other' } }));
  const { client, taskQueue } = worker();
  await client.workflow.execute('naps', { workflowId: idOf(times[1]!), taskQueue, args: [0] });
  expect((await rollBack()).schedules).toMatchObject([{ status: 'moved', taken: [times[0]] }]);
});

it('a repeated roll back runs nothing whose run in Temporal may be forgotten, and names it', async () => {
  const { times, rollBack, noteOf } = await interrupted();
  const [forgotten, ...taken] = times;
  const from = withCalls(worker().client, {
    describeNamespace: async (request, real) => {
      const answer = await real(request);
      // Between the ages of the first two times.
      answer.config!.workflowExecutionRetentionTtl = msToTs(Date.now() - forgotten!.getTime() - HOUR / 2);
      return answer;
    },
  });
  const notes = [noteOf(1, forgotten!, forgotten!)];
  expect((await rollBack(from)).schedules).toMatchObject([{ status: 'moved', taken, notes }]);
});

it('a repeated roll back runs nothing long after the unpause if the namespace cannot be described', async () => {
  const { times, rollBack, noteOf } = await interrupted();
  const from = withCalls(worker().client, {
    describeNamespace: async () => {
      throw Object.assign(new Error('refused'), { code: 7, details: 'refused', metadata: {} });
    },
  });
  const notes = [noteOf(3, times[0]!, times[2]!)];
  expect((await rollBack(from)).schedules).toMatchObject([{ status: 'moved', taken: [], notes }]);
});
