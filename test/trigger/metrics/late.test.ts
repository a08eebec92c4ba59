import { expect, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';
import { giveUp } from '../redrive/given-up';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** How many starts the trigger has counted as late. */
async function lateOf({ metrics }: Trigger): Promise<number> {
  const { values } = await metrics.getSingleMetric('escapement_firings_late_total')!.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

it.each([
  [30, 0],
  [31, 1],
])('a firing that starts %s seconds after it could counts as late %s times', async (seconds, late) => {
  await ledger().client.create(someSchedule());
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  ledger().clock.advance(seconds * 1_000);
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await lateOf(trigger)).toBe(late);
});

it('a firing that waited by its overlap policy counts as late only by the time after that wait', async () => {
  const { client, clock } = ledger();
  const { taskQueue } = worker();
  const action = { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue } as const;
  const { scheduleId } = await client.create(someSchedule({ action, policies: { overlap: 'BUFFER_ALL' } }));
  const trigger = await ledger().trigger();
  for (const hour of ['01', '02', '03']) {
    clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
    await trigger.passes.verify();
    await trigger.passes.dispatch();
  }
  for (const [hour, waits, late] of [
    ['01', 0, 0],
    ['02', 31_000, 1],
  ] as const) {
    const execution = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T${hour}:00:00Z`);
    await execution.signal(finish);
    await execution.result();
    clock.advance(60_000);
    await trigger.passes.observe();
    await trigger.passes.claim();
    clock.advance(waits);
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await lateOf(trigger)).toBe(late);
  }
});

it('a given-up start that a person restarts hours later does not count as late', async () => {
  const scheduleId = await giveUp(ledger(), { overlap: 'ALLOW_ALL' }, 1);
  ledger().clock.set('2026-03-01T12:00:00Z');
  const trigger = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'restart' });
  expect(await trigger.passes.redrive()).toMatchObject({ taken: 1 });
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await lateOf(trigger)).toBe(0);
});

it('a workflow that failed and that a person restarts does not count as late', async () => {
  const { client, clock } = ledger();
  const { taskQueue } = worker();
  const action = { type: 'startWorkflow', workflowType: 'alwaysFails', taskQueue } as const;
  const { scheduleId } = await client.create(someSchedule({ action }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const execution = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
  await expect(execution.result()).rejects.toThrow();
  clock.advance(60_000);
  await trigger.passes.observe();
  await client.deadLetters.redriveAll({ scheduleId }, { mode: 'restart' });
  expect(await trigger.passes.redrive()).toMatchObject({ taken: 1 });
  clock.advance(31_000);
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await lateOf(trigger)).toBe(0);
});
