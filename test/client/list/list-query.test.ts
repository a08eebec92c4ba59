import { defineSearchAttributeKey } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EscapementClient, InvalidQueryError, type ScheduleOptions, type ScheduleSummary } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const day = defineSearchAttributeKey('Day', 'DATETIME');
const teams = defineSearchAttributeKey('Teams', 'KEYWORD_LIST');
const rate = defineSearchAttributeKey('Rate', 'DOUBLE');
const action = (taskQueue: string) => ({ type: 'startWorkflow' as const, workflowType: 'report', taskQueue });

/** Schedules that differ in every field of a filter. */
const SCHEDULES: Partial<ScheduleOptions>[] = [
  { scheduleId: 'eu-1', searchAttributes: { Team: ['billing'], Urgent: [true] }, tenant: 'acme' },
  { scheduleId: 'eu-2', typedSearchAttributes: [{ key: teams, value: ['billing', 'ops'] }], action: action('fast') },
  { scheduleId: 'us-1', typedSearchAttributes: [{ key: rate, value: 1.5 }], state: { paused: true, note: "it's 50%" } },
  { scheduleId: 'us-2', typedSearchAttributes: [{ key: day, value: new Date('2026-01-01T12:00:00Z') }] },
  { scheduleId: 'US-3', searchAttributes: { Team: ['ops', 'web'] }, state: { remainingActions: 0 } },
  { scheduleId: 'by-hand', spec: {}, policies: { overlap: 'BUFFER_ONE' } },
  { scheduleId: 'bare', namespace: 'billing', state: { remainingActions: 7 } },
];

async function variety(): Promise<EscapementClient> {
  const { client } = ledger();
  for (const options of SCHEDULES) await client.create(someSchedule(options));
  await client.getHandle('eu-2').update((previous) => ({ ...previous, policies: { overlap: 'ALLOW_ALL' } }));
  return client;
}

async function found(client: EscapementClient, query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { scheduleId } of client.list({ query })) ids.push(scheduleId);
  return ids.sort();
}

