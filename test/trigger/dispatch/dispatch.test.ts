import { afterEach, describe, expect, it, vi } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { startLease } from '../../../trigger/dispatch/announce';
import type { DispatchResult } from '../../../trigger/dispatch/dispatch';
import { giveUpRefused } from '../../../trigger/dispatch/give-up-refused';
import type { Answering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';
import { triggerOnDouble } from '../../support/watched-double';

const ledger = useLedger('2026-03-01T00:30:00Z');
const DUE = '2026-03-01T01:00:00.000Z';

afterEach(() => {
  vi.useRealTimers();
});

/** A trigger on a double that has claimed a firing of each of these schedules. */
async function claimed(scheduleIds: string[], options: Answering = {}) {
  for (const scheduleId of scheduleIds) await ledger().client.create(someSchedule({ scheduleId }));
  const on = await triggerOnDouble(ledger(), options);
  ledger().clock.set(DUE);
  await on.passes.claim();
  return on;
}

const result = (some: Partial<DispatchResult>): DispatchResult => ({
  ...{ taken: 0, linked: 0, deferred: 0, refused: 0, abandoned: 0 },
  ...{ more: false, isHeldBack: false, lanesLeft: false },
  ...some,
});

it.each([undefined, 'default'])(
  'a dispatch that finds nothing says so of all that it counts (namespace: %s)',
  async (name) => {
    const { passes } = await claimed([]);
    expect(await passes.dispatch(name)).toEqual(result({}));
  },
);

it('a loop takes the one firing that it knows of', async () => {
  const { passes } = await claimed(['one']);
  expect(await passes.dispatch('default', { known: true })).toEqual(result({ taken: 1, linked: 1 }));
});

it('while a busy server wants no calls, nothing is taken, and the loop pauses as after a cap', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { passes, context, double } = await claimed(['one']);
  double.before = () => {
    throw new TemporalCallError('too much', 'busy');
  };
  expect(await passes.dispatch()).toEqual(result({ taken: 1, deferred: 1 }));
  await ledger().client.create(someSchedule({ spec: { cron: '1 * * * *' } }));
  await passes.claim();
  ledger().clock.set('2026-03-01T01:01:00Z');
  await passes.claim();
  expect(await passes.dispatch()).toEqual(result({ isHeldBack: true }));
  vi.advanceTimersByTime(context.gates.of('default').pause);
  double.before = () => {};
  expect(await passes.dispatch()).toEqual(result({ taken: 1, linked: 1 }));
});

it('a cap on a namespace gets back what a take did not use, and holds the next take back once it allows none', async () => {
  const { client, clock } = ledger();
  // Three starts at a time, and then none for long.
  const maxStartsPerSecond = { namespaces: { default: 30 } };
  const { passes } = await claimed(['0'], { maxStartsPerSecond, monotonic: () => 0 });
  expect(await passes.dispatch()).toEqual(result({ taken: 1, linked: 1 }));
  for (const scheduleId of ['1', '2', '3']) {
    await client.create(someSchedule({ scheduleId, spec: { cron: '1 * * * *' } }));
  }
  await passes.claim();
  clock.set('2026-03-01T01:01:00Z');
  await passes.claim();
  expect(await passes.dispatch()).toEqual(result({ taken: 2, linked: 2, more: true }));
  expect(await passes.dispatch()).toEqual(result({ isHeldBack: true }));
});

