import { beforeEach, describe, expect, it } from 'vitest';
import { type Firing, InvalidOptionError, type ListFiringsOptions } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const shown = ({ scheduleId, scheduledTime }: Firing) => `${scheduleId} ${scheduledTime.toISOString().slice(5, 16)}`;

async function found(firings: AsyncIterable<Firing>): Promise<string[]> {
  const texts: string[] = [];
  for await (const firing of firings) texts.push(shown(firing));
  return texts;
}

/** Firings in two months of three schedules: two that fire together, and one of a tenant, which is deleted. */
beforeEach(async () => {
  const { client, query } = { client: ledger().client, query: (text: string) => ledger().query(text) };
  const action = { type: 'startWorkflow' as const, workflowType: 'report', taskQueue: 'reports' };
  await client.create(someSchedule({ scheduleId: 'a' }));
  await client.create(someSchedule({ scheduleId: 'b', action, state: { note: 'Ask Ann' } }));
  await client.create(someSchedule({ scheduleId: 'gone', tenant: 'acme', namespace: 'billing' }));
  await client.getHandle('gone').delete();
  await query(`select escapement.ensure_partition('2026-02-01T00:00Z')`);
  await query(`select escapement.ensure_partition('2026-03-01T00:00Z')`);
  await query(`insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
    values ('a', '2026-02-27T01:00Z', 'closed', 'completed', 'schedule', 'default', 1, now()),
      ('b', '2026-02-27T01:00Z', 'closed', 'failed', 'schedule', 'default', 1, now()),
      ('a', '2026-02-28T01:00Z', 'skipped', null, 'schedule', 'default', 1, now()),
      ('gone', '2026-02-28T23:00Z', 'closed', 'timed_out', 'catchup', 'billing', 1, now()),
      ('a', '2026-03-01T00:00Z', 'linked', null, 'backfill', 'default', 1, now()),
      ('b', '2026-03-01T00:00Z', 'claimed', null, 'schedule', 'default', 1, now()),
      ('a', '2026-03-01T00:10:00.001Z', 'buffered', null, 'manual', 'default', 1, now()),
      ('b', '2026-03-01T00:20Z', 'abandoned', null, 'schedule', 'default', 1, now())`);
});

const ALL = [
  ...['b 03-01T00:20', 'a 03-01T00:10', 'b 03-01T00:00', 'a 03-01T00:00'],
  ...['gone 02-28T23:00', 'a 02-28T01:00', 'b 02-27T01:00', 'a 02-27T01:00'],
];
const only = (...indexes: number[]) => indexes.map((index) => ALL[index]!);

const forged = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

