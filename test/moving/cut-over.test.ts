import { describe, expect, it } from 'vitest';
import type { EscapementClient } from '../../client/client';
import type { RawSchedule } from '../../moving/native/native';
import { pauseNote } from '../../moving/native/standing';
import { useLedger } from '../support/ledger';
import { runsOf, useMoves, wholeRunsOf } from '../support/moving/moving';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

type Native = NonNullable<RawSchedule['schedule']>;

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { environment, withTrigger, nativeSchedule, imported, untilRan, untilNothingIsOpen } = useMoves(ledger, worker);

describe('a schedule that fires each second', () => {
  it('runs each nominal time once while it is cut over and rolled back: there before the instant, here from it on', async () => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule();
    const client = await imported(scheduleId, true);
    const { over, back } = await withTrigger(async () => {
      await untilRan(scheduleId, 'native', 3);
      const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
      const over = await client.cutOver({ from, scheduleIds: [scheduleId], at });
      expect(over.schedules).toMatchObject([{ status: 'moved', from: expect.any(Date) }]);
      expect(over.schedules[0]!.from!.getTime()).toBeGreaterThanOrEqual(at.getTime());
      const { state } = await from.schedule.getHandle(scheduleId).describe();
      expect(state).toMatchObject({ paused: true, note: expect.stringContaining('Escapement') });
      await untilRan(scheduleId, 'ours', 4);
      expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
        { status: 'unchanged' },
      ]);
      const natives = [...(await runsOf(from, scheduleId)).values()].flat().filter((one) => one === 'native').length;
      const back = await client.rollBack({ from, all: true });
      expect(back.schedules).toMatchObject([{ status: 'moved' }]);
      await untilRan(scheduleId, 'native', natives + 3);
      await from.schedule.getHandle(scheduleId).pause('the test is over');
      await untilNothingIsOpen();
      return { over, back };
    });
    expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(true);
    const runs = await wholeRunsOf(from, scheduleId);
    expect([...runs.values()].every((sides) => sides.length === 1)).toBe(true);
    const cut = over.schedules[0]!.from!.getTime();
    for (const [nominal, [side]] of runs) {
      if (nominal < cut) expect(side).toBe('native');
      else if (nominal < back.schedules[0]!.from!.getTime()) expect(side).toBe('ours');
    }
  });
});

it('stays paused on both sides where a person had paused it, and what was not imported is refused with 1', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ state: { paused: true, note: 'by a person' } });
  const client = await imported(scheduleId);
  const { code, stdout } = await runCommand(['cut-over', scheduleId, 'nobody', '--json'], environment());
  expect(code).toBe(1);
  const rows = stdout.split('\n').map((line) => JSON.parse(line));
  expect(rows.find((row) => row.scheduleId === scheduleId)).toMatchObject({ status: 'moved', paused: true });
  expect(rows.find((row) => row.scheduleId === 'nobody')).toMatchObject({ status: 'refused' });
  expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: true, note: 'by a person' });
  expect((await client.rollBack({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ paused: true }]);
  const { state } = await from.schedule.getHandle(scheduleId).describe();
  expect(state).toMatchObject({ paused: true, note: 'by a person' });
});

it('needs no right to delete firings for a schedule that was not in shadow', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  // As Postgres refuses it to a role without that right, even if there is no row to delete.
  await ledger().query(`
    create function escapement.refuse() returns trigger language plpgsql as $$ begin raise insufficient_privilege; end $$;
    create trigger refuse before delete on escapement.firings for each statement execute function escapement.refuse()`);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
});

it.each([
  ...['spec', 'action', 'policies'].map((part) => [part, `'null'`, 'is damaged; update it first'] as const),
  ['policies', `policies || '{"overlap": "NEWER"}'`, 'policies.overlap'] as const,
])('is refused if its stored %s is %s, and native goes on', async (part, stored, words) => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  await ledger().query(`update escapement.schedule_versions set ${part} = ${stored}`);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'refused', reason: expect.stringContaining(words) },
  ]);
  const native = from.schedule.getHandle(scheduleId);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('is refused if native was changed while it stayed paused after a former move', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved' }]);
  await client.getHandle(scheduleId).pause('by a person');
  expect((await client.rollBack(which)).schedules).toMatchObject([{ status: 'moved', paused: true }]);
  const native = from.schedule.getHandle(scheduleId);
  await native.update((previous) => ({ ...previous, spec: { intervals: [{ every: '2h' }] } }));
  expect((await native.describe()).state).toMatchObject({ paused: true, note: expect.stringContaining('Escapement') });
  expect((await client.cutOver(which)).schedules).toMatchObject([
    { status: 'refused', reason: expect.stringContaining('it was changed there') },
  ]);
});

it('fires from now on if the schedule was made more frequent here since its import', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  await client.getHandle(scheduleId).update((previous) => ({ ...previous, spec: { intervals: [{ every: '1s' }] } }));
  const begunAt = Date.now();
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId] });
  expect(schedules).toMatchObject([{ status: 'moved', from: expect.any(Date) }]);
  expect(schedules[0]!.from!.getTime()).toBeGreaterThanOrEqual(begunAt);
  expect(schedules[0]!.from!.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
});

