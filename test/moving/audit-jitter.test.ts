import { expect, it } from 'vitest';
import { auditNative } from '../../moving/audit/audit';
import type { AuditedTime } from '../../moving/audit/classes';
import { useLedger } from '../support/ledger';
import { runsOf, useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, untilRan } = useMoves(ledger, worker);

it('an audit finds a missed time of a schedule with jitter that is paused now', async () => {
  const { client, namespace } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '2s' }], jitter: '1900ms' } });
  await untilRan(scheduleId, 'native', 4);
  await client.schedule.getHandle(scheduleId).pause();
  const [first, missed] = [...(await runsOf(client, scheduleId)).keys()];
  const temporal = withCalls(client, {
    listWorkflowExecutions: async (request, real) => {
      const answer = await real(request);
      const suffix = new Date(missed!).toISOString().replace('.000Z', 'Z');
      answer.executions = answer.executions.filter(({ execution }) => !execution?.workflowId?.endsWith(suffix));
      return answer;
    },
  });
  const times: AuditedTime[] = [];
  const listener = { onTime: (_: string, time: AuditedTime) => times.push(time), onSchedule: () => {} };
  const span = { from: new Date(first!), to: new Date(missed!) };
  await auditNative({ temporal, namespace, ...span, lateAfter: 0 }, listener);
  expect(times.find(({ nominal }) => nominal === missed)).toMatchObject({ class: 'missed' });
});
