import { msToTs } from '@temporalio/common/lib/time';
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

it('a cut-over takes over a native run, and what waits behind it, of a month that the ledger has retired', async () => {
  const old = new Date('2020-01-31T23:00:00Z');
  // In the next month, which the run does not bring back.
  const behind = new Date(old.getTime() + HOUR);
  // As a cut-over leaves it that was killed after its pause.
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h' }] },
    policies: { overlap: 'BUFFER_ONE' },
    state: { paused: true, note: pauseNote('somebody') },
  });
  const client = await imported(scheduleId);
  const first = Math.floor(Date.now() / HOUR) * HOUR;
  await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [
    { first, last: old.getTime(), lastStartedAt: old.getTime(), buffered: 1 },
  ]);
  await ledger().query(`insert into escapement.meta (key, value) values ('retention_floor', '"2020-03-01T00:00:00Z"')`);
  const workflowId = `${scheduleId}-workflow-2020-01-31T23:00:00Z`;
  const from = withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      answer.info!.runningWorkflows = [{ workflowId, runId: 'a run' }];
      return answer;
    },
    describeNamespace: async (request, real) => {
      const answer = await real(request);
      // Temporal would still know if the time behind had run.
      answer.config!.workflowExecutionRetentionTtl = msToTs(Date.now());
      return answer;
    },
  });
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId], takeBuffer: true });
  expect(schedules).toMatchObject([{ status: 'moved', running: [workflowId], taken: [behind] }]);
  expect(
    await ledger().query('select scheduled_time as at, state from escapement.firings order by scheduled_time'),
  ).toEqual([
    { at: old, state: 'linked' },
    { at: behind, state: 'buffered' },
  ]);
});