describe('client.list({ query })', () => {
  it('lists what a filter matches, over fields, states and search attributes', async () => {
    const client = await variety();
    const cases: [string, string[]][] = [
      ['', ['US-3', 'bare', 'by-hand', 'eu-1', 'eu-2', 'us-1', 'us-2']],
      [`Team = 'billing'`, ['eu-1']],
      [`Team = "ops" OR Teams = "ops"`, ['US-3', 'eu-2']],
      [`Team != 'billing' AND Team IS NOT NULL`, ['US-3']],
      [`Team NOT IN ('ops', 'billing') AND ScheduleId STARTS_WITH 'u'`, ['us-1', 'us-2']],
      [`Team IN ('web', 'billing')`, ['US-3', 'eu-1']],
      [`Rate > 1 AND Rate <= 1.5`, ['us-1']],
      [`Rate = 'x'`, []],
      [`Urgent = true`, ['eu-1']],
      [`Day = '2026-01-01T13:00:00+01:00'`, ['us-2']],
      [`Day BETWEEN '2025-12-31T00:00:00Z' AND '2026-01-02T00:00:00Z'`, ['us-2']],
      [`Day > 'tomorrow'`, []],
      [`ScheduleId STARTS_WITH 'us-'`, ['us-1', 'us-2']],
      [`TemporalSchedulePaused = true`, ['us-1']],
      [`note = 'it''s 50%'`, ['us-1']],
      [`state IN ('paused', 'completed')`, ['US-3', 'us-1']],
      [`state = 'live' AND completed = false AND nextFireAt IS NULL`, ['by-hand']],
      [`TaskQueue = 'fast' AND WorkflowType = 'report'`, ['eu-2']],
      [`overlap IN ('BUFFER_ONE', 'ALLOW_ALL')`, ['by-hand', 'eu-2']],
      [`overlap = 'ALLOW_ALL' OR tenant = 'acme'`, ['eu-1', 'eu-2']],
      [`tenant IS NOT NULL`, ['eu-1']],
      [`tenant IS NULL AND paused = true`, ['us-1']],
      [`version > 1`, ['eu-2']],
      [`namespace != 'default'`, ['bare']],
      [`remainingActions BETWEEN 1 AND 10`, ['bare']],
      [`nextFireAt < '2026-03-01T02:00:00Z' AND NOT (Team IS NOT NULL OR Teams IS NOT NULL)`, ['bare', 'us-2']],
      [`createdAt >= '2026-03-01T00:30:00Z' AND lastUpdatedAt IS NOT NULL`, ['eu-2']],
    ];
    for (const [query, ids] of cases) expect([query, await found(client, query)]).toEqual([query, ids]);
    expect(
      await client.listPage({ query: `ScheduleId STARTS_WITH 'eu'`, orderBy: 'nextFireAt', pageSize: 1 }),
    ).toMatchObject({
      schedules: [{ scheduleId: 'eu-1' }],
      nextCursor: expect.any(String),
    });
    expect(await found(ledger().newClient({ tenant: 'acme' }), `paused = false`)).toEqual(['eu-1']);
  });

  it('refuses what nobody has, with its position and what it may have been meant to be', async () => {
    const client = await variety();
    const refused = found(client, `paused = true AND Tean = 'billing'`);
    await expect(refused).rejects.toMatchObject({ name: 'InvalidQueryError', position: 19 });
    await expect(refused).rejects.toThrow(/'Tean' is not a field.*; did you mean Team\?/);
    await expect(client.listPage({ query: 'paused = maybe' })).rejects.toBeInstanceOf(InvalidQueryError);
    await expect(client.listPage({ query: 5 as never })).rejects.toMatchObject({ path: 'query' });
    // Another tenant's search attributes are not there for it.
    await expect(found(ledger().newClient({ tenant: 'other' }), `Team = 'a'`)).rejects.toThrow(/no schedule has/);
  });

  it('over times does not fail for a schedule whose time was imported and is none of Postgres', async () => {
    const client = await variety();
    const odd = [
      '0000-01-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-01-32T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-',
    ];
    const others = ['2026-01-01T12:00:00+23:00', 'then'];
    for (const text of [...odd, ...others]) {
      const value = JSON.stringify({ Day: { type: 'Datetime', value: text } });
      await ledger().query(`update escapement.schedules set search_attributes = $1 where schedule_id = 'bare'`, [
        value,
      ]);
      expect([text, await found(client, `Day < '2026-01-02T00:00:00Z'`)]).toEqual([text, ['us-2']]);
    }
    const days = ['2026-01-31T23:59:59.123456789Z', '2026-02-01T00:59:59+01:00', '2026-01-31T18:29-05:30'];
    const value = JSON.stringify({ Day: { type: 'Datetime', value: days } });
    await ledger().query(`update escapement.schedules set search_attributes = $1 where schedule_id = 'bare'`, [value]);
    expect(await found(client, `Day BETWEEN '2026-01-31T23:59:00Z' AND '2026-01-31T23:59:00Z'`)).toEqual(['bare']);
    expect(await found(client, `Day = '2026-01-31T23:59:59Z'`)).toEqual(['bare']);
    expect(await found(client, `Day >= '2026-02-01T00:00:00Z'`)).toEqual([]);
  });

  it('of a client of one tenant names its sources as that tenant does', async () => {
    const client = ledger().newClient({ tenant: 'acme' });
    await client.apply([someSchedule({ scheduleId: 'applied' })], { source: 'billing', revision: 1 });
    expect(await found(client, `source = 'billing'`)).toEqual(['applied']);
    expect(await found(ledger().client, `source = 'billing'`)).toEqual([]);
  });

  it('is never text of a statement: names and values are bound', async () => {
    const client = await variety();
    const evil = `'); drop table escapement.schedules; --`;
    expect(await found(client, `note = "${evil}"`)).toEqual([]);
    expect(await found(client, `Team IN ("${evil}", "$1", "?")`)).toEqual([]);
    await expect(found(client, `\`${evil}\` = 1`)).rejects.toThrow(/no schedule has/);
    expect(await found(client, '')).toHaveLength(SCHEDULES.length);
  });

  it('matches exactly what its parts say, whatever they are', async () => {
    const client = await variety();
    const rows: ScheduleSummary[] = [];
    for await (const row of client.list()) rows.push(row);
    await fc.assert(
      fc.asyncProperty(someFilter, async ({ text, holds }) => {
        const expected = rows.filter(holds).map(({ scheduleId }) => scheduleId);
        expect(await found(client, text)).toEqual(expected.sort());
      }),
      { numRuns: 150 },
    );
  });
});

