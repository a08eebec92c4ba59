import { expect, it } from 'vitest';
import { workflowIdOf } from '../../../core/identity';
import { adoptPage } from '../../../trigger/recover/adopt-page';
import { triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

/** Anybody who may start workflows can give them the memo of a firing. */

const ledger = useLedger('2026-03-01T00:30:00Z');
const TIME = new Date('2026-03-01T01:00:00Z');
const NOTHING = { adopted: 0, reopened: 0 };

/** What a page comes to, on which a namespace lists only a workflow with the memo of a schedule's firing of 01:00. */
async function adopting(options = someSchedule()) {
  const { scheduleId } = options;
  await ledger().client.create(options);
  const { context } = await triggerAnswering(ledger(), {}, { namespaces: ['default', 'aa'] });
  const key = { scheduleId, scheduledTime: TIME, kind: 'schedule', epoch: 0 } as const;
  const { installationId: installation } = context;
  const memo = { ...key, installation, scheduledTime: TIME.toISOString(), startAttempt: 1 };
  return (namespace: string, workflowId = workflowIdOf(key)) =>
    adoptPage(context, namespace, [{ workflowId, runId: 'copied', startedAt: TIME, running: false, memo }]);
}

it.each(['child', 'child-2026-03-01T02:00:00Z', '2026-03-01T01:00:00Z-child'])(
  'a workflow with an ID that no trigger gives to the firing is left alone: %s',
  async (workflowId) => {
    const adopt = await adopting();
    expect(await adopt('default', workflowId)).toMatchObject(NOTHING);
    expect(await adopt('default')).toMatchObject({ adopted: 1 });
  },
);

it('a workflow in a namespace that the tenant of the schedule never used is left alone', async () => {
  const theirs = someSchedule({ tenant: 'theirs' });
  const adopt = await adopting(theirs);
  await ledger().client.create(someSchedule({ tenant: 'mine', namespace: 'aa' }));
  expect(await adopt('aa')).toMatchObject(NOTHING);
  expect(await ledger().answers(theirs.scheduleId)).toEqual([]);
  // The failover may have lost the update that moved the schedule to this namespace.
  await ledger().client.create(someSchedule({ tenant: 'theirs', namespace: 'aa' }));
  expect(await adopt('aa')).toMatchObject({ adopted: 1 });
});
