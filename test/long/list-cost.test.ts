import { expect, it } from 'vitest';
import type { EscapementClient, ListFiringsOptions, ListSchedulesOptions } from '../../index';
import { watchedPool } from '../support/connections/watched-pool';
import { useLedger } from '../support/ledger';
import { blocksOf, fillFirings, fillSchedules, SCHEDULES } from '../support/scenes/many';

const ledger = useLedger('2026-03-01T00:30:00Z');
const PAGE = 100;

/** A client that counts the blocks of each of its statements with EXPLAIN. */
function measured() {
  const statements: { text: string; values: unknown[] }[] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push({ text, values }) });
  const client = ledger().newClient({ pool });
  const blocksBy = async (work: () => Promise<unknown>) => {
    statements.length = 0;
    await work();
    let blocks = 0;
    for (const { text, values } of statements.filter(({ text }) => /firings|schedules/.test(text))) {
      blocks += await blocksOf(ledger(), text, values);
    }
    return blocks;
  };
  return { client, blocksBy };
}

/** The cost of one page at the beginning, and of pages 10, 100 and 900, as far as the list goes. */
async function costs(
  read: (cursor: string | undefined, pageSize: number) => Promise<string | undefined>,
  blocksBy: (work: () => Promise<unknown>) => Promise<number>,
): Promise<number[]> {
  const found = [await blocksBy(() => read(undefined, PAGE))];
  for (const pages of [10, 100, 900]) {
    const cursor = await read(undefined, pages * PAGE);
    if (cursor !== undefined) found.push(await blocksBy(() => read(cursor, PAGE)));
  }
  return found;
}

function schedulesBy(client: EscapementClient, options: ListSchedulesOptions) {
  return async (cursor: string | undefined, pageSize: number) =>
    (await client.listPage({ ...options, cursor, pageSize })).nextCursor;
}

function firingsBy(client: EscapementClient, options: ListFiringsOptions) {
  return async (cursor: string | undefined, pageSize: number) =>
    (await client.firingsPage({ ...options, cursor, pageSize })).nextCursor;
}

/** Nothing grows with the number of the page; each row is some joins along indexes. */
function expectEven(blocks: number[], of: object): void {
  const shown = JSON.stringify({ ...of, blocks });
  expect(Math.max(...blocks), shown).toBeLessThan(100 * PAGE);
  expect(Math.max(...blocks), shown).toBeLessThan(2 * blocks[0]! + PAGE);
}

it('a page of 100,000 schedules or 300,000 firings costs the same wherever it lies, in each order and by each filter', {
  timeout: 480_000,
}, async () => {
  await fillSchedules(ledger());
  await fillFirings(ledger(), 3);
  const { client, blocksBy } = measured();
  await client.listPage({ pageSize: 1 });

  for (const orderBy of ['scheduleId', 'nextFireAt'] as const) {
    const filters = [{}, { tenant: 'big' }, { paused: false }, { completed: false }, { text: 'S' }];
    for (const filter of [...filters, { workflowType: 'echoFiring', taskQueue: 'nobody-polls' }]) {
      const blocks = await costs(schedulesBy(client, { orderBy, ...filter }), blocksBy);
      expect(blocks.length).toBeGreaterThan(2);
      expectEven(blocks, { orderBy, ...filter });
    }
    // A hundred of a hundred thousand.
    const rare = [
      { tenant: 'small' },
      { tenant: 'small', paused: false },
      { source: 'rare' },
      { paused: true },
      { taskQueue: 'rare' },
      { workflowType: 'rare' },
    ];
    for (const filter of rare) {
      expectEven([await blocksBy(() => client.listPage({ orderBy, ...filter, pageSize: PAGE }))], {
        orderBy,
        ...filter,
      });
      const { schedules, nextCursor } = await client.listPage({ orderBy, ...filter, pageSize: 2 * PAGE });
      expect([schedules.length, nextCursor]).toEqual([PAGE, undefined]);
    }
  }

  const listed = new Set<string>();
  for await (const { scheduleId, tenant } of client.list({ orderBy: 'nextFireAt', tenant: 'big', pageSize: 3_000 })) {
    expect(tenant).toBe('big');
    listed.add(scheduleId);
  }
  expect(listed.size).toBe(SCHEDULES / 2);

  for (const order of ['newest', 'oldest'] as const) {
    const filters = [{}, { state: 'closed' }, { tenant: 'big' }, { taskQueue: 'nobody-polls' }] as const;
    for (const filter of [...filters, { from: new Date('2025-12-10Z'), to: new Date('2026-03-01T02:00Z') }]) {
      const blocks = await costs(firingsBy(client, { order, ...filter }), blocksBy);
      expect(blocks.length).toBe(4);
      expectEven(blocks, { order, ...filter });
    }
    const rare: ListFiringsOptions[] = [
      ...[
        { state: 'abandoned' as const },
        { outcome: ['failed' as const, 'timed_out' as const] },
        { kind: 'backfill' as const },
      ],
      ...[{ tenant: 'small' }, { source: 'rare' }, { taskQueue: 'rare' }, { state: 'linked' as const }],
    ];
    for (const filter of rare) {
      expectEven(await costs(firingsBy(client, { order, ...filter }), blocksBy), { order, ...filter });
    }
  }
  expect(await blocksBy(() => client.getHandle('s1').firingsPage({ pageSize: PAGE }))).toBeLessThan(PAGE);

  // Counts of all time read each firing once, and those of one schedule its own alone.
  const [size] = await ledger().query<{ blocks: number }>(
    `select (sum(pg_relation_size(oid)) / 8192)::int as blocks from pg_class where relname ~ '^firings_20\\d+$'`,
  );
  expect(await blocksBy(() => client.stats())).toBeLessThan(1.5 * size!.blocks + PAGE);
  expect(await blocksBy(() => client.getHandle('s1').stats())).toBeLessThan(PAGE);
  // The current state is small, however long the history is.
  expect(await blocksBy(() => client.overview())).toBeLessThan(size!.blocks / 2);
});
