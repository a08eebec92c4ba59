import { expect, inject, it, vi } from 'vitest';
import { exportSchedules } from '../../moving/export/export';
import { uniqueName, useLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker();
const environment = () => ({ DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') });
const command = (scheduleId: string) => ['export', '--json', '--query', `ScheduleId = "${scheduleId}"`];
const exported = async (scheduleId: string, ...flags: string[]) =>
  JSON.parse((await runCommand([...command(scheduleId), ...flags], environment())).stdout.trim());

/** Without a trigger, the export of a schedule that fires each second waits for what is due. */
const EACH_SECOND = '* * * * * *';

const NOTE = 'Exported to a native schedule of Temporal';

/** The answer where only a person can tell which of the two schedules should run. */
const UNCLEAR = { status: 'left', reason: expect.stringContaining('its native schedule runs') };

async function create(cron: string) {
  const scheduleId = uniqueName('again');
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  const handle = await ledger()
    .newClient({ now: undefined as never })
    .create({ scheduleId, spec: { cron }, action });
  const native = worker().client.schedule.getHandle(scheduleId);
  const live = () =>
    vi.waitFor(async () => expect((await native.describe()).state.paused).toBe(false), { timeout: 60_000 });
  return { scheduleId, handle, native, live };
}

it('an export that is repeated says that the native schedule of one runs that a person paused after an interrupted export', async () => {
  const { scheduleId, handle, native, live } = await create(EACH_SECOND);
  const interrupted = runCli(command(scheduleId), environment());
  await live();
  interrupted.kill('SIGKILL');
  await interrupted.ended();
  await handle.pause({ note: 'an incident' });

  expect(await exported(scheduleId)).toMatchObject(UNCLEAR);
  expect((await native.describe()).state.paused).toBe(false);
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'an incident' });

  await native.pause();
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  await native.delete();
});

it.each([
  ['unpaused the native schedule', false],
  ['paused ours', true],
])('an export that was killed before it %s is finished by the next one', async (_, isLive) => {
  const { scheduleId, handle, native } = await create('@daily');
  // As an export leaves it that was killed there.
  await runCommand([...command(scheduleId), '--paused'], environment());
  if (isLive) await native.unpause(NOTE);
  expect((await native.describe()).state.paused).toBe(!isLive);
  expect((await handle.describe()).state.paused).toBe(false);

  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  expect((await native.describe()).state.paused).toBe(false);
  expect((await handle.describe()).state.paused).toBe(true);
  await native.delete();
});

it('an export that is repeated stops no native schedule whose own was unpaused and paused again since', async () => {
  const { scheduleId, handle, native } = await create('@daily');
  expect(await exported(scheduleId)).toMatchObject({ status: 'created' });
  await handle.unpause();
  await handle.pause({ note: 'unpaused by mistake' });
  expect(await exported(scheduleId)).toMatchObject(UNCLEAR);
  expect(await exported(scheduleId, '--dry-run')).toMatchObject(UNCLEAR);
  expect((await native.describe()).state.paused).toBe(false);

  await handle.unpause();
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged' });
  expect((await handle.describe()).state.paused).toBe(true);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('an export that is repeated leaves the native schedule of one that was handed over live, whatever note people gave ours since', async () => {
  const { scheduleId, handle, native } = await create('@daily');
  expect(await exported(scheduleId)).toMatchObject({ status: 'created' });
  await handle.pause({ note: 'moved to Temporal, see the run-book' });
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged', notes: [expect.any(String)] });
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('an export that is repeated leaves a native schedule live that a person unpaused', async () => {
  const { scheduleId, handle, native } = await create('@daily');
  await handle.pause({ note: 'until May' });
  expect(await exported(scheduleId)).toMatchObject({ status: 'created' });
  await native.unpause('by hand');
  expect(await exported(scheduleId)).toMatchObject({ status: 'unchanged', notes: [expect.any(String)] });
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('an export whose schedule another one hands over meanwhile leaves the native schedule live', async () => {
  const { scheduleId, handle, native, live } = await create(EACH_SECOND);
  const waiting = exported(scheduleId);
  await live();
  // As the other one leaves it.
  await handle.pause({ note: NOTE });
  expect(await waiting).toMatchObject({ status: 'created', notes: [expect.any(String)] });
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});

it('an export takes a schedule whose timed pause is over for live, also if no trigger has ended the pause yet', async () => {
  const { scheduleId, handle, native, live } = await create('@daily');
  await handle.pause({ until: '1 hour' });
  expect(await exported(scheduleId)).toMatchObject({
    notes: [expect.any(String), expect.stringMatching(/^paused until/)],
  });
  await ledger().query(`update escapement.schedules set paused_until = now() - interval '1 minute'`);
  await ledger().query(`update escapement.timers set wake_at = now()`);
  const waiting = exported(scheduleId);
  await live();
  expect(await ledger().query('select paused from escapement.schedules')).toEqual([{ paused: true }]);
  await (await ledger().trigger({ clock: undefined as never })).passes.claim();
  expect(await waiting).toMatchObject({ status: 'unchanged', notes: [expect.any(String)] });
  expect((await native.describe()).state.paused).toBe(false);
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: NOTE });
  await native.delete();
});

it('an export says that the native schedule may fire on if ours was deleted meanwhile and Temporal does not pause it', async () => {
  const { scheduleId, handle, native } = await create('@daily');
  const unavailable = { code: 14, details: 'unavailable', metadata: {} };
  const to = withCalls(worker().client, {
    patchSchedule: async (request, real) => {
      if (request.patch?.pause) throw Object.assign(new Error('unavailable'), unavailable);
      await handle.delete();
      return real(request);
    },
  });
  const postgres = { connectionString: ledger().databaseUrl };
  const exports = exportSchedules({ ledger: postgres, to, query: `ScheduleId = "${scheduleId}"` });
  expect((await exports.next()).value).toMatchObject({
    status: 'left',
    reason: expect.stringMatching(/may fire on \(.*unavailable.*\): pause or delete it yourself/),
  });
  await exports.return(undefined);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});
