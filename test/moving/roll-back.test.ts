import { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { MovedSchedule } from '../../moving/move-options';
import { uniqueName, useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';
import { type Calls, withCalls } from '../support/temporal-calls';
import { invertingCodec } from '../support/workers/codec';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const moves = useMoves(ledger, worker);

it('takes what runs here from the actions that are left, and says what was changed here and is not carried back', async () => {
  const { client: from } = worker();
  const state = { remainingActions: 500 };
  const scheduleId = await moves.nativeSchedule({ state });
  const client = await moves.imported(scheduleId);
  await client.getHandle(scheduleId).update((previous) => ({ ...previous, policies: { overlap: 'SKIP' } }));
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId] });
  const { remainingActions: left } = (await client.getHandle(scheduleId).describe()).state;
  // No trigger runs, so times that are due before the roll back must run here.
  const isDue = () => Date.now() > schedules[0]!.from!.getTime() + 2_000;
  await expect.poll(isDue, { timeout: 60_000 }).toBe(true);
  const native = from.schedule.getHandle(scheduleId);
  const { numActionsTaken: before } = (await native.describe()).info;
  const { code, stdout } = await runCommand(['roll-back', scheduleId, '--json'], moves.environment());
  expect(code).toBe(0);
  const row = JSON.parse(stdout);
  expect(row.taken.length).toBeGreaterThanOrEqual(3);
  expect(row.notes).toContainEqual(expect.stringContaining('changed here since it was imported'));
  expect(await usedOrLeft(scheduleId, row, before)).toBe(left);
});

/** The actions that a roll back's runs here and native's runs since have used, and those that are left there. */
async function usedOrLeft(scheduleId: string, { taken, notes }: MovedSchedule, before: number): Promise<number> {
  const native = worker().client.schedule.getHandle(scheduleId);
  const { state, info } = await native.describe();
  await native.pause('the test is over');
  const beyond = Number.parseInt(notes.find((note) => note.includes('beyond')) ?? '0', 10);
  return taken.length - beyond + info.numActionsTaken - before + state.remainingActions!;
}

it('runs nothing that a freeze has held back or that a person has excluded, and gives native the actions of these', async () => {
  const { client: from } = worker();
  const scheduleId = await moves.nativeSchedule({ state: { remainingActions: 500 } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const handle = client.getHandle(scheduleId);
  const { remainingActions: left } = (await handle.describe()).state;
  const excluded = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000);
  await handle.exclude(excluded);
  await expect.poll(() => Date.now() > excluded.getTime(), { timeout: 60_000 }).toBe(true);
  const to = new Date(Date.now() + 3_600_000);
  const { freeze } = await client.freezes.create({ scheduleIds: [scheduleId], to });
  // No trigger runs, so nothing has answered these times.
  await expect.poll(() => Date.now() > freeze.from.getTime() + 3_000, { timeout: 60_000 }).toBe(true);
  const { numActionsTaken: before } = (await from.schedule.getHandle(scheduleId).describe()).info;
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  expect(await usedOrLeft(scheduleId, schedules[0]!, before)).toBe(left);
  const held = expect.stringMatching(/^\d+ times that a freeze held back/);
  expect(schedules).toMatchObject([{ notes: [held, expect.stringMatching(/^freeze .*: its later times fire$/)] }]);
  expect(schedules[0]!.taken).not.toContainEqual(excluded);
  for (const time of schedules[0]!.taken) expect(time.getTime()).toBeLessThan(freeze.from.getTime());
});

it('runs nothing of a freeze that begins while it waits for the server to act on the unpause', async () => {
  const { client: to } = worker();
  const scheduleId = await moves.nativeSchedule();
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from: to, scheduleIds: [scheduleId] });
  let begun: Date | undefined;
  const from = withCalls(to, {
    patchSchedule: async (request, real) => {
      const end = new Date(Date.now() + 3_600_000);
      begun = (await client.freezes.create({ scheduleIds: [scheduleId], to: end })).freeze.from;
      // As the old scheduler does that handles the signal late: it passes over what was due before.
      await expect.poll(() => Date.now() > begun!.getTime() + 3_000, { timeout: 60_000 }).toBe(true);
      return real(request);
    },
  });
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  await to.schedule.getHandle(scheduleId).delete();
  const held = expect.stringMatching(/^\d+ times that a freeze held back/);
  expect(schedules).toMatchObject([{ notes: [held, expect.stringMatching(/^freeze .*: its later times fire$/)] }]);
  for (const time of schedules[0]!.taken) expect(time.getTime()).toBeLessThan(begun!.getTime());
});

