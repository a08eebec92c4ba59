import { expect, inject, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { refusing, refusingOne } from '../../support/failures/refusing';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DUE = '2026-03-01T01:00:00Z';
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
const linked = { state: 'linked' };

/** Run passes each minute as the loops do, until nothing is left, or for a number of minutes. `beside` is alive too. */
async function minutesOfPasses({ passes }: Trigger, minutes: number, until: () => Promise<boolean>, beside?: Trigger) {
  for (let minute = 0; minute < minutes && !(await until()); minute++) {
    ledger().clock.advance(60_000);
    await beside?.passes.heartbeat();
    await passes.heartbeat();
    await passes.reconcile();
    await passes.dispatch();
  }
}

const first = async (scheduleId: string) => (await ledger().firings(scheduleId)).at(-1)!;
const letters = () =>
  ledger().query<{ kind: string; reason: string }>('select kind, reason from escapement.dead_letters');

it.each([
  ['PERMISSION_DENIED', 7],
  ['INTERNAL', 13],
  ['DEADLINE_EXCEEDED', 4],
])(
  'a start that alone fails with %s holds up no other of its namespace, and becomes a dead letter',
  async (_, code) => {
    const bad = await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    const good = await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    const connection = refusingOne(inject('temporalAddress'), code, 'StartWorkflowExecution', bad.scheduleId);
    const trigger = await ledger().trigger({ connection });
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1, deferred: 1 });
    expect(await first(bad.scheduleId)).toMatchObject({ state: 'claimed', startAttempts: 0, lastError: 'refused' });
    // Another firing is due right after, and nothing delays it.
    await good.trigger('ALLOW_ALL');
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1, deferred: 0 });
    expect(
      ledger()
        .log.messages()
        .filter((message) => message.startsWith('Temporal')),
    ).toEqual([]);

    const isGivenUp = async () => (await first(bad.scheduleId)).state === 'abandoned';
    await minutesOfPasses(trigger, 55, isGivenUp);
    expect(await isGivenUp()).toBe(false);
    await minutesOfPasses(trigger, 20, isGivenUp);
    expect(await first(bad.scheduleId)).toMatchObject({ reason: 'start_refused', lastError: 'refused' });
    expect(await letters()).toEqual([{ kind: 'start', reason: 'start_refused' }]);
    const said = ledger().log.lines.filter(({ message }) => message === 'start failed; trying again');
    const route = { scheduleId: bad.scheduleId, namespace: 'default', taskQueue: 'nobody-polls', error: 'refused' };
    expect(said[0]).toMatchObject({ level: 'warn', meta: { ...route, seconds: 0 } });
    // It was called again in each minute of the hour. After the first one, it has failed for longer than a minute.
    expect(said.length).toBeGreaterThan(50);
    expect(said.at(-1)).toMatchObject({ level: 'error', meta: { ...route, seconds: expect.any(Number) } });
  },
);

it('a start that fails is called again no longer than the trigger is told to', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const connection = refusingOne(inject('temporalAddress'), PERMISSION_DENIED, 'StartWorkflowExecution', scheduleId);
  const trigger = await ledger().trigger({ connection, refusedAtMost: '10 minutes' });
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const isGivenUp = async () => (await first(scheduleId)).state === 'abandoned';
  await minutesOfPasses(trigger, 9, isGivenUp);
  expect(await isGivenUp()).toBe(false);
  await minutesOfPasses(trigger, 8, isGivenUp);
  expect(await first(scheduleId)).toMatchObject({ state: 'abandoned', reason: 'start_refused' });
});

it('a start that fails for a while is called again within a quarter of that time, and at least each minute', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const connection = refusingOne(inject('temporalAddress'), PERMISSION_DENIED, 'StartWorkflowExecution', scheduleId);
  const trigger = await ledger().trigger({ connection });
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  const pauseAfter = async (seconds: number) => {
    ledger().clock.set(new Date(Date.parse(DUE) + seconds * 1_000).toISOString());
    await trigger.passes.heartbeat();
    await trigger.passes.reconcile();
    await trigger.passes.dispatch();
    const [row] = await ledger().query<{ at: Date }>('select check_at as at from escapement.firings');
    return row!.at.getTime() - ledger().clock.now();
  };
  expect(await pauseAfter(0)).toBe(2_000);
  expect(await pauseAfter(4)).toBe(2_000);
  expect(await pauseAfter(40)).toBe(10_000);
  expect(await pauseAfter(600)).toBe(60_000);
});

