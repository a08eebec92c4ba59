import { msToTs } from '@temporalio/common/lib/time';
import { expect, it } from 'vitest';
import { pauseNote } from '../../moving/native/standing';
import { watchedPool } from '../support/connections/watched-pool';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOUR = 3_600_000;

/** An imported schedule whose native one has two starts buffered, and so many actions left. */
async function withBuffer(remainingActions: number, changed: { first?: null } = {}) {
  const first = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
  // As a cut-over leaves it that was killed after its pause.
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h' }] },
    policies: { overlap: 'BUFFER_ALL' },
    state: { paused: true, note: pauseNote('somebody'), remainingActions },
  });
  const client = await imported(scheduleId);
  await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [
    { first: first + 3 * HOUR, last: first - HOUR, lastStartedAt: first - HOUR, buffered: 2, ...changed },
  ]);
  const handle = client.getHandle(scheduleId);
  const options = { from: worker().client, scheduleIds: [scheduleId] };
  return {
    handle,
    one: new Date(first),
    other: new Date(first + HOUR),
    cutOver: (from = options.from) => client.cutOver({ ...options, from }),
    takeBuffer: (by = client, from = options.from) => by.cutOver({ ...options, from, takeBuffer: true }),
    idOf: (time: Date) => `${scheduleId}-workflow-${time.toISOString().replace('.000', '')}`,
    refiring: (from: Date, to: Date) =>
      `\`escapement schedule backfill ${scheduleId} --start ${from.toISOString()} --end ${to.toISOString()} --refire\` runs them`,
    left: async () => (await handle.describe()).state.remainingActions,
  };
}

it('runs no more of what the native schedule had buffered than the actions that are left', async () => {
  const { handle, one, other, takeBuffer, left } = await withBuffer(1);
  expect((await takeBuffer()).schedules).toMatchObject([{ status: 'moved', taken: [one], buffered: [other] }]);
  expect(await left()).toBe(0);

  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [], buffered: [other] }]);
  await handle.update((previous) => ({ ...previous, state: { remainingActions: 3 } }));
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [other], buffered: [] }]);
  expect(await left()).toBe(2);
});

it('takes no buffered time that has a firing here, such as a backfill, and no action for it', async () => {
  const { handle, one, other, cutOver, takeBuffer, left } = await withBuffer(5);
  await cutOver();
  await handle.backfill({ start: one, end: one });
  expect(await left()).toBe(5);
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [other], buffered: [] }]);
  expect(await left()).toBe(4);
});

it('lists what was buffered of a spec without further times, unless no action is left for it', async () => {
  const over = { first: null };
  const { one, other, takeBuffer } = await withBuffer(5, over);
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [one, other], buffered: [] }]);
  const spent = await withBuffer(0, over);
  expect((await spent.cutOver()).schedules).toMatchObject([{ status: 'moved', buffered: [] }]);
});

it('takes the actions of what was buffered once if two calls take it at once', async () => {
  const { one, other, cutOver, takeBuffer, left } = await withBuffer(5);
  await cutOver();
  let locks = 0;
  const pool = watchedPool(ledger(), {
    before: async (text) => {
      // The slow call has read the move under its first lock. The other call takes the buffer before the second one.
      if (!text.includes('for no key update') || ++locks !== 2) return;
      expect((await takeBuffer()).schedules).toMatchObject([{ taken: [one, other], buffered: [] }]);
    },
  });
  const slow = ledger().newClient({
    ...{ connectionString: undefined as never, pool },
    ...{ now: undefined as never, namespace: worker().namespace },
  });
  expect((await takeBuffer(slow)).schedules).toMatchObject([{ taken: [], buffered: [] }]);
  expect(locks).toBe(2);
  expect(await left()).toBe(3);
});

it('takes no buffered time that has run since the cut-over', async () => {
  const { one, other, cutOver, takeBuffer, idOf, left } = await withBuffer(5);
  expect((await cutOver()).schedules).toMatchObject([{ buffered: [one, other] }]);
  const { client, taskQueue } = worker();
  await client.workflow.execute('naps', { workflowId: idOf(one), taskQueue, args: [0] });
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [other], buffered: [] }]);
  expect(await left()).toBe(4);
});

it.each([
  ['with the cut-over', true],
  ['later', false],
])('takes no buffered time that has run, %s, also if the workflow ID was changed here', async (_, atOnce) => {
  const { handle, one, other, cutOver, takeBuffer, idOf } = await withBuffer(5);
  if (!atOnce) await cutOver();
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowId: 'other' } }));
  const { client, taskQueue } = worker();
  await client.workflow.execute('naps', { workflowId: idOf(one), taskQueue, args: [0] });
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [other], buffered: [] }]);
});

it.each([
  ['with the cut-over', true],
  ['later', false],
])('only lists what Temporal may have forgotten if the buffer is taken %s: it may have run', async (_, atOnce) => {
  const { one, other, cutOver, takeBuffer, left, refiring } = await withBuffer(5);
  const from = withCalls(worker().client, {
    describeNamespace: async (request, real) => {
      const answer = await real(request);
      // Between the ages of the two times.
      answer.config!.workflowExecutionRetentionTtl = msToTs(Date.now() - one.getTime() - HOUR / 2);
      return answer;
    },
  });
  if (!atOnce) await cutOver();
  const notes = [
    expect.stringMatching(
      `^buffered times before [-:.TZ0-9]{24} may have run, as Temporal may have forgotten: ${refiring(one, one)}$`,
    ),
  ];
  for (const taken of [[other], []])
    expect((await takeBuffer(undefined, from)).schedules).toMatchObject([{ taken, buffered: [one], notes }]);
  expect(await left()).toBe(4);
});

it.each([
  ['with the cut-over', true, 7, 'PERMISSION_DENIED'],
  ['with the cut-over', true, 12, 'UNIMPLEMENTED'],
  ['with the cut-over', true, 4, 'DEADLINE_EXCEEDED'],
  ['not at all', false, 16, 'UNAUTHENTICATED'],
])(
  'cuts over and only lists the buffer, taken %s, if the namespace cannot be described (%s, %i %s)',
  async (_, takes, code) => {
    const { one, other, takeBuffer, cutOver, refiring } = await withBuffer(5);
    const from = withCalls(worker().client, {
      describeNamespace: async () => {
        throw Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
      },
    });
    const note = `the namespace could not be described, so no buffered time was taken, as each may have run: ${refiring(one, other)}`;
    const { schedules } = takes ? await takeBuffer(undefined, from) : await cutOver(from);
    expect(schedules).toMatchObject([{ status: 'moved', taken: [], buffered: [one, other], notes: [note] }]);
  },
);
