import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOURLY = { intervals: [{ every: '1h' as const }] };
/** As the old scheduler writes it when it pauses on the failure of a workflow that could not parse binary data. */
const UNSTORABLE = 'failed: Unexpected token \0';
const STORED = 'failed: Unexpected token \uFFFD';

it.each([false, true])(
  'imports a note that Postgres cannot store, or that is too long here, as far as it can (shadow: %s)',
  async (shadow) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule({ state: { paused: true, note: UNSTORABLE + 'x'.repeat(4_000) } });
    const client = await imported(scheduleId, shadow);
    expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
    const handle = client.getHandle(scheduleId);
    const { state } = await handle.describe();
    expect(state).toMatchObject({ paused: true, note: (STORED + 'x'.repeat(4_000)).slice(0, 4_000) });
    await handle.update((previous) => ({ ...previous, spec: HOURLY }));
  },
);

it('cuts over a schedule that has got such a note since its import', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: HOURLY });
  const client = await imported(scheduleId);
  await from.schedule.getHandle(scheduleId).pause(UNSTORABLE);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([{ status: 'moved' }]);
  expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({ paused: true, note: STORED });
});

it('refuses only the schedule with a name in its memo that Postgres cannot store, and imports the others', async () => {
  const scheduleIds = [await nativeSchedule({ spec: HOURLY }), await nativeSchedule({ spec: HOURLY })];
  const { client } = worker();
  const from = withCalls(client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      const one = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') };
      if (request.scheduleId === scheduleIds[0]) answer.memo = { fields: { 'a\0b': one } };
      return answer;
    },
  });
  const query = `ScheduleId IN ('${scheduleIds.join("', '")}')`;
  const importAll = async (dryRun: boolean) =>
    (await ledger().client.importSchedules({ from, query, dryRun })).schedules;
  await expect.poll(() => importAll(true), { timeout: 60_000 }).toHaveLength(2);
  const schedules = await importAll(false);
  const statusOf = (scheduleId: string) => schedules.find((one) => one.scheduleId === scheduleId)?.status;
  expect(scheduleIds.map(statusOf)).toEqual(['refused', 'imported']);
});

it.each([
  ['is longer than a patch may be', '記'.repeat(400)],
  ['is empty', ''],
])('a roll back unpauses native with its note from before, even if that %s', async (_, note) => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec: HOURLY, state: { note } });
  const client = await imported(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  await client.cutOver(which);
  // An interrupted roll back leaves an empty note.
  await ledger().query('update escapement.moves set note = $1', [note]);
  expect((await client.rollBack(which)).schedules).toMatchObject([{ status: 'moved', paused: false }]);
  const { namespace } = worker();
  const { schedule } = await from.connection.workflowService.describeSchedule({ namespace, scheduleId });
  await from.schedule.getHandle(scheduleId).delete();
  expect(schedule?.state).toMatchObject({ notes: note });
  expect(schedule?.state?.paused ?? false).toBe(false);
});