it('a start that fails is forgotten for it once it comes through, and after a while in which nobody tried', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const address = inject('temporalAddress');
  const refused = await ledger().trigger({
    connection: refusingOne(address, PERMISSION_DENIED, 'StartWorkflowExecution', scheduleId),
  });
  ledger().clock.set(DUE);
  await refused.passes.claim();
  await refused.passes.dispatch();
  ledger().clock.advance(3_600_000);
  const trigger = await ledger().trigger();
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 0 });
  await trigger.passes.dispatch();
  expect(await first(scheduleId)).toMatchObject(linked);
});

it('a start that may have succeeded is not taken for one that never did, though Temporal refuses to look it up', async () => {
  const handle = await ledger().client.create(someSchedule());
  const { scheduleId } = handle;
  const { passes } = await ledger().trigger();
  ledger().clock.set(DUE);
  await passes.claim();
  await passes.dispatch();
  const { runId, workflowId } = await first(scheduleId);
  // As a process leaves the row that dies before the answer.
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = $1`,
    [new Date(DUE)],
  );
  const address = inject('temporalAddress');
  const [start, describe] = ['StartWorkflowExecution', 'DescribeWorkflowExecution'].map((method) =>
    refusingOne(address, PERMISSION_DENIED, method, scheduleId),
  );
  const interceptors = [...start!.interceptors!, ...describe!.interceptors!];
  const refused = await ledger().trigger({ connection: { address, interceptors } });
  await minutesOfPasses(refused, 80, async () => (await first(scheduleId)).state === 'abandoned');
  expect(await first(scheduleId)).toMatchObject({ state: 'abandoned', reason: 'start_uncertain' });

  await expect(handle.runAgain(DUE)).rejects.toMatchObject({ problem: 'needs_confirmation' });
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowId: 'renamed' } }));
  for await (const { letterId } of ledger().client.deadLetters.list())
    await ledger().client.deadLetters.redrive(letterId);
  expect(await passes.redrive()).toMatchObject({ restarted: 1 });
  expect(await passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await first(scheduleId)).toMatchObject({ state: 'linked', workflowId, runId });
});

it('a role that may not describe namespaces recovers what a dead trigger had announced', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const connection = refusing(inject('temporalAddress'), PERMISSION_DENIED, (method) => method === 'DescribeNamespace');
  const trigger = await ledger().trigger({ connection });
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const { runId } = await first(scheduleId);
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = $1`,
    [new Date(DUE)],
  );
  ledger().clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ restarted: 1 });
  expect(await first(scheduleId)).toMatchObject({ state: 'linked', runId });
});

it('firings of a namespace that does not exist are given up after an hour, or once they are outside their window', async () => {
  const namespace = 'no-such-namespace';
  const patient = await ledger().client.create(someSchedule({ namespace }));
  const hasty = await ledger().client.create(someSchedule({ namespace, policies: { catchupWindow: '10 minutes' } }));
  const trigger = await ledger().trigger();
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ deferred: 2 });
  expect((await first(patient.scheduleId)).lastError).toMatch(/no-such-namespace/);

  await minutesOfPasses(trigger, 15, async () => (await first(hasty.scheduleId)).state === 'abandoned');
  expect(await first(hasty.scheduleId)).toMatchObject({ state: 'abandoned', reason: 'outside_catchup_window' });
  expect(await first(patient.scheduleId)).toMatchObject({ state: 'claimed' });
  await minutesOfPasses(trigger, 60, async () => (await first(patient.scheduleId)).state === 'abandoned');
  expect(await first(patient.scheduleId)).toMatchObject({ state: 'abandoned', reason: 'start_refused' });
  expect((await letters()).map(({ reason }) => reason).sort()).toEqual(['outside_catchup_window', 'start_refused']);
  const { level, message, meta } = ledger().log.lines.find(({ meta: { namespace } }) => namespace !== undefined)!;
  expect({ level, message, namespace: meta.namespace, error: meta.error }).toEqual({
    level: 'warn',
    message: 'Temporal refuses the namespace: due firings wait',
    namespace,
    error: expect.stringContaining('no-such-namespace'),
  });
});

