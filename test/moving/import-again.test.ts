import { Client } from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import { pauseNote } from '../../moving/native/standing';
import { useLedger } from '../support/ledger';
import { earlierFingerprintOf } from '../support/moving/fingerprints';
import { useMoves } from '../support/moving/moving';
import { useNamespace, useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const otherNamespace = useNamespace();
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOURLY = { spec: { intervals: [{ every: '1h' as const }] } };

it('takes a schedule for the same in whatever order the server answers the keys of its maps', async () => {
  const { client: real, taskQueue } = worker();
  const client = ledger().newClient({ now: undefined as never });
  const memo = { one: 1, two: 2 };
  const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue, args: [0], memo };
  const scheduleId = await nativeSchedule({ ...HOURLY, action });
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      const answer = await call(request);
      const { memo } = answer.schedule!.action!.startWorkflow!;
      const fields = Object.entries(memo!.fields!).sort(([one], [other]) => one.localeCompare(other));
      memo!.fields = Object.fromEntries(described++ % 2 === 0 ? fields : fields.reverse());
      return answer;
    },
  });
  const query = `ScheduleId = '${scheduleId}'`;
  const first = await vi.waitFor(async () => {
    const { schedules } = await client.importSchedules({ from, query });
    expect(schedules).toHaveLength(1);
    return schedules;
  }, 60_000);
  expect(first).toMatchObject([{ status: 'imported' }]);
  for (let times = 0; times < 3; times++) {
    expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'unchanged' }]);
  }
  // The order is now another one than at the import.
  expect(described).toBe(5);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
});

it('an import replaces a fingerprint that an earlier build took of keys in another order', async () => {
  const { client: real, taskQueue } = worker();
  const memo = { one: 1, two: 2 };
  const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue, args: [0], memo };
  const scheduleId = await nativeSchedule({ ...HOURLY, action });
  const client = await imported(scheduleId);
  const inOrderOf = (keys: string[]) =>
    withCalls(real, {
      describeSchedule: async (request, call) => {
        const answer = await call(request);
        const { memo } = answer.schedule!.action!.startWorkflow!;
        memo!.fields = Object.fromEntries(keys.map((key) => [key, memo!.fields![key]!]));
        return answer;
      },
    });
  const again = { from: inOrderOf(['two', 'one']), query: `ScheduleId = '${scheduleId}'` };
  const { namespace } = real.options;
  const answer = await again.from.connection.workflowService.describeSchedule({ namespace, scheduleId });
  const earlier = [{ fingerprint: earlierFingerprintOf(answer) }];
  const restore = () => ledger().query('update escapement.moves set fingerprint = $1', [earlier[0]!.fingerprint]);
  await restore();
  const stored = () => ledger().query('select fingerprint from escapement.moves');
  expect((await client.importSchedules({ ...again, dryRun: true })).schedules).toMatchObject([{ status: 'unchanged' }]);
  expect(await stored()).toEqual(earlier);
  // While another transaction holds the move, the import leaves the fingerprint to the next one.
  await ledger().query('begin');
  await ledger().query('select from escapement.moves for update');
  expect((await client.importSchedules(again)).schedules).toMatchObject([{ status: 'unchanged' }]);
  await ledger().query('rollback');
  expect(await stored()).toEqual(earlier);
  expect((await client.importSchedules(again)).schedules).toMatchObject([{ status: 'unchanged' }]);
  expect(await stored()).not.toEqual(earlier);
  const from = inOrderOf(['one', 'two']);
  const which = { from, scheduleIds: [scheduleId] };
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved' }]);
  // One that was cut over goes back later.
  await restore();
  expect((await client.importSchedules(again)).schedules).toMatchObject([{ status: 'moved' }]);
  expect(await stored()).not.toEqual(earlier);
  await client.rollBack(which);
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved' }]);
});

it.each(['imported', 'cut over'])(
  'leaves alone a schedule that was created by hand after the %s one was deleted',
  async (when) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule(HOURLY);
    const client = await imported(scheduleId);
    const which = { from, scheduleIds: [scheduleId] };
    if (when === 'cut over') await client.cutOver(which);
    const handle = client.getHandle(scheduleId);
    await handle.delete();
    const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue: 'nobody-polls' };
    await client.create({ scheduleId, ...HOURLY, action });
    await from.schedule.getHandle(scheduleId).pause('it runs in Escapement now');

    const query = `ScheduleId = '${scheduleId}'`;
    for (const shadow of [false, true]) {
      const { schedules } = await client.importSchedules({ from, query, shadow });
      expect(schedules).toMatchObject([
        { status: 'refused', reason: expect.stringContaining('exists, or has existed') },
      ]);
    }
    expect((await client.rollBack({ from, all: true })).schedules).toEqual([]);
    const reason = expect.stringContaining('was not imported');
    expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'refused', reason }]);
    const { state } = await handle.describe();
    expect([state.paused, state.shadow]).toEqual([false, undefined]);
    expect((await from.schedule.getHandle(scheduleId).describe()).state.paused).toBe(true);
  },
);

