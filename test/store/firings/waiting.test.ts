import { beforeEach, describe, expect, it } from 'vitest';
import { type OpenStore, openStore, type Store } from '../../../store/connection';
import { readBelow } from '../../../store/firings/below';
import {
  readWaiting,
  type TakenPage,
  takeWaiting,
  type WaitingLane,
  type WaitingTake,
} from '../../../store/firings/waiting';
import { transact } from '../../../store/transaction';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T01:00:00Z');
const NOW = Date.parse('2026-03-01T01:00:00Z');
const OWNER = '00000000-0000-4000-8000-000000000001';
const FIRST = { tenant: '', taskQueue: '' };
const AFTER_NOBODY: WaitingTake['after'] = { onTime: FIRST, overdue: FIRST, missed: FIRST };

let store: OpenStore;
beforeEach(() => {
  store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
});

interface Waiting {
  /** Names the firing. */
  id: string;
  tenant?: string;
  taskQueue?: string;
  /** Seconds from now on at which it may start. */
  ready?: number;
  late?: boolean;
  namespace?: string;
}

/** Write claims that nobody has announced. */
async function claim(...waiting: Waiting[]): Promise<void> {
  await ledger().query(`select escapement.ensure_partition('2026-03-15')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id, epoch,
       claimed_at, tenant, task_queue, ready_at, late)
     select id, '2026-03-01T01:00:00Z', 'claimed', 'schedule', coalesce(namespace, 'default'), 1, 'workflow-' || id, 0,
       $2, coalesce(tenant, ''), coalesce("taskQueue", 'queue'), $2::timestamptz + coalesce(ready, 0) * interval '1 second', coalesce(late, false)
     from jsonb_to_recordset($1) as x (id text, namespace text, tenant text, "taskQueue" text, ready float8, late boolean)`,
    [JSON.stringify(waiting), new Date(NOW)],
  );
}

const NO_FLOORS = { timers: undefined, claimed: undefined, linked: undefined, closed: undefined };
/** Whether to take claims only from the lanes that a read has found. */
let fromKnown = false;

async function lanesOf(namespace: string): Promise<WaitingLane[]> {
  const { lanes } = await readBelow(store, NO_FLOORS, 1_000);
  return lanes.filter((lane) => lane.namespace === namespace);
}

async function take(options: Partial<WaitingTake> = {}, from: Store = store): Promise<TakenPage> {
  return takeWaiting(from, await takeOf(options));
}

async function takeOf(options: Partial<WaitingTake>): Promise<WaitingTake> {
  return {
    lanes: fromKnown ? await lanesOf('default') : undefined,
    namespace: 'default',
    owner: OWNER,
    now: new Date(NOW),
    at: new Date(NOW),
    checkAt: new Date(NOW + 30_000),
    limit: 100,
    onTimeFrom: new Date(NOW - 10_000),
    after: AFTER_NOBODY,
    capped: new Map(),
    without: [],
    ...options,
  };
}

const idsOf = ({ firings }: TakenPage) => firings.map(({ scheduleId }) => scheduleId);

/** Take batch after batch, each after the lanes of the previous one. */
async function takeAll(options: Partial<WaitingTake> & { limit: number }): Promise<string[][]> {
  const pages: string[][] = [];
  let after = AFTER_NOBODY;
  for (;;) {
    const page = await take({ ...options, after });
    if (page.firings.length === 0) return pages;
    pages.push(idsOf(page));
    after = { ...after, ...page.after };
  }
}

