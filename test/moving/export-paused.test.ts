import { defineSearchAttributeKey } from '@temporalio/common';
import { beforeAll, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../index';
import { exportSchedules } from '../../moving/export/export';
import { uniqueName, useLedger } from '../support/ledger';
import { addSearchAttributes } from '../support/scenes/search-attributes';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker();

beforeAll(() => addSearchAttributes(worker().client));

const attributesOf = (value: string) => [
  { key: defineSearchAttributeKey('EscapementRegion', 'KEYWORD'), value },
  { key: defineSearchAttributeKey('EscapementDay', 'DATETIME'), value: new Date('2026-03-01T00:30:00.500Z') },
  { key: defineSearchAttributeKey('EscapementCount', 'INT'), value: 3 },
];
const ACTION = {
  type: 'startWorkflow' as const,
  workflowType: 'echoFiring',
  taskQueue: 'nobody',
  workflowRunTimeout: '1 hour',
  workflowExecutionTimeout: '2 hours',
  workflowTaskTimeout: '10 seconds',
  retry: { maximumAttempts: 3, initialInterval: '1 second', nonRetryableErrorTypes: ['Bad'] },
  args: [{ report: 1 }],
  memo: { of: 'a run' },
  staticSummary: 'a summary',
  staticDetails: 'details',
  priority: { priorityKey: 2 },
  typedSearchAttributes: attributesOf('a run'),
} satisfies ScheduleOptions['action'];

async function exported(scheduleId: string, how: { paused?: boolean; dryRun?: boolean } = {}) {
  const options = { ledger: { connectionString: ledger().databaseUrl }, to: worker().client, ...how };
  for await (const one of exportSchedules({ ...options, query: `ScheduleId = "${scheduleId}"` })) return one;
  return undefined;
}

/** A schedule with everything that an export carries, and its native one, which an export has left paused. */
async function exportedPaused(state: ScheduleOptions['state'] = {}) {
  const scheduleId = uniqueName('full');
  const labels = { memo: { of: 'the schedule' }, typedSearchAttributes: attributesOf('the schedule') };
  const handle = await ledger()
    .newClient({ now: undefined as never })
    .create({ scheduleId, spec: { cron: '@daily' }, action: ACTION, state, ...labels });
  expect(await exported(scheduleId, { paused: true })).toMatchObject({ status: 'created' });
  return { scheduleId, handle, native: worker().client.schedule.getHandle(scheduleId) };
}

it('an export finds the native schedule that it left paused unchanged, whatever the definition has', async () => {
  const { scheduleId, native } = await exportedPaused();
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it.each<[string, Partial<ScheduleOptions>]>([
  ['a timeout', { action: { ...ACTION, workflowRunTimeout: '30 minutes' } }],
  ['the retry policy', { action: { ...ACTION, retry: { maximumAttempts: 5 } } }],
  ['an argument', { action: { ...ACTION, args: [{ report: 2 }] } }],
  ['the memo of its runs', { action: { ...ACTION, memo: { of: 'another run' } } }],
  ['the summary', { action: { ...ACTION, staticSummary: 'another' } }],
  ['the priority', { action: { ...ACTION, priority: { priorityKey: 3 } } }],
  ['an attribute of its runs', { action: { ...ACTION, typedSearchAttributes: attributesOf('another run') } }],
  ['its memo', { memo: { of: 'another schedule' } }],
  ['its attributes', { typedSearchAttributes: attributesOf('another schedule') }],
])(
  'an export does not unpause the native schedule that it left paused after a change of %s here',
  async (_, change) => {
    const { scheduleId, handle, native } = await exportedPaused();
    await handle.update((previous) => ({ ...(previous as ScheduleOptions), ...change }));
    const differs = { status: 'left', reason: expect.stringContaining('differs') };
    expect(await exported(scheduleId, { dryRun: true })).toMatchObject(differs);
    expect(await exported(scheduleId)).toMatchObject(differs);
    expect((await native.describe()).state.paused).toBe(true);
    expect((await handle.describe()).state.paused).toBe(false);
    await native.delete();
  },
);

it('a dry run of an export says planned before and after the export, and writes nothing', async () => {
  const { scheduleId, native } = await exportedPaused();
  expect(await exported(scheduleId, { dryRun: true })).toMatchObject({ status: 'planned' });
  expect((await native.describe()).state.paused).toBe(true);
  await native.delete();
  expect(await exported(scheduleId, { dryRun: true })).toMatchObject({ status: 'planned' });
  await expect(native.describe()).rejects.toThrow(/not found/);
});

it('an export gives the native schedule that it left paused the actions that are left by now', async () => {
  const { scheduleId, handle, native } = await exportedPaused({ remainingActions: 10 });
  await handle.update((previous) => ({ ...(previous as ScheduleOptions), state: { remainingActions: 3 } }));
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  expect((await native.describe()).state).toMatchObject({ paused: false, remainingActions: 3 });
  await native.delete();
});

it('an export takes from the actions of the native schedule what waits here, and runs here', async () => {
  const { scheduleId, handle, native } = await exportedPaused({ remainingActions: 5 });
  const end = new Date();
  await handle.backfill({ start: new Date(end.getTime() - 2 * 86_400_000), end });
  // As firings of the spec that wait behind a running one.
  await ledger().query(`update escapement.firings set kind = 'schedule'`);
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  expect((await native.describe()).state).toMatchObject({ paused: false, remainingActions: 3 });
  expect((await handle.describe()).state).toMatchObject({ paused: true, remainingActions: 3 });
  const firings = await ledger().query(`select state, kind from escapement.firings`);
  expect(firings).toEqual(Array(2).fill({ state: 'buffered', kind: 'backfill' }));
  await native.delete();
});