it('refuses a schedule of another namespace whose name an imported one has', async () => {
  const { client: from, namespace } = worker();
  const scheduleId = await nativeSchedule(HOURLY);
  const other = new Client({ connection: from.connection, namespace: otherNamespace() });
  const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue: 'nobody-polls' };
  await other.schedule.create({ scheduleId, ...HOURLY, action });
  const client = await imported(scheduleId);
  const query = `ScheduleId = '${scheduleId}'`;
  const options = { from, namespaces: [namespace, otherNamespace()], query };
  const expected = async (status: string) => {
    const { schedules, complete } = await client.importSchedules(options);
    const reason = expect.stringContaining('another namespace');
    expect(schedules).toMatchObject([
      { namespace, status },
      { namespace: otherNamespace(), status: 'refused', reason },
    ]);
    expect(complete).toBe(false);
  };
  await vi.waitFor(async () => {
    expect((await client.importSchedules({ ...options, dryRun: true })).schedules).toHaveLength(2);
  }, 60_000);
  await expected('unchanged');
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  await expected('moved');
  expect((await client.getHandle(scheduleId).describe()).namespace).toBe(namespace);
});

it.each([false, true])(
  'keeps a pause by a person over a roll back, an import (in shadow: %s) and a cut-over',
  async (shadow) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule(HOURLY);
    const client = await imported(scheduleId);
    const which = { from, scheduleIds: [scheduleId] };
    await client.cutOver(which);
    const handle = client.getHandle(scheduleId);
    await handle.pause('by a person');
    await client.rollBack(which);
    await client.importSchedules({ from, query: `ScheduleId = '${scheduleId}'`, shadow });
    expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved', paused: true }]);
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'by a person' });
  },
);

it('keeps a form that only newer programs know; shadow and a cut-over, after which nobody would fire, are refused', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule(HOURLY);
  const client = await imported(scheduleId);
  const native = from.schedule.getHandle(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  const query = `ScheduleId = '${scheduleId}'`;
  const again = async (shadow: boolean) => (await client.importSchedules({ from, query, shadow })).schedules;
  const form = async () => (await ledger().query('select spec_format as form from escapement.timers'))[0];
  const isPausedThere = async () => (await native.describe()).state.paused;
  await ledger().query('update escapement.timers set spec_format = 1000');
  // The definition is the same, but the schedule is no longer paused in Temporal, so the import writes the state again.
  await ledger().query('update escapement.moves set stays_paused = true');
  expect(await again(false)).toMatchObject([{ status: 'updated' }]);
  const refused = [{ status: 'refused', reason: expect.stringContaining('form of a newer program') }];
  expect(await again(true)).toMatchObject(refused);
  expect((await client.cutOver(which)).schedules).toMatchObject(refused);
  expect([await isPausedThere(), await form()]).toEqual([false, { form: 1000 }]);
  expect(await again(false)).toMatchObject([{ status: 'unchanged' }]);

  // A cut-over that was killed after its pause goes on, so that a roll back can unpause native.
  await native.pause(pauseNote('somebody'));
  await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [
    { first: null, last: null, lastStartedAt: null, buffered: 0 },
  ]);
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved' }]);
  expect([await isPausedThere(), await form()]).toEqual([true, { form: 1000 }]);
  expect((await client.rollBack(which)).schedules).toMatchObject([{ status: 'moved' }]);
  expect([await isPausedThere(), await form()]).toEqual([false, { form: 1000 }]);
});