it('a check of what waits that Postgres ends is no failure of the pass, and is made again ten seconds later', async () => {
  await ledger().client.create(someSchedule({ namespace: 'no-such-namespace' }));
  const canceled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  let reads = 0;
  const before = async (text: string) => {
    if (!text.includes('"expiredBy"')) return;
    reads += 1;
    // The next pass begins beside this read.
    if (reads === 1) await passes.reconcile();
    ledger().clock.advance(10_000);
    throw canceled;
  };
  const pool = watchedPool(ledger(), { before });
  const { passes } = await ledger().trigger({ connectionString: undefined, pool });
  ledger().clock.set(DUE);
  await passes.claim();
  await passes.dispatch();
  for (const [seconds, made] of [
    [1, 1],
    [9, 1],
    [1, 2],
  ] as const) {
    ledger().clock.advance(seconds * 1_000);
    expect(await passes.reconcile()).toMatchObject({ abandoned: 0 });
    expect(reads).toBe(made);
  }
  expect(ledger().log.messages()).toContain(
    'the check for waiting firings to abandon took too long; it is tried again',
  );
});

it('firings that another trigger may start are not given up by one that Temporal refuses', async () => {
  await ledger().client.create(someSchedule());
  await ledger().client.create(someSchedule());
  const states = async () =>
    (await ledger().query('select state from escapement.firings order by state')).map(({ state }) => state);
  const slow = await ledger().trigger({ maxStartsPerSecond: { taskQueues: { 'nobody-polls': 1 / 86_400 } } });
  const connection = refusing(inject('temporalAddress'), UNAUTHENTICATED, (method) => method !== 'GetSystemInfo');
  const [refused, alsoRefused] = [await ledger().trigger({ connection }), await ledger().trigger({ connection })];
  ledger().clock.set(DUE);
  await slow.passes.claim();
  expect(await slow.passes.dispatch()).toMatchObject({ linked: 1 });
  const isGivenUp = async () => (await states()).includes('abandoned');
  await minutesOfPasses(refused, 70, isGivenUp, slow);
  // Nor is one that a third trigger has taken, and could not start.
  expect(await alsoRefused.passes.dispatch()).toMatchObject({ deferred: 1 });
  await minutesOfPasses(refused, 3, isGivenUp, slow);
  expect(await states()).toEqual(['claimed', 'linked']);
  // The slow trigger is gone for some minutes, as when it restarts or loses Temporal.
  await minutesOfPasses(refused, 10, isGivenUp, alsoRefused);
  await minutesOfPasses(refused, 5, isGivenUp, slow);
  expect(await states()).toEqual(['claimed', 'linked']);
  // It is gone for good, and the only other one is refused too. A trigger that reports nothing is of a version that
  // starts no waiting firings.
  await ledger().query(`insert into escapement.triggers (id, host, version, heartbeat_at)
    values (gen_random_uuid(), 'old', '0.0.1', '2026-03-02')`);
  await minutesOfPasses(refused, 55, isGivenUp, alsoRefused);
  expect(await states()).toEqual(['claimed', 'linked']);
  await minutesOfPasses(refused, 10, isGivenUp, alsoRefused);
  expect(await states()).toEqual(['abandoned', 'linked']);
});

it('a namespace that refused is asked again while Postgres is away', async () => {
  await ledger().client.create(someSchedule());
  let [isAway, isRefused, asked] = [false, true, 0];
  const connection = refusing(inject('temporalAddress'), UNAUTHENTICATED, (method) => {
    if (isAway) asked += 1;
    return isRefused && method !== 'GetSystemInfo';
  });
  const pool = watchedPool(ledger(), {
    before: () => {
      if (isAway) throw new Error('Postgres is away');
    },
  });
  const { passes } = await ledger().trigger({ connection, connectionString: undefined, pool });
  ledger().clock.set(DUE);
  await passes.claim();
  await passes.dispatch();
  ledger().clock.advance(60_000);
  [isAway, isRefused] = [true, false];
  await passes.askAway();
  expect(asked).toBeGreaterThan(0);
  isAway = false;
});

it('firings that nobody answers for wait, however long', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const connection = { address: inject('temporalAddress') };
  const away = refusing(connection.address, 14, (method) => method !== 'GetSystemInfo');
  const trigger = await ledger().trigger({ connection: away });
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await minutesOfPasses(trigger, 70, async () => false);
  expect(await first(scheduleId)).toMatchObject({ state: 'claimed', startAttempts: 0 });
  const other = await ledger().trigger();
  ledger().clock.advance(31_000);
  await other.passes.reconcile();
  await other.passes.dispatch();
  expect(await first(scheduleId)).toMatchObject(linked);
});