it('takes the instant of the last request, as long as nothing is paused: an earlier one may name next week', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  // As a cut-over and a roll back leave it that were killed while they waited for their instant.
  const killedIn = (state: string) =>
    ledger().query(`update escapement.moves set state = $1, evidence = null, at = now() + interval '7 days'`, [state]);
  await killedIn('cutting_over');
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
  await killedIn('rolling_back');
  expect((await client.rollBack({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
});

it('goes on at once after a pause of its own, whatever instant is requested: neither side fires meanwhile', async () => {
  const { client: from } = worker();
  // As a cut-over and a roll back leave it that were killed in between.
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h' }] },
    state: { paused: true, note: pauseNote('somebody') },
  });
  const client = await imported(scheduleId);
  const killedIn = (state: string, evidence: object) =>
    ledger().query('update escapement.moves set state = $1, stays_paused = false, evidence = $2', [state, evidence]);
  const which = { from, scheduleIds: [scheduleId], at: new Date(Date.now() + 3_600_000) };
  await killedIn('cutting_over', { first: null, last: null, lastStartedAt: null, buffered: 0 });
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved', paused: false }]);
  await killedIn('rolling_back', { answeredTo: Date.now(), remainingActions: null, unpausedAt: null });
  expect((await client.rollBack(which)).schedules).toMatchObject([{ status: 'moved', paused: false }]);
  expect(Date.now()).toBeLessThan(which.at.getTime());
});

it.each([
  ['changed', 'it was changed there', (schedule: Native) => (schedule.policies!.pauseOnFailure = true)],
  [
    'moved between the schedulers of its server',
    'try again later',
    (schedule: Native) =>
      (schedule.state = { paused: true, notes: 'paused for migration to workflow-backed scheduler' }),
  ],
])('is refused if native was %s while it waited, and native goes on', async (_, words, change) => {
  const { client: real } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      const answer = await call(request);
      // The first answer is from before the wait.
      if (++described > 1) change(answer.schedule!);
      return answer;
    },
  });
  const reason = expect.stringContaining(words);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'refused', reason },
  ]);
  const native = real.schedule.getHandle(scheduleId);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it.each([
  [
    'deleted',
    'there is no schedule',
    (client: EscapementClient, scheduleId: string) => client.getHandle(scheduleId).delete(),
  ],
  [
    'damaged',
    'is damaged; update it first',
    () => ledger().query(`update escapement.schedule_versions set spec = 'null'`),
  ],
  [
    'updated by a newer program',
    'form of a newer program',
    () => ledger().query('update escapement.timers set spec_format = 1000'),
  ],
])('is refused if it was %s here while it waited, and native goes on', async (_, words, change) => {
  const { client: real } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      // The first question is from before the wait.
      if (++described === 2) await change(client, scheduleId);
      return call(request);
    },
  });
  const reason = expect.stringContaining(words);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'refused', reason },
  ]);
  const native = real.schedule.getHandle(scheduleId);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('leaves the cut-over of another call alone that has begun after a further import', async () => {
  const { client: real } = worker();
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h' }] } });
  const client = await imported(scheduleId);
  const moves = () => ledger().query('select state, fingerprint from escapement.moves');
  let described = 0;
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      const answer = await call(request);
      if (++described > 1) {
        answer.schedule!.policies!.pauseOnFailure = true;
        await ledger().query(`update escapement.moves set fingerprint = 'of the further import'`);
      }
      return answer;
    },
  });
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'refused', reason: expect.stringContaining('another call has moved it') },
  ]);
  expect(await moves()).toEqual([{ state: 'cutting_over', fingerprint: 'of the further import' }]);
  await real.schedule.getHandle(scheduleId).delete();
});

it.each([
  ['with the cut-over', true],
  ['later, when the schedule sleeps', false],
])(
  'runs what the native schedule had buffered once each, in its order, where that is asked for %s',
  async (_, atOnce) => {
    const { client: from } = worker();
    const hour = 3_600_000;
    const first = Math.floor(Date.now() / hour) * hour - 3 * hour;
    const times = [new Date(first), new Date(first + hour)];
    // As a cut-over leaves it that was killed after its pause.
    const scheduleId = await nativeSchedule({
      spec: { intervals: [{ every: '1h' }] },
      policies: { overlap: 'BUFFER_ALL' },
      state: { paused: true, note: pauseNote('somebody') },
    });
    const client = await imported(scheduleId);
    await ledger().query(`update escapement.moves set state = 'cutting_over', stays_paused = true, evidence = $1`, [
      { first: first + 3 * hour, last: first - hour, lastStartedAt: first - hour, buffered: 2 },
    ]);
    const { passes } = await ledger().trigger();
    const claim = () => {
      ledger().clock.set(new Date(Date.now() + 1_000).toISOString());
      return passes.claim();
    };
    if (!atOnce) {
      const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId] });
      expect(schedules).toMatchObject([{ status: 'moved', buffered: times, taken: [] }]);
      await claim();
      expect(await ledger().query(`select from escapement.timers where wake_at = 'infinity'`)).toHaveLength(1);
    }
    const arguments_ = ['cut-over', scheduleId, '--take-buffer', '--json'];
    const taken = JSON.parse((await runCommand(arguments_, environment())).stdout);
    expect(taken).toMatchObject({ buffered: [], taken: times.map((time) => time.toJSON()) });
    expect(JSON.parse((await runCommand(arguments_, environment())).stdout)).toMatchObject({ taken: [] });

    const firings = () =>
      ledger().query(
        `select state, kind, scheduled_time as at from escapement.firings where reason is null order by at`,
      );
    const kind = 'backfill';
    await claim();
    expect(await firings()).toEqual([
      { state: 'claimed', kind, at: times[0] },
      { state: 'buffered', kind, at: times[1] },
    ]);
    await expect
      .poll(async () => {
        await passes.dispatch();
        await passes.observe();
        await claim();
        return firings();
      })
      .toEqual(times.map((at) => ({ state: 'closed', kind, at })));
  },
);