it('begins no shadow while firings wait here that a roll back has left to Escapement', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  const cut = await client.cutOver(which);
  // No trigger runs, so times that are due before the roll back must run here.
  const isDue = () => Date.now() > cut.schedules[0]!.from!.getTime() + 2_000;
  await expect.poll(isDue, { timeout: 60_000 }).toBe(true);
  const { schedules } = await client.rollBack(which);
  await from.schedule.getHandle(scheduleId).pause('the test goes on alone');
  expect(schedules[0]!.taken.length).toBeGreaterThanOrEqual(2);

  const query = `ScheduleId = '${scheduleId}'`;
  const inShadow = async () => (await client.importSchedules({ from, query, shadow: true })).schedules;
  expect(await inShadow()).toMatchObject([{ status: 'refused', reason: expect.stringContaining('wait here') }]);
  const { passes } = await ledger().trigger({ clock: undefined as never });
  await passes.claim();
  const states = `select distinct state from escapement.firings where scheduled_time = any($1)`;
  expect(await ledger().query(states, [schedules[0]!.taken])).toEqual([{ state: 'claimed' }]);
  expect(await inShadow()).toMatchObject([{ status: 'updated' }]);
});

it.each([false, true])(
  'refuses to stop a schedule that was handed over by hand and fires here (in shadow: %s)',
  async (shadow) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule(HOURLY);
    const client = await imported(scheduleId);
    const handle = client.getHandle(scheduleId);
    await from.schedule.getHandle(scheduleId).pause('it runs in Escapement now');
    await handle.unpause();
    const again = async (options: object = {}) =>
      (await client.importSchedules({ from, query: `ScheduleId = '${scheduleId}'`, shadow, ...options })).schedules;
    const refused = [{ status: 'refused', reason: expect.stringContaining('it fires here') }];
    const isLive = async () => {
      const { state } = await handle.describe();
      return !state.paused && state.shadow === undefined;
    };
    expect(await again({ dryRun: true })).toMatchObject(refused);
    expect(await again()).toMatchObject(refused);
    expect(await isLive()).toBe(true);

    // Somebody unpauses it once the import has read that it is paused.
    await handle.pause();
    let described = 0;
    const meanwhile = withCalls(from, {
      describeSchedule: async (request, call) => {
        if (++described === 2) await handle.unpause();
        return call(request);
      },
    });
    expect(await again({ from: meanwhile })).toMatchObject(refused);
    expect(await isLive()).toBe(true);
    await handle.pause();
    expect(await again()).toMatchObject([{ status: 'updated' }]);
  },
);

it.each([
  ['task queues', { taskQueue: 'billing-high' }, "'billing-high' is not one of those"],
  ['workflow IDs', { workflowId: 'payroll' }, "'payroll[acme]'"],
])(
  "refuses a native definition outside the %s of the schedule's tenant, also when it is imported again",
  async (_, changed, words) => {
    const { client: from, namespace } = worker();
    await ledger().client.tenants.set('acme', { taskQueues: ['nobody-*'] });
    const client = ledger().newClient({ now: undefined as never, namespace, tenant: 'acme' });
    const action = { type: 'startWorkflow' as const, workflowType: 'naps', taskQueue: 'nobody-polls' };
    const scheduleId = await nativeSchedule({ ...HOURLY, action });
    const operator = ledger().newClient({ now: undefined as never, namespace });
    const importBy = async (who: typeof client) =>
      (await who.importSchedules({ from, query: `ScheduleId = '${scheduleId}'` })).schedules;
    await vi.waitFor(async () => expect(await importBy(client)).toMatchObject([{ status: 'imported' }]), 60_000);
    await from.schedule.getHandle(scheduleId).update((previous) => ({
      ...previous,
      action: { ...action, ...changed },
    }));
    const reason = expect.stringContaining(words);
    for (const who of [client, operator]) expect(await importBy(who)).toMatchObject([{ status: 'refused', reason }]);
    const { action: kept, info } = await client.getHandle(scheduleId).describe();
    expect([kept.taskQueue, info.version]).toEqual(['nobody-polls', 1]);
  },
);

it.each([
  ['a new import', false, { args: [1] }],
  ['an import that ends shadow mode', true, {}],
])('%s leaves to Temporal what it has run, so that no backfill runs it again', async (_, shadow, changed) => {
  const { client: from, taskQueue } = worker();
  const scheduleId = await nativeSchedule(HOURLY);
  const client = await imported(scheduleId, shadow);
  await ledger().query(`update escapement.timers set answered_to = answered_to - interval '3 hours'`);
  const native = from.schedule.getHandle(scheduleId);
  await native.update((previous) => ({ ...previous, action: { ...previous.action, taskQueue, ...changed } }));
  const query = `ScheduleId = '${scheduleId}'`;
  expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'updated' }]);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const range = { start: new Date(Date.now() - 2 * 3_600_000), end: new Date() };
  const { occurrences, filled } = await client.getHandle(scheduleId).backfill({ ...range, dryRun: true });
  expect({ some: occurrences > 0, filled }).toEqual({ some: true, filled: 0 });
});