it('says when the pause of a schedule would have ended here, also if it is killed once it has stopped here', async () => {
  const { client: from } = worker();
  const scheduleId = await moves.nativeSchedule();
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const until = new Date(Date.now() + 3_600_000);
  const excluded = new Date((Math.ceil(until.getTime() / 1_000) + 60) * 1_000);
  await client.getHandle(scheduleId).exclude(excluded);
  await client.getHandle(scheduleId).pause({ until });
  await ledger().query(`create function escapement.killed() returns trigger language plpgsql as $$
      begin raise exception 'killed'; end $$;
    create trigger killed before update on escapement.moves for each row when (new.state = 'imported')
      execute function escapement.killed()`);
  await expect(client.rollBack({ from, scheduleIds: [scheduleId] })).rejects.toThrow('killed');
  await ledger().query('drop trigger killed on escapement.moves');
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  expect(schedules).toMatchObject([
    {
      status: 'moved',
      paused: true,
      notes: [
        expect.stringContaining(`paused until ${until.toISOString()}, when`),
        `excluded times fire, 1 from ${excluded.toISOString()} on`,
      ],
    },
  ]);
});

it('names the excluded times and freezes ahead, which do not hold native', async () => {
  const { client: from } = worker();
  // Native's next time is half an hour away, so that it does not come up during the test.
  const next = (Math.floor(Date.now() / 1_000) + 1_800) * 1_000;
  const offset = `${(next / 1_000) % 3_600}s` as const;
  const scheduleId = await moves.nativeSchedule({ spec: { intervals: [{ every: '1h', offset }] } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const excluded = new Date(next + 7 * 86_400_000);
  await client.getHandle(scheduleId).exclude(excluded);
  const { freeze } = await client.freezes.create({ scheduleIds: [scheduleId], to: new Date(next + 1_000) });
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  await from.schedule.getHandle(scheduleId).delete();
  const stretch = `from ${freeze.from.toISOString()} to ${freeze.to.toISOString()}`;
  expect(schedules).toMatchObject([
    {
      from: new Date(next),
      notes: [
        `excluded times fire, 1 from ${excluded.toISOString()} on`,
        `freeze ${freeze.freezeId} ${stretch}: its later times fire`,
      ],
    },
  ]);
});

it.each([
  ['set', undefined, 3],
  ['lifted', 500, undefined],
])('gives native the limit of actions that was %s here', async (_, there, here) => {
  const { client: from } = worker();
  // Native's next time is half an hour away, so that it does not come up during the test.
  const offset = `${(Math.floor(Date.now() / 1_000) + 1_800) % 3_600}s` as const;
  const scheduleId = await moves.nativeSchedule({
    spec: { intervals: [{ every: '1h', offset }] },
    state: { remainingActions: there },
  });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  await client.getHandle(scheduleId).update((previous) => ({ ...previous, state: { remainingActions: here } }));
  expect((await client.rollBack({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
  const native = from.schedule.getHandle(scheduleId);
  const { state } = await native.describe();
  await native.delete();
  expect(state).toMatchObject({ paused: false, remainingActions: here });
});

it('starts nothing before its time if the schedule was made more frequent here', async () => {
  const { client: from } = worker();
  // Native's next time is half an hour away, so that it does not come up during the test.
  const offset = `${(Math.floor(Date.now() / 1_000) + 1_800) % 3_600}s` as const;
  const scheduleId = await moves.nativeSchedule({ spec: { intervals: [{ every: '1h', offset }] } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  await client.getHandle(scheduleId).update((previous) => ({ ...previous, spec: { intervals: [{ every: '1s' }] } }));
  const changedAt = Date.now();
  // No trigger runs, so nothing has answered these times.
  await expect.poll(() => Date.now() > changedAt + 3_000, { timeout: 60_000 }).toBe(true);
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  const native = from.schedule.getHandle(scheduleId);
  const { nextActionTimes } = (await native.describe()).info;
  await native.pause('the test is over');
  expect(schedules).toMatchObject([{ from: nextActionTimes[0], notes: [expect.stringContaining('changed here')] }]);
  const { taken } = schedules[0]!;
  expect(taken.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...taken.map(Number))).toBeLessThanOrEqual(Date.now());
});

it('starts nothing before its time if native was changed while it waited for its instant', async () => {
  const { client: real } = worker();
  const hour = 3_600;
  // Native's next time is half an hour away, so that it does not come up during the test.
  const next = Math.floor(Date.now() / 1_000) + hour / 2;
  const later = next + 5 * hour;
  const scheduleId = await moves.nativeSchedule({ spec: { intervals: [{ every: '1h', offset: `${next % hour}s` }] } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from: real, scheduleIds: [scheduleId] });
  const native = real.schedule.getHandle(scheduleId);
  const daily = { intervals: [{ every: '24h' as const, offset: `${later % (24 * hour)}s` as const }] };
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      // The first question is from before the wait.
      if (++described === 2) await native.update((previous) => ({ ...previous, spec: daily }));
      return call(request);
    },
  });
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId], at: new Date() });
  await native.delete();
  expect(schedules).toMatchObject([{ status: 'moved', from: new Date(later * 1_000), taken: [] }]);
});

it.each<[string, string, NonNullable<Calls['describeSchedule']>]>([
  ['deleted', 'stays here as it is', (request, call) => call({ ...request, scheduleId: 'deleted' })],
  [
    'moved between the schedulers of its server',
    'try again later',
    async (request, call) => {
      const answer = await call(request);
      answer.schedule!.state = { paused: true, notes: 'paused for migration to workflow-backed scheduler' };
      return answer;
    },
  ],
])('is refused if native was %s while it waited for its instant, and goes on here', async (_, words, changed) => {
  const { client: real } = worker();
  // Native's next time is half an hour away, so that it does not come up during the test.
  const offset = `${(Math.floor(Date.now() / 1_000) + 1_800) % 3_600}s` as const;
  const scheduleId = await moves.nativeSchedule({ spec: { intervals: [{ every: '1h', offset }] } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from: real, scheduleIds: [scheduleId] });
  let described = 0;
  const from = withCalls(real, {
    // The first question is from before the wait.
    describeSchedule: (request, call) => (++described > 1 ? changed(request, call) : call(request)),
  });
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId], at: new Date() });
  await real.schedule.getHandle(scheduleId).delete();
  expect(schedules).toMatchObject([{ status: 'refused', reason: expect.stringContaining(words) }]);
  expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(false);
});