it('a batch of which Postgres refuses a row is followed by the next at once', async () => {
  const { passes } = await claimed(['fine', 'refused']);
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin raise 'not this one'; end $$`);
  await ledger().query(`create trigger refuses before update on escapement.firings for each row
    when (new.schedule_id = 'refused') execute function escapement.refuses()`);
  expect(await passes.dispatch()).toEqual(result({ taken: 1, linked: 1, more: true }));
  expect(await passes.dispatch()).toEqual(result({}));
});

it.each([
  ['eight seconds', 60_000, 8_000],
  ['four fifths of the time after which a trigger counts as dead if that is shorter', 5_000, 4_000],
])('announced starts may be called for %s', async (_, staleAfterMilliseconds, milliseconds) => {
  const { context } = await claimed([]);
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const settings = { ...context.settings, staleAfterMilliseconds };
  expect(startLease({ ...context, settings }).left()).toBe(milliseconds);
});

describe('a firing that waited for its start', () => {
  const MINUTE = { catchupWindow: '1 minute' as const };

  const set = (columns: string) => ledger().query(`update escapement.firings set ${columns}`);
  const rows = () =>
    ledger().query(`select state, reason, owner, start_attempted_at as "calledAt", check_at as "checkAt"
      from escapement.firings`);
  const after = (seconds: number) => new Date(Date.parse(DUE) + seconds * 1_000);

  /** One with a catch-up window of a minute that was due and claimed at 01:00, changed by SQL, and dispatched then. */
  async function dispatchedAt(seconds: number, columns = 'late = late') {
    await ledger().client.create(someSchedule({ policies: MINUTE }));
    const on = await claimed([]);
    await set(columns);
    ledger().clock.set(after(seconds).toISOString());
    return on;
  }

  it.each([
    ['its catch-up window', 'linked', 60, undefined],
    ['longer than its window', 'abandoned', 60.001, undefined],
    ['its window since it was ready, behind one that overlapped', 'linked', 90, `ready_at = '2026-03-01T01:00:30Z'`],
    ['longer than its window since then', 'abandoned', 90.001, `ready_at = '2026-03-01T01:00:30Z'`],
    ['its window since it was claimed', 'linked', 90, `claimed_at = '2026-03-01T01:00:30Z'`],
    ['longer than its window since its claim', 'abandoned', 90.001, `claimed_at = '2026-03-01T01:00:30Z'`],
    ['long, since somebody catches up on it', 'abandoned', 80, `kind = 'catchup', claimed_at = '2026-03-01T01:00:30Z'`],
    ['ten seconds since its claim, which was in time', 'linked', 10, `kind = 'catchup', ready_at = '2026-03-01Z'`],
    ['longer than ten seconds since its claim', 'abandoned', 10.001, `kind = 'catchup', ready_at = '2026-03-01Z'`],
    ['an hour, but was asked for by a person', 'linked', 3_600, `kind = 'backfill'`],
  ])('for %s is %s', async (_, state, seconds, columns) => {
    const { passes, double } = await dispatchedAt(seconds, columns);
    const isLinked = state === 'linked';
    expect(await passes.dispatch()).toEqual(result({ taken: 1, ...(isLinked ? { linked: 1 } : { abandoned: 1 }) }));
    expect(double.starts).toHaveLength(isLinked ? 1 : 0);
    expect(await rows()).toMatchObject([{ state, reason: isLinked ? null : 'outside_catchup_window' }]);
  });

  it('for too long is left to recovery while another session locks its schedule, as one that was not called', async () => {
    const { passes, double, trigger } = await dispatchedAt(60.001);
    await ledger().query('begin');
    await ledger().query('select from escapement.timers for update');
    expect(await passes.dispatch()).toEqual(result({ taken: 1 }));
    await ledger().query('commit');
    expect(double.starts).toEqual([]);
    expect(await rows()).toEqual([
      { state: 'claimed', reason: null, owner: trigger.id, calledAt: null, checkAt: after(60.001) },
    ]);
  });

  /**
   * Give up, page by page, what waits an hour after its namespace began to refuse every trigger.
   *
   * @returns of each page how many were given up, and whether the namespace counts as checked by then
   */
  async function giveUpPages({ context }: Awaited<ReturnType<typeof claimed>>, batchSize: number, pages: number) {
    const temporal = { of: () => ({ refusedSince: Date.parse(DUE) }) };
    const refused = { ...context, limits: { ...context.limits, batchSize }, temporal } as never;
    const expected = context.waiting.of('default');
    expected.closedSince = Date.parse(DUE);
    const now = after(3_600).getTime();
    const ends: [number, boolean][] = [];
    for (let page = 0; page < pages; page++) {
      const count = await giveUpRefused(refused, [{ name: 'default' }] as never, now);
      ends.push([count, expected.expiredCheckedAt === now]);
    }
    return ends;
  }

  it.each([
    [
      2,
      [
        [2, false],
        [1, true],
      ],
    ],
    [
      1,
      [
        [1, false],
        [1, false],
        [1, false],
        [0, true],
      ],
    ],
  ])(
    'in a refusing namespace is given up in pages of %i, and the next check comes after the last',
    async (size, pages) => {
      expect(await giveUpPages(await claimed(['a', 'b', 'c']), size, pages.length)).toEqual(pages);
      expect(await rows()).toMatchObject(Array(3).fill({ state: 'abandoned', reason: 'start_refused' }));
    },
  );

  it('in a refusing namespace waits for the next check if other sessions lock every schedule of a page', async () => {
    const on = await claimed(['a', 'b']);
    await ledger().query('begin');
    await ledger().query('select from escapement.timers for update');
    expect(await giveUpPages(on, 2, 1)).toEqual([[0, true]]);
    await ledger().query('commit');
    expect(await rows()).toMatchObject(Array(2).fill({ state: 'claimed' }));
  });

  it('in a namespace that accepts calls again is not given up', async () => {
    const { context } = await claimed(['a']);
    const now = after(3_600).getTime();
    expect(await giveUpRefused(context, [{ name: 'default' }] as never, now)).toBe(0);
    expect(context.waiting.of('default').expiredCheckedAt).toBe(Number.NEGATIVE_INFINITY);
    expect(await rows()).toMatchObject([{ state: 'claimed' }]);
  });
});
