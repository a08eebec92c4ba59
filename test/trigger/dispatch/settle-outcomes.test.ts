import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { CallLease } from '../../../temporal/call-lease';
import { TemporalCallError } from '../../../temporal/port';
import { take } from '../../../trigger/dispatch/announce';
import { callStarts } from '../../../trigger/dispatch/call-starts';
import { settleOutcomes } from '../../../trigger/dispatch/settle-outcomes';
import { startAgain } from '../../../trigger/dispatch/start-again';
import { announceAll } from '../../support/announced';
import type { Answering } from '../../support/answering';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { triggerOnDouble, type WatchedDouble } from '../../support/watched-double';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DUE = '2026-03-01T01:00:00.000Z';
const due = new Date(DUE);

afterEach(() => {
  vi.useRealTimers();
});

/** Schedules that are due and claimed, and a trigger on a double. */
async function claimed(scheduleIds: string[], options: Answering = {}, schedule: Partial<ScheduleOptions> = {}) {
  for (const scheduleId of scheduleIds) await ledger().client.create(someSchedule({ scheduleId, ...schedule }));
  const on = await triggerOnDouble(ledger(), options);
  ledger().clock.set(DUE);
  await on.passes.claim();
  return on;
}

/** One of these that is announced, as it is before its call. */
async function announced(options: Answering = {}) {
  const on = await claimed(['one'], options);
  const { firings, announcedAt } = await take(on.context, 'default', { known: false });
  return { ...on, firing: firings[0]!, announcedAt };
}

const rows = () =>
  ledger().query(`select schedule_id as name, state, check_at as "checkAt", start_attempted_at as "calledAt",
    last_error as error from escapement.firings order by schedule_id`);

const said = (message: string) => ledger().log.lines.filter((line) => line.message.startsWith(message));

/** The calls of these schedules fail, once all have been made. */
function fail(double: WatchedDouble, errors: Record<string, TemporalCallError | undefined>) {
  let letGo = () => {};
  const all = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  double.before = async ({ firing: { scheduleId } }) => {
    if (double.starts.length === Object.keys(errors).length) letGo();
    await all;
    if (errors[scheduleId]) throw errors[scheduleId];
  };
}

it('each firing of a batch is counted by how its call ended, and its row says when it is checked', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const errors = {
    busy: new TemporalCallError('too much', 'busy'),
    failing: new TemporalCallError('not now', 'refused'),
    fine: undefined,
    rejected: new TemporalCallError('never', 'rejected'),
    unsent: new TemporalCallError('no way', 'refused', { unsent: true }),
  };
  const { passes, context, double } = await claimed(Object.keys(errors));
  fail(double, errors);
  expect(await passes.dispatch()).toEqual({
    ...{ taken: 5, linked: 1, deferred: 3, refused: 1, abandoned: 0 },
    ...{ more: false, isHeldBack: false, lanesLeft: false },
  });
  const after = (milliseconds: number) => new Date(due.getTime() + milliseconds);
  expect(await rows()).toMatchObject([
    // It may have been accepted nevertheless, so its announcement stays.
    { name: 'busy', state: 'claimed', calledAt: due, checkAt: after(context.gates.of('default').pause), error: null },
    { name: 'failing', state: 'claimed', calledAt: due, checkAt: after(2_000), error: 'not now' },
    { name: 'fine', state: 'linked', error: null },
    { name: 'rejected', state: 'claimed', calledAt: due, error: 'never' },
    { name: 'unsent', state: 'claimed', calledAt: null, checkAt: after(2_000), error: 'no way' },
  ]);
  expect(context.gates.of('default').pause).toBe(100);
});

it('the lag of a start ends with its own answer, however long others of its batch take', async () => {
  const { passes, double } = await claimed(['fast', 'slow']);
  double.before = async ({ firing: { scheduleId } }) => {
    if (scheduleId === 'fast') return;
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    ledger().clock.advance(4_000);
  };
  await passes.dispatch();
  const lags = said('linked').map(({ meta }) => [meta.scheduleId, meta.lagMilliseconds]);
  expect(Object.fromEntries(lags)).toEqual({ fast: 0, slow: 4_000 });
});

it.each(['unsent', 'away'] as const)('the announcement of a start that is %s is withdrawn', async (kind) => {
  const { context, firing, announcedAt } = await announced();
  const error = new TemporalCallError('no way', 'away', { ofNamespace: true });
  const outcome = kind === 'unsent' ? { kind, firing } : { kind, firing, error, sent: false };
  const none = { linked: 0, deferred: kind === 'unsent' ? 0 : 1, refused: 0 };
  expect(await settleOutcomes(context, [outcome], announcedAt)).toEqual(none);
  expect(await rows()).toMatchObject([{ state: 'claimed', calledAt: null, checkAt: due }]);
});