/** This many firings of one lane, ordered by name. */
const many = (count: number, tenant: string, options: Partial<Waiting> = {}) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${tenant}-${String(index).padStart(4, '0')}`,
    tenant,
    ready: index / 1_000,
    ...options,
  }));

describe.each([false, true])('what waits is taken, from lanes that are known: %s', (known) => {
  beforeEach(() => {
    fromKnown = known;
  });

  it('on time before what is overdue, and that before what was missed; each by its time', async () => {
    await claim(
      { id: 'missed-2', late: true, ready: -5 },
      { id: 'overdue-2', ready: -20 },
      { id: 'ahead', ready: 5 },
      { id: 'missed-1', late: true, ready: -3_600 },
      { id: 'on-time', ready: -9 },
      { id: 'overdue-1', ready: -3_600 },
    );
    expect(await takeAll({ limit: 4 })).toEqual([
      ['on-time', 'ahead', 'overdue-1', 'overdue-2'],
      ['missed-1', 'missed-2'],
    ]);
  });

  it('of a burst that is handed over ahead in the order of its times, before what comes due later', async () => {
    await claim({ id: 'later', ready: 8 }, { id: 'left-of-the-burst', ready: -1 }, { id: 'sooner', ready: 2 });
    expect(await takeAll({ limit: 1 })).toEqual([['left-of-the-burst'], ['sooner'], ['later']]);
  });

  it('with its announcement, once, by one of two that ask at the same time', async () => {
    await claim(...many(40, 'acme'));
    // The second trigger asks before the first one has committed.
    const pages = await transact(store, async (transaction) => {
      const first = await take({ limit: 30 }, transaction);
      return [first, await take({ limit: 30 })];
    });
    const taken = pages.flatMap(idsOf);
    expect(taken).toHaveLength(40);
    expect(new Set(taken).size).toBe(40);
    const rows = await ledger().query<{ announced: number }>(
      `select count(*)::int as announced from escapement.firings where owner = $1 and first_attempted_at = $2
         and start_attempted_at = $2 and check_at = $3`,
      [OWNER, new Date(NOW), new Date(NOW + 30_000)],
    );
    expect(rows[0]!.announced).toBe(taken.length);
    expect(pages.flatMap((page) => page.firings)[0]).toMatchObject({ tenant: 'acme', taskQueue: 'queue', late: false });
  });

  it('past what somebody keeps locked', async () => {
    await claim({ id: 'free' }, { id: 'locked', ready: -1 });
    await ledger().query('begin');
    await ledger().query(`select from escapement.firings where schedule_id = 'locked' for update`);
    expect(idsOf(await take())).toEqual(['free']);
    await ledger().query('rollback');
    expect(idsOf(await take())).toEqual(['locked']);
  });

  it('by nobody whose clock is behind', async () => {
    await claim({ id: 'waits' });
    await expect(take({ at: new Date(NOW + 5_000) })).rejects.toThrow(/clock is behind/);
    expect(idsOf(await take({ at: new Date(NOW + 4_999) }))).toEqual(['waits']);
  });

  it('where it waits, and nowhere else', async () => {
    await claim(
      { id: 'waits' },
      { id: 'owned' },
      { id: 'called' },
      { id: 'linked' },
      { id: 'before' },
      { id: 'elsewhere', namespace: 'other' },
      { id: 'left-out' },
    );
    await ledger().query(`update escapement.firings set owner = $1 where schedule_id = 'owned'`, [OWNER]);
    await ledger().query(`update escapement.firings set first_attempted_at = now() where schedule_id = 'called'`);
    await ledger().query(`update escapement.firings set state = 'linked' where schedule_id = 'linked'`);
    // Claims as the previous version writes them, without a task queue.
    await ledger().query(`update escapement.firings set task_queue = null where schedule_id = 'before'`);
    expect(idsOf(await take({ without: ['left-out'] }))).toEqual(['waits']);
  });
});

describe.each([false, true])('lanes take turns, those that are known: %s', (known) => {
  beforeEach(() => {
    fromKnown = known;
  });

  it('in equal shares, and what one leaves the others get', async () => {
    await claim(...many(100, 'big'), ...many(2, 'small'), ...many(100, 'wide'));
    const page = idsOf(await take({ limit: 30 }));
    const of = (tenant: string) => page.filter((id) => id.startsWith(tenant)).length;
    expect({ big: of('big'), small: of('small'), wide: of('wide') }).toEqual({ big: 14, small: 2, wide: 14 });
  });

  it('from behind the one that had the last turn, round and round', async () => {
    await claim(...many(3, 'a'), ...many(3, 'b'), ...many(3, 'c'));
    expect((await takeAll({ limit: 2 })).map((page) => page.map((id) => id[0]).sort())).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'c'],
      ['a', 'b'],
      ['c'],
    ]);
  });

  it('also if the rows of a batch are taken one by one, since Postgres refuses one', async () => {
    await claim(
      ...many(50, 'a', { late: true }),
      ...many(40, 'b'),
      ...many(3, 'c'),
      ...many(40, 'd', { ready: -60 }),
      ...many(2, 'e', { ready: -60 }),
    );
    const behind = { tenant: 'b', taskQueue: 'queue' };
    const after = { onTime: behind, overdue: behind, missed: behind };
    for (const limit of [3, 10, 50, 60, 100, 200]) {
      const options = { limit, after, without: ['d-0001'] };
      const keys = (await readWaiting(store, await takeOf(options))).map(({ scheduleId }) => scheduleId);
      const undone = transact(store, async (transaction) => {
        expect(keys.sort()).toEqual(idsOf(await take(options, transaction)).sort());
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
    }
  });

  it('by the task queues of a tenant too', async () => {
    await claim(...many(50, 'a'), { id: 'other-queue', tenant: 'a', taskQueue: 'zz', ready: 9 });
    expect(idsOf(await take({ limit: 10 }))).toContain('other-queue');
  });

  it('though there are many more of them than one page reads: each within as many pages as hold all', async () => {
    const lanes = Array.from({ length: 350 }, (_, index) => `tenant-${String(index).padStart(3, '0')}`);
    await claim(...lanes.flatMap((tenant) => many(3, tenant)));
    const pages = await takeAll({ limit: 100 });
    const firstRound = new Set(pages.slice(0, 4).flatMap((page) => page.map((id) => id.slice(0, 10))));
    expect(firstRound.size).toBe(lanes.length);
    expect(pages.flat()).toHaveLength(3 * lanes.length);
  });
});

describe.each([false, true])('a capped task queue, of lanes that are known: %s', (known) => {
  beforeEach(() => {
    fromKnown = known;
  });

  it('lets go as many as it may, over all tenants, and says that more is held back', async () => {
    await claim(...many(5, 'a', { taskQueue: 'mail' }), ...many(5, 'b', { taskQueue: 'mail' }), ...many(3, 'c'));
    const page = await take({ capped: new Map([['mail', 4]]) });
    expect(idsOf(page).filter((id) => !id.startsWith('c'))).toHaveLength(4);
    expect(idsOf(page).filter((id) => id.startsWith('c'))).toHaveLength(3);
    expect(page.isHeldBack).toBe(true);
  });

  it('that lets nothing go is passed over, and holds back nothing of others', async () => {
    await claim(...many(5, 'a', { taskQueue: 'mail' }), ...many(2, 'b'));
    const page = await take({ capped: new Map([['mail', 0]]) });
    expect(idsOf(page)).toEqual(['b-0000', 'b-0001']);
    expect(page.isHeldBack).toBe(true);
  });

  it('of which no more waits than it lets go holds nothing back', async () => {
    await claim(...many(2, 'a', { taskQueue: 'mail' }));
    expect(await take({ capped: new Map([['mail', 5]]) })).toMatchObject({ isHeldBack: false });
  });
});

describe('of lanes that are known', () => {
  const lane = { tenant: '', taskQueue: 'queue', late: false, from: new Date(NOW) };

  it('nothing is taken that is to start before the instant from which they are known', async () => {
    await claim({ id: 'before', ready: -1 }, { id: 'then' }, { id: 'after', ready: 1 });
    expect(idsOf(await take({ lanes: [lane] }))).toEqual(['then', 'after']);
    expect(idsOf(await take({ lanes: [{ ...lane, from: new Date(NOW - 60_000) }] }))).toEqual(['before']);
  });

  it('no other is looked at', async () => {
    await claim({ id: 'known' }, { id: 'other-queue', taskQueue: 'other' }, { id: 'other-tenant', tenant: 'acme' });
    expect(idsOf(await take({ lanes: [lane] }))).toEqual(['known']);
    expect(idsOf(await take({ lanes: [] }))).toEqual([]);
  });
});

it('a read finds each lane of each namespace with its first instant, and so many of a namespace at most', async () => {
  await claim(
    ...many(3, 'acme', { ready: 7 }),
    { id: 'first', tenant: 'acme', ready: -3 },
    { id: 'missed', tenant: 'acme', late: true, ready: -60 },
    { id: 'elsewhere', namespace: 'other' },
    { id: 'another', namespace: 'other', tenant: 'wide' },
  );
  const { lanes } = await readBelow(store, NO_FLOORS, 2);
  const taskQueue = 'queue';
  expect(lanes).toEqual([
    { namespace: 'default', tenant: 'acme', taskQueue, late: false, from: new Date(NOW - 3_000) },
    { namespace: 'default', tenant: 'acme', taskQueue, late: true, from: new Date(NOW - 60_000) },
    { namespace: 'other', tenant: '', taskQueue, late: false, from: new Date(NOW) },
    { namespace: 'other', tenant: 'wide', taskQueue, late: false, from: new Date(NOW) },
  ]);
  const cut = await readBelow(store, NO_FLOORS, 1);
  expect(cut.lanes.map(({ namespace }) => namespace)).toEqual(['default', 'other']);
});
