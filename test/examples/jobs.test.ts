import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { InvoiceActivities, OrderActivities, ReportActivities } from '../../examples/jobs/activities';
import { invoices, report, standingOrder } from '../../examples/jobs/schedules';
import { expectFirings, type TestScheduleEnvironment } from '../../testing';
import { realEnvironment } from '../support/real-environment';

/** What the steps did, in their order. */
const done: string[] = [];
const note = async (step: string) => void done.push(step);
const activities: InvoiceActivities & ReportActivities & OrderActivities = {
  collectInvoices: async (day) => [`${day}-1`, `${day}-2`],
  chargeCard: (invoice, key) => note(`charge ${invoice} by ${key}`),
  sendReceipt: (invoice) => note(`receipt ${invoice}`),
  writeReport: (day, charged) => note(`report ${day}: ${charged}`),
  listRegions: async () => ['emea', 'apac'],
  summarize: async (region) => region.length,
  publish: (sums) => note(`publish ${JSON.stringify(sums)}`),
  reserveStock: (order) => note(`reserve ${order}`),
  releaseStock: (order) => note(`release ${order}`),
  chargeOrder: (order) => note(`charge ${order}`),
  refundOrder: (order) => note(`refund ${order}`),
  ship: (order) => note(`ship ${order}`),
};

let env: TestScheduleEnvironment;
beforeAll(async () => {
  env = await realEnvironment({
    workflowsPath: require.resolve('../../examples/jobs/workflows.ts'),
    activities,
    startTime: '2026-11-20T00:00:00Z',
    worker: { taskQueue: 'jobs' },
  });
});
afterAll(() => env.teardown());
beforeEach(() => void done.splice(0));

// One server for the file: the tests go on from where the one before has left its clock.
it('the invoice run charges each invoice of its day under one key, though a step fails at first', async () => {
  const handle = await env.client.create(invoices);
  env.failStep('chargeCard', 2);
  expectFirings(await env.advanceTo('2026-11-21T00:00:00Z')).toBe(['02:00 completed']);
  expect(done).toEqual([
    'charge 2026-11-20-1 by 2026-11-20 2026-11-20-1',
    'receipt 2026-11-20-1',
    'charge 2026-11-20-2 by 2026-11-20 2026-11-20-2',
    'receipt 2026-11-20-2',
    'report 2026-11-20: 2',
  ]);
  await handle.delete();
});

it('the report fans out over the regions on the last day of the month', async () => {
  const handle = await env.client.create(report);
  expectFirings(await env.advanceTo('2026-12-01T00:00:00Z')).toBe(['22:00 completed']);
  expect(done).toEqual(['publish {"emea":4,"apac":4}']);
  await handle.delete();
});

it('the saga takes back in reverse what was done before the step that failed for good, and its schedule waits for a person', async () => {
  const handle = await env.client.create(standingOrder);
  env.failStep('ship', 3);
  expectFirings(await env.advanceTo('2026-12-08T00:00:00Z')).toBe(['06:00 failed']);
  expect(done).toEqual(['reserve coffee', 'charge coffee', 'refund coffee', 'release coffee']);
  expect((await handle.describe()).state).toMatchObject({ paused: true });
  const letters = [];
  for await (const { failedStep } of env.client.deadLetters.list({ scheduleId: 'standing-order' }))
    letters.push(failedStep);
  expect(letters).toMatchObject([{ activityType: 'ship', attempts: 3 }]);
});
