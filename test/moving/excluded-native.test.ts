import { expect, it } from 'vitest';
import { pauseNote } from '../../moving/native/standing';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOUR = 3_600_000;

it.each([
  ['was excluded', 'excluded'],
  ['was skipped by overlap', 'overlap'],
])('a cut-over takes over a native run of a time that %s here: native knew nothing of it', async (_, reason) => {
  // As a cut-over leaves it that was killed after its pause.
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h' }] },
    state: { paused: true, note: pauseNote('somebody') },
  });
  const client = await imported(scheduleId);
  const time = new Date(Math.ceil((Date.now() + 1) / HOUR) * HOUR + HOUR);
  await client.getHandle(scheduleId).exclude(time);
  await ledger().query('update escapement.firings set reason = $1', [reason]);
  const evidence = { first: time.getTime(), last: time.getTime(), lastStartedAt: time.getTime(), buffered: 0 };
  await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [evidence]);
  const workflowId = `${scheduleId}-workflow-${time.toISOString().replace('.000', '')}`;
  const from = withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      answer.info!.runningWorkflows = [{ workflowId, runId: 'a run' }];
      return answer;
    },
  });
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId] });
  expect(schedules).toMatchObject([{ status: 'moved', running: [workflowId] }]);
  expect(await ledger().query('select scheduled_time as at, state, reason, actor from escapement.firings')).toEqual([
    // Whoever excluded it has not asked for this run.
    { at: time, state: 'linked', reason: null, actor: null },
  ]);
});