interface Filter {
  text: string;
  holds: (row: ScheduleSummary) => boolean;
}

/** A field, with its values in a row. */
const fields: [name: string, literals: string[], of: (row: ScheduleSummary) => readonly unknown[]][] = [
  ['scheduleId', [`'eu-1'`, `'us'`, `'US-3'`, `'f'`], (row) => [row.scheduleId]],
  ['Team', [`'billing'`, `'ops'`, `'o'`], (row) => row.searchAttributes.Team ?? []],
  ['Teams', [`'billing'`, `'ops'`, `'x'`], (row) => row.searchAttributes.Teams ?? []],
  ['taskQueue', [`'fast'`, `'nobody-polls'`], (row) => [row.action.taskQueue]],
  ['note', [`"it's 50%"`, `'i'`], (row) => [row.state.note ?? []].flat()],
  ['version', ['1', '2', '1.5'], (row) => [row.info.version]],
  ['remainingActions', ['0', '7', '3'], (row) => [row.state.remainingActions ?? []].flat()],
];
const meantBy = (literal: string) => (/^['"]/.test(literal) ? literal.slice(1, -1) : Number(literal));

const predicate: fc.Arbitrary<Filter> = fc.constantFrom(...fields).chain(([name, literals, of]) => {
  const literal = fc.constantFrom(...literals);
  const some = (text: string, holds: (value: never) => boolean): Filter => ({
    text: `${name} ${text}`,
    holds: (row) => of(row).some((value) => holds(value as never)),
  });
  return fc.oneof(
    fc.tuple(fc.constantFrom('=', '<', '<=', '>', '>='), literal).map(([operator, given]) => {
      const wanted = meantBy(given) as never;
      const tests: Record<string, (value: never) => boolean> = {
        '=': (value) => value === wanted,
        '<': (value) => value < wanted,
        '<=': (value) => value <= wanted,
        '>': (value) => value > wanted,
        '>=': (value) => value >= wanted,
      };
      return some(`${operator} ${given}`, tests[operator]!);
    }),
    fc
      .array(literal, { minLength: 1, maxLength: 3 })
      .map((given) => some(`in (${given.join(', ')})`, (value) => given.map(meantBy).includes(value))),
    fc
      .tuple(literal, literal)
      .map(([from, to]) =>
        some(
          `between ${from} and ${to}`,
          (value) => value >= (meantBy(from) as never) && value <= (meantBy(to) as never),
        ),
      ),
    fc.constant({ text: `${name} is null`, holds: (row: ScheduleSummary) => of(row).length === 0 }),
  );
});

const someFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    predicate,
    tie('filter').map(({ text, holds }) => ({ text: `not (${text})`, holds: (row: ScheduleSummary) => !holds(row) })),
    fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((parts) => ({
      text: parts.map(({ text }) => `(${text})`).join(' and '),
      holds: (row: ScheduleSummary) => parts.every(({ holds }) => holds(row)),
    })),
    fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((parts) => ({
      text: parts.map(({ text }) => `(${text})`).join(' or '),
      holds: (row: ScheduleSummary) => parts.some(({ holds }) => holds(row)),
    })),
  ),
})).filter;
