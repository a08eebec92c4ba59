import { msToTs } from '@temporalio/common/lib/time';
import { expect, it } from 'vitest';
import { gate } from '../support/leases/lease-activities';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

/** A client of the server that does something once, after the server has described a schedule for the nth time. */
function afterDescribing(nth: number, work: () => Promise<unknown>) {
  let described = 0;
  return withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      if (++described === nth) await work();
      return answer;
    },
  });
}

/** Native's next time is half an hour away, so that it does not come up during the test. */
function inHalfAnHour() {
  const offset = `${(Math.floor(Date.now() / 1_000) + 1_800) % 3_600}s` as const;
  return { intervals: [{ every: '1h' as const, offset }] };
}

const MEANWHILE = { status: 'refused', reason: 'another call has moved it meanwhile' };

it('two roll backs at once leave the native schedule live: what one has stopped, the other does not take for paused by a person', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  await client.cutOver({ from, ...which });
  const [reached, goOn] = [gate(), gate()];
  const slow = withCalls(from, {
    patchSchedule: async (request, real) => {
      reached.open();
      await goOn.promise;
      return real(request);
    },
  });
  let other: ReturnType<typeof client.rollBack> | undefined;
  const first = await client.rollBack({
    from: afterDescribing(1, async () => {
      other = client.rollBack({ from: slow, ...which });
      await reached.promise;
    }),
    ...which,
  });
  goOn.open();
  expect(first.schedules).toMatchObject([{ status: 'moved', paused: false }]);
  expect((await other!).schedules).toMatchObject([MEANWHILE]);
  const native = from.schedule.getHandle(scheduleId);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('of two cut-overs at once, the second takes what native had not handled before the first paused it', async () => {
  const { client: from } = worker();
  // Half an hour lies between native's times and this test, so that none comes up during it.
  const unhandled = new Date((Math.floor(Date.now() / 1_000) - 1_800) * 1_000);
  const offset = `${(unhandled.getTime() / 1_000) % 3_600}s` as const;
  const scheduleId = await nativeSchedule({ spec: { intervals: [{ every: '1h', offset }] } });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId], at: unhandled };
  const [paused, goOn] = [gate(), gate()];
  const first = withCalls(from, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      // As a server answers that is behind; it passes over this time once it is paused.
      if (!answer.schedule!.state!.paused) answer.info!.futureActionTimes!.unshift(msToTs(unhandled.getTime()));
      return answer;
    },
    patchSchedule: async (request, real) => {
      const answer = await real(request);
      paused.open();
      await goOn.promise;
      return answer;
    },
  });
  let other: ReturnType<typeof client.cutOver> | undefined;
  const second = withCalls(from, {
    describeSchedule: async (request, real) => {
      other ??= client.cutOver({ from: first, ...which });
      await paused.promise;
      return real(request);
    },
  });
  const { schedules } = await client.cutOver({ from: second, ...which });
  goOn.open();
  expect(schedules).toMatchObject([{ status: 'moved', from: unhandled }]);
  expect((await other!).schedules).toMatchObject([MEANWHILE]);
});

it('a cut-over that comes late does not pause the native schedule that another call has moved and rolled back', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  const late = afterDescribing(2, async () => {
    await client.cutOver({ from, ...which });
    expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: false }]);
  });
  expect((await client.cutOver({ from: late, ...which })).schedules).toMatchObject([MEANWHILE]);
  expect((await from.schedule.getHandle(scheduleId).describe()).state.paused).toBe(false);
});

it('a cut-over that comes late leaves a roll back what that has stopped', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  const killed = withCalls(from, {
    patchSchedule: async () => {
      throw new Error('killed');
    },
  });
  const late = afterDescribing(2, async () => {
    await client.cutOver({ from, ...which });
    await expect(client.rollBack({ from: killed, ...which })).rejects.toThrow('killed');
  });
  expect((await client.cutOver({ from: late, ...which })).schedules).toMatchObject([MEANWHILE]);
  expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: false }]);
});