it('lets no more of what waits run here than the actions that are left, and gives native none of these', async () => {
  const { client: from } = worker();
  const spec = { intervals: [{ every: '1h' as const }] };
  const state = { remainingActions: 2 };
  const scheduleId = await moves.nativeSchedule({ spec, state, policies: { overlap: 'BUFFER_ALL' } });
  const client = await moves.imported(scheduleId);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const handle = client.getHandle(scheduleId);
  await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: '1s' }] } }));
  const { passes } = await ledger().trigger({ clock: undefined as never });
  const firings = () =>
    ledger().query<{ of: string }>(`select state || ' ' || kind as of from escapement.firings where state <> 'skipped'
      order by scheduled_time`);
  const isWaiting = async () => {
    await passes.claim();
    return (await firings()).length;
  };
  await expect.poll(isWaiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  const native = from.schedule.getHandle(scheduleId);
  const { remainingActions } = (await native.describe()).state;
  await native.delete();
  expect(schedules).toMatchObject([{ taken: [] }]);
  expect(remainingActions).toBe(0);
  await passes.claim();
  expect(await firings()).toEqual([{ of: 'claimed backfill' }, { of: 'buffered backfill' }]);
});

it('needs no codec for a schedule with encrypted arguments: neither side would fire after a failure halfway', async () => {
  const { client: from, taskQueue } = worker();
  const encrypting = new Client({ ...from.options, dataConverter: { payloadCodecs: [invertingCodec] } });
  const scheduleId = uniqueName('encrypted');
  await encrypting.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1h' }] },
    action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [0], memo: { secret: 1 } },
  });
  const client = await moves.imported(scheduleId, false, true);
  await client.cutOver({ from, scheduleIds: [scheduleId] });
  const { schedules } = await client.rollBack({ from, scheduleIds: [scheduleId] });
  const { namespace } = worker();
  const { schedule } = await from.connection.workflowService.describeSchedule({ namespace, scheduleId });
  await from.schedule.getHandle(scheduleId).delete();
  expect(schedules).toMatchObject([{ status: 'moved', paused: false }]);
  expect(schedule?.state?.paused ?? false).toBe(false);
});