describe('EscapementClient.firings', () => {
  it.each<[ListFiringsOptions, string[]]>([
    [{}, ALL],
    [{ scheduleId: 'b' }, only(0, 2, 6)],
    [{ state: 'closed' }, only(4, 6, 7)],
    [{ state: ['claimed', 'linked'] }, only(2, 3)],
    [{ state: ['abandoned', 'linked'] }, only(0, 3)],
    [{ outcome: ['failed', 'timed_out'] }, only(4, 6)],
    [{ kind: 'manual' }, only(1)],
    [{ kind: ['backfill', 'catchup'] }, only(3, 4)],
    [{ from: new Date('2026-02-28T01:00Z'), to: new Date('2026-03-01T00:00Z') }, only(4, 5)],
    [{ namespace: 'billing' }, only(4)],
    [{ tenant: 'acme' }, only(4)],
    [{ tenant: 'nobody' }, []],
    [{ taskQueue: 'reports', state: 'claimed' }, only(2)],
    [{ workflowType: 'report' }, only(0, 2, 6)],
    [{ text: 'ASK' }, only(0, 2, 6)],
    [{ text: 'gon', outcome: 'timed_out' }, only(4)],
    [{ scheduleId: 'a', tenant: 'acme' }, []],
  ])('finds by %j what matches all of it, in both orders and by pages', async (options, expected) => {
    const { client } = ledger();
    expect(await found(client.firings(options))).toEqual(expected);
    expect(await found(client.firings({ ...options, pageSize: 1 }))).toEqual(expected);
    expect(await found(client.firings({ ...options, order: 'oldest', pageSize: 2 }))).toEqual([...expected].reverse());
  });

  it('finds the same where a filter is about more schedules than can be looked at one by one', async () => {
    await ledger().query(`insert into escapement.schedules (schedule_id, version, tenant, note, created_at)
      select 'many' || n, 1, 'acme', 'Ask Ann', now() from generate_series(1, 400) n`);
    await ledger().query(`insert into escapement.schedule_versions
        (schedule_id, version, namespace, spec, action, policies, created_at)
      select 'many' || n, 1, v.namespace, v.spec, v.action, v.policies, now()
      from escapement.schedule_versions v, generate_series(1, 400) n where v.schedule_id = 'b'`);
    const { client } = ledger();
    expect(await found(client.firings({ tenant: 'acme', pageSize: 1 }))).toEqual(only(4));
    expect(await found(client.firings({ text: 'ask', pageSize: 2 }))).toEqual(only(0, 2, 6));
    expect(await found(client.firings({ taskQueue: 'reports', order: 'oldest' }))).toEqual(only(6, 2, 0));
  });

  it('gives pages with a cursor, which ends after the last one', async () => {
    const { client } = ledger();
    const first = await client.firingsPage({ pageSize: 3 });
    expect(first.firings.map(shown)).toEqual(ALL.slice(0, 3));
    const second = await client.firingsPage({ pageSize: 5, cursor: first.nextCursor });
    expect(second.firings.map(shown)).toEqual(ALL.slice(3));
    expect(second.nextCursor).toBeUndefined();
    const ofOne = await client.getHandle('b').firingsPage({ pageSize: 2, order: 'oldest' });
    expect(ofOne.firings.map(shown)).toEqual(only(6, 2));
    expect(
      (await client.getHandle('b').firingsPage({ order: 'oldest', cursor: ofOne.nextCursor })).firings.map(shown),
    ).toEqual(only(0));
  });

  it('neither repeats nor hides a firing whose state changes between two pages', async () => {
    const { client } = ledger();
    const first = await client.firingsPage({ pageSize: 3 });
    await ledger().query(
      `update escapement.firings set state = 'closed', outcome = 'completed' where state in ('claimed', 'linked')`,
    );
    const second = await client.firingsPage({ cursor: first.nextCursor });
    expect([...first.firings, ...second.firings].map(shown)).toEqual(ALL);
  });

  it('refuses what would list something else than was meant', async () => {
    const { client } = ledger();
    const { nextCursor } = await client.firingsPage({ pageSize: 1 });
    const refused: [ListFiringsOptions & { cursor?: string | undefined }, string | RegExp][] = [
      [
        { state: 'close' as 'closed' },
        'state: "close" is none of buffered, claimed, linked, closed, skipped, abandoned; did you mean closed?',
      ],
      [{ outcome: ['complete' as 'completed'] }, 'outcome: "complete" is none of completed, '],
      [{ kind: 'catch-up' as 'catchup' }, 'kind: "catch-up" is none of schedule, '],
      [{ scheduleID: 'a' } as never, /^scheduleID: is not a field here; .*; did you mean scheduleId\?/],
      [{ order: 'latest' as 'newest' }, 'order: "latest" is none of newest, oldest'],
      [{ cursor: forged(['newest', 'soon', 'a']) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['newest', '-200000-01-01T00:00:00Z', 'a']) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['newest', '2026-03-01T00:00:00Z', 'a\u0000']) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['newest', null, 'a']) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['newest', '2026-03-01T00:00:00Z']) }, 'cursor: is not a cursor'],
      [{ cursor: nextCursor, order: 'oldest' }, "cursor: is of a page in the order 'newest', not 'oldest'"],
    ];
    for (const [options, problem] of refused) {
      await expect(client.firingsPage(options)).rejects.toThrow(InvalidOptionError);
      await expect(client.firingsPage(options)).rejects.toThrow(problem);
    }
  });
});