it('a roll back that comes late does not unpause the native schedule that another call has rolled back and cut over again', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  await client.cutOver({ from, ...which });
  const late = afterDescribing(2, async () => {
    await client.rollBack({ from, ...which });
    expect((await client.cutOver({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: false }]);
  });
  expect((await client.rollBack({ from: late, ...which })).schedules).toMatchObject([MEANWHILE]);
  expect((await from.schedule.getHandle(scheduleId).describe()).state.paused).toBe(true);
});

it('a cut-over that finds native changed, and comes late, leaves the schedule that was imported again and cut over', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  await from.schedule.getHandle(scheduleId).update((previous) => ({ ...previous, memo: { changed: true } }));
  const changed = { status: 'refused', reason: expect.stringContaining('it was changed there') };
  const late = afterDescribing(1, async () => {
    expect((await client.cutOver({ from, ...which })).schedules).toMatchObject([changed]);
    const query = `ScheduleId = '${scheduleId}'`;
    expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'updated' }]);
    expect((await client.cutOver({ from, ...which })).schedules).toMatchObject([{ status: 'moved' }]);
  });
  expect((await client.cutOver({ from: late, ...which })).schedules).toMatchObject([MEANWHILE]);
  expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status: 'moved' }]);
});

it('a roll back of a paused schedule that comes late leaves it to the cut-over that followed another one', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  await client.cutOver({ from, ...which });
  await client.getHandle(scheduleId).pause('by a person');
  // As a roll back leaves it that was killed once it had stopped the schedule here.
  await ledger().query(`update escapement.moves set state = 'rolling_back', stays_paused = true, note = 'by a person',
    evidence = jsonb_build_object('answeredTo', 0, 'remainingActions', null, 'unpausedAt', null)`);
  const late = afterDescribing(1, async () => {
    for (const status of ['moved', 'unchanged'])
      expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status, paused: true }]);
    expect((await client.cutOver({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: true }]);
  });
  expect((await client.rollBack({ from: late, ...which })).schedules).toMatchObject([MEANWHILE]);
  expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: true }]);
});

it('a cut-over whose pause arrives after a roll back says that the native schedule may be paused', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  const late = withCalls(from, {
    patchSchedule: async (request, real) => {
      await client.cutOver({ from, ...which });
      expect((await client.rollBack({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused: false }]);
      return real(request);
    },
  });
  expect((await client.cutOver({ from: late, ...which })).schedules).toMatchObject([
    { ...MEANWHILE, reason: `${MEANWHILE.reason}; look whether its native schedule is paused` },
  ]);
});

it('a cut-over whose move another call ends at that moment changes nothing here', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: inHalfAnHour() });
  const client = await imported(scheduleId);
  // As another call that commits after this one has read the move.
  await ledger().query(`create function escapement.meanwhile() returns trigger language plpgsql as $$ begin
      update escapement.moves set state = 'imported'; return new; end $$;
    create trigger meanwhile before update on escapement.schedules for each row execute function escapement.meanwhile()`);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { ...MEANWHILE, reason: `${MEANWHILE.reason}; look whether its native schedule is paused` },
  ]);
  expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(true);
});

it('an import does not stop a schedule that was cut over since the import has read it', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId, true);
  const { schedules } = await client.importSchedules({
    from: afterDescribing(2, () => client.cutOver({ from, scheduleIds: [scheduleId] })),
    query: `ScheduleId = '${scheduleId}'`,
  });
  expect(schedules).toMatchObject([MEANWHILE]);
  expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(false);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'unchanged' },
  ]);
});

it('a schedule that is deleted here during its cut-over keeps no other from being cut over', async () => {
  const scheduleIds = [await nativeSchedule(), await nativeSchedule()];
  const [deleted] = scheduleIds;
  for (const scheduleId of scheduleIds) await imported(scheduleId);
  const client = ledger().newClient({ now: undefined as never, namespace: worker().namespace });
  let isDeleted = false;
  const from = withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      if (request.scheduleId === deleted && !isDeleted) {
        isDeleted = true;
        await client.getHandle(deleted!).delete();
      }
      return real(request);
    },
  });
  const { schedules } = await client.cutOver({ from, scheduleIds });
  const statusOf = (scheduleId: string) => schedules.find((one) => one.scheduleId === scheduleId)?.status;
  expect(scheduleIds.map(statusOf)).toEqual(['refused', 'moved']);
});