it('a start that fails is a warning for a minute, and an error from then on, with how long it has failed', async () => {
  const { context, firing, announcedAt } = await announced();
  const error = new TemporalCallError('not now', 'refused');
  for (const seconds of [0, 59, 60, 1_800]) {
    ledger().clock.set(new Date(due.getTime() + seconds * 1_000).toISOString());
    await settleOutcomes(context, [{ kind: 'failing', firing, error, sent: true }], announcedAt);
  }
  expect(said('start failed; trying again').map(({ level, meta }) => [level, meta.seconds])).toEqual([
    ['warn', 0],
    ['warn', 59],
    ['error', 60],
    ['error', 1_800],
  ]);
});

describe('a run whose firing is no longer claimed once its call is answered', () => {
  it('is reported with the state of the firing where that was given up', async () => {
    const { passes, double } = await claimed(['one']);
    double.after = () =>
      ledger().query(
        `update escapement.firings set state = 'abandoned', reason = 'start_uncertain', owner = null,
        check_at = null, closed_at = $1`,
        [due],
      );
    expect(await passes.dispatch()).toMatchObject({ taken: 1, linked: 0 });
    const { runId } = double.chains()[0]!.run(due.getTime())!;
    expect(said('a workflow was started, but')).toMatchObject([
      { level: 'error', meta: { scheduleId: 'one', runId, state: 'abandoned', reason: 'start_uncertain' } },
    ]);
    expect(said('linked')).toEqual([]);
  });

  it('is as it should be where another trigger has linked it', async () => {
    const { passes, double } = await claimed(['one']);
    double.after = (_, runId) =>
      ledger().query(`update escapement.firings set state = 'linked', run_id = $1, linked_at = $2, owner = null`, [
        runId,
        due,
      ]);
    expect(await passes.dispatch()).toMatchObject({ taken: 1, linked: 0 });
    expect([...said('a workflow was started, but'), ...said('linked')]).toEqual([]);
  });
});

describe('if the end of a call cannot be recorded', () => {
  const errors = { fine: undefined, one: new TemporalCallError('never', 'rejected') };

  it('since Postgres refuses the row, that is logged, and the others go on', async () => {
    const { passes, double } = await claimed(['fine', 'one']);
    await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
      $$ begin raise 'not this one'; end $$`);
    await ledger().query(`create trigger refuses before update on escapement.firings for each row
      when (new.start_attempts > old.start_attempts) execute function escapement.refuses()`);
    fail(double, errors);
    expect(await passes.dispatch()).toMatchObject({ taken: 2, linked: 1, refused: 0 });
    expect(said('the record of a start of a schedule failed')).toMatchObject([
      { level: 'warn', meta: { scheduleId: 'one', error: 'not this one' } },
    ]);
  });

  it('since Postgres is away, the pass fails, and what was started is linked before that', async () => {
    const before = (text: string) => {
      if (text.includes('set start_attempts =')) throw new Error('Postgres is away');
    };
    const pool = watchedPool(ledger(), { before });
    const { passes, double } = await claimed(['fine', 'one'], { connectionString: undefined, pool });
    fail(double, errors);
    await expect(passes.dispatch()).rejects.toThrow('Postgres is away');
    expect(await rows()).toMatchObject([
      { name: 'fine', state: 'linked' },
      { name: 'one', state: 'claimed' },
    ]);
  });
});

it('a linked firing makes its namespace one with running chains, and its line says if it was recovered', async () => {
  const { context, firing, announcedAt } = await announced();
  expect(context.ends.open()).toEqual([]);
  const recovery = { number: 1, recoveredAt: DUE, reason: 'trigger_lost' as const };
  for (const changes of [{}, { recovery }]) {
    await ledger().query(`update escapement.firings set state = 'claimed', run_id = null, linked_at = null`);
    const outcomes = await callStarts(context, [{ ...firing, ...changes }], new CallLease(60_000));
    expect(await settleOutcomes(context, outcomes, announcedAt)).toEqual({ linked: 1, deferred: 0, refused: 0 });
  }
  expect(context.ends.open()).toMatchObject([{ namespace: 'default' }]);
  const [plain, recovered] = said('linked');
  expect(plain!.meta).not.toHaveProperty('recovery');
  expect(recovered!.meta).toMatchObject({ recovery });
});

describe('starts that are called again', () => {
  const later = '2026-03-01T01:01:00.000Z';
  const keys = (names: string[]) =>
    names.map((scheduleId) => ({ scheduleId, scheduledTime: due, rememberedFor: 3_600_000 }));
  const names = ['a', 'b', 'c', 'd', 'e'];

  async function announcedBefore() {
    const on = await claimed(names, { limits: { startBatchSize: 2 } });
    await announceAll(ledger(), on.trigger);
    ledger().clock.set(later);
    return on;
  }

  it('are announced and linked in batches, each once', async () => {
    const { context, double } = await announcedBefore();
    await startAgain(context, keys(names));
    expect(double.starts.map(({ firing }) => firing.scheduleId)).toEqual(names);
    expect((await rows()).map(({ state }) => state)).toEqual(names.map(() => 'linked'));
  });

  it('are left as they were if the trigger is to stop', async () => {
    const { context, double, trigger } = await announcedBefore();
    trigger.shutdown();
    await startAgain(context, keys(names));
    expect(double.starts).toEqual([]);
    expect((await rows()).map(({ calledAt }) => calledAt)).toEqual(names.map(() => due));
  });
});
