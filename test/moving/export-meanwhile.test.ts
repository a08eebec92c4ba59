import type { Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { EscapementClientOptions, ScheduleOptions } from '../../index';
import { type ExportedSchedule, type ExportOptions, exportSchedules } from '../../moving/export/export';
import { watchedPool } from '../support/connections/watched-pool';
import { uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';
import { type Calls, withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker();

function create(scheduleId: string, spec: ScheduleOptions['spec'] = { cron: '@daily' }) {
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  return ledger()
    .newClient({ now: undefined as never })
    .create({ scheduleId, spec, action });
}

async function exported(
  calls: Calls,
  postgres: EscapementClientOptions,
  options: Partial<ExportOptions> = {},
): Promise<ExportedSchedule[]> {
  const schedules: ExportedSchedule[] = [];
  for await (const one of exportSchedules({ ledger: postgres, to: withCalls(worker().client, calls), ...options }))
    schedules.push(one);
  return schedules;
}

it('an export leaves a schedule here, and its native one paused, if it was changed here meanwhile', async () => {
  const handle = await create(uniqueName('changed'));
  const native = worker().client.schedule.getHandle(handle.scheduleId);
  const schedules = await exported(
    {
      patchSchedule: async (request, real) => {
        if (request.patch?.unpause) {
          await handle.update((previous) => ({ ...previous, spec: { cron: '0 12 * * *' } }));
        }
        return real(request);
      },
    },
    { connectionString: ledger().databaseUrl },
  );
  expect(schedules).toMatchObject([{ status: 'left', reason: expect.stringContaining('changed in Escapement') }]);
  expect((await handle.describe()).state.paused).toBe(false);
  expect((await native.describe()).state.paused).toBe(true);
  await native.delete();
});

it('an export pauses ours only once the server has acted on the unpause of the native schedule', async () => {
  const handle = await create(uniqueName('slow'));
  const native = worker().client.schedule.getHandle(handle.scheduleId);
  let isAsked = false;
  const oursPaused: boolean[] = [];
  const schedules = await exported(
    {
      patchSchedule: async (request, real) => {
        isAsked = true;
        return real(request);
      },
      describeSchedule: async (request, real) => {
        const answer = await real(request);
        if (!isAsked || oursPaused.length === 3) return answer;
        oursPaused.push((await handle.describe()).state.paused);
        // As the old scheduler answers until it has handled the signal.
        answer.schedule!.state!.paused = true;
        return answer;
      },
    },
    { connectionString: ledger().databaseUrl },
  );
  expect(schedules).toMatchObject([{ status: 'created' }]);
  expect(oursPaused).toEqual([false, false, false]);
  expect((await handle.describe()).state.paused).toBe(true);
  await native.delete();
});

it('an export counts the times that a freeze has held back until native is live, which run on neither side', async () => {
  const handle = await create(uniqueName('frozen'), { intervals: [{ every: '1s' }] });
  const native = worker().client.schedule.getHandle(handle.scheduleId);
  const client = ledger().newClient({ now: undefined as never });
  await handle.trigger();
  const to = new Date(Date.now() + 3_600_000);
  const { freeze } = await client.freezes.create({ all: true, to, catchUp: 'ALL' });
  const { passes } = await ledger().trigger({ clock: undefined as never });
  await expect.poll(() => Date.now() > freeze.from.getTime() + 3_000, { timeout: 60_000 }).toBe(true);
  const isHeld = async () => {
    await passes.claim();
    const [{ at }] = (await ledger().query('select next_fire_at as at from escapement.timers')) as [{ at: Date }];
    return at >= to;
  };
  await expect.poll(isHeld, { timeout: 60_000 }).toBe(true);
  let liveAt = Number.POSITIVE_INFINITY;
  let settling: Promise<unknown> | undefined;
  const settle = async () => {
    await expect.poll(() => Date.now() > liveAt + 5_000, { timeout: 60_000 }).toBe(true);
    await passes.dispatch();
  };
  const describeSchedule: Calls['describeSchedule'] = async (request, real) => {
    const answer = await real(request);
    if (answer.schedule!.state!.paused) return answer;
    liveAt = Math.min(liveAt, Date.now());
    settling ??= settle();
    return answer;
  };
  const postgres = { connectionString: ledger().databaseUrl };
  const [{ status, notes }] = (await exported({ describeSchedule }, postgres)) as [ExportedSchedule];
  await settling;
  await native.delete();
  expect(status).toBe('created');
  expect(notes).toContainEqual(expect.stringMatching(/its later times fire$/));
  const [note] = notes.filter((one) => one.endsWith('times that a freeze held back run on neither side'));
  expect(Number.parseInt(note!, 10)).toBeGreaterThanOrEqual(3);
  expect(Number.parseInt(note!, 10)).toBeLessThanOrEqual((liveAt - freeze.from.getTime()) / 1_000 + 3);
});

it('an export that unpauses a native schedule again does not count what that one has run meanwhile', async () => {
  const handle = await create(uniqueName('again'), { intervals: [{ every: '1s' }] });
  const native = worker().client.schedule.getHandle(handle.scheduleId);
  const to = new Date(Date.now() + 3_600_000);
  await ledger()
    .newClient({ now: undefined as never })
    .freezes.create({ all: true, to, catchUp: 'ALL' });
  const { passes } = await ledger().trigger({ clock: undefined as never });
  const isHeld = async () => {
    await passes.claim();
    await passes.dispatch();
    const [{ at }] = (await ledger().query('select next_fire_at as at from escapement.timers')) as [{ at: Date }];
    return at >= to;
  };
  await expect.poll(isHeld, { timeout: 60_000 }).toBe(true);
  const postgres = { connectionString: ledger().databaseUrl };
  // As an earlier export leaves it that no trigger let end, and a person after it.
  await exported({}, postgres, { paused: true });
  await native.unpause();
  const runs = async () => (await native.describe()).info.numActionsTaken;
  await expect.poll(runs, { timeout: 60_000 }).toBeGreaterThan(1);
  await native.pause();
  const [{ status, notes }] = (await exported({}, postgres)) as [ExportedSchedule];
  await native.delete();
  expect(status).toBe('unchanged');
  const held = notes.filter((note) => note.includes('that a freeze held back'));
  expect(held).toEqual([expect.stringMatching(/^times .* if they were due while the native schedule was paused$/)]);
});

it('each call of an export to Temporal has a deadline, so that it cannot hang', async () => {
  const { scheduleId } = await create(uniqueName('deadline'));
  const { callContextStorage } = worker().client.connection as Connection;
  const asked = new Map<string, Set<boolean>>();
  const names = [
    'createSchedule',
    'describeSchedule',
    'patchSchedule',
    'listScheduleMatchingTimes',
    'describeNamespace',
  ];
  const calls = names.map((name) => {
    const note = (request: unknown, real: (request: unknown) => unknown) => {
      const hasDeadline = callContextStorage.getStore()?.deadline !== undefined;
      asked.set(name, (asked.get(name) ?? new Set()).add(hasDeadline));
      return real(request);
    };
    return [name, note];
  });
  for (const dryRun of [true, false]) {
    await exported(Object.fromEntries(calls), { connectionString: ledger().databaseUrl }, { dryRun });
  }
  expect(asked).toEqual(new Map(names.map((name) => [name, new Set([true])])));
  await worker().client.schedule.getHandle(scheduleId).delete();
});

it('an export goes on with the others if one schedule is locked', async () => {
  const ids = [uniqueName('a'), uniqueName('b')];
  for (const scheduleId of ids) await create(scheduleId);
  await ledger().query('begin');
  await ledger().query('select 1 from escapement.timers where schedule_id = $1 for update', [ids[0]]);
  const pool = watchedPool(ledger(), {
    instead: (text) => text.replace(/(lock_timeout\W+)2s/, (_, name) => `${name}100ms`),
  });
  const schedules = await exported({}, { pool });
  await ledger().query('rollback');
  expect(schedules).toMatchObject([
    { scheduleId: ids[0], status: 'left', reason: expect.stringContaining('is held by another open transaction') },
    { scheduleId: ids[1], status: 'created' },
  ]);
  for (const scheduleId of ids) await worker().client.schedule.getHandle(scheduleId).delete();
});
