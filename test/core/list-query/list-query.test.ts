import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidQueryError } from '../../../core/list-query/error';
import { parseQuery } from '../../../core/list-query/parse';
import { resolveQuery } from '../../../core/list-query/resolve';
import { refusal } from './refusal';

const paused = (value: boolean) => ({ kind: 'compare', field: { column: 'paused' }, operator: '=', value });
const team = (value: string) => ({ kind: 'compare', field: { attribute: 'Team' }, operator: '=', value });

describe('a list filter', () => {
  it('is read with AND before OR, NOT before both, and parentheses', () => {
    const query = `TemporalSchedulePaused = true OR NOT Team = "a" and (paused=FALSE or Team='b')`;
    expect(resolveQuery(query)?.condition).toEqual({
      kind: 'any',
      of: [
        paused(true),
        {
          kind: 'all',
          of: [
            { kind: 'not', of: team('a') },
            { kind: 'any', of: [paused(false), team('b')] },
          ],
        },
      ],
    });
  });

  it.each<[string, object]>([
    [`note IS NULL`, { kind: 'isNull', field: { column: 'note' } }],
    [`note is not null`, { kind: 'not', of: { kind: 'isNull', field: { column: 'note' } } }],
    [`Team IN ('a', "b")`, { kind: 'in', field: { attribute: 'Team' }, values: ['a', 'b'] }],
    [`Team NOT IN ('a')`, { kind: 'not', of: { kind: 'in', field: { attribute: 'Team' }, values: ['a'] } }],
    [`ScheduleId STARTS_WITH 'eu-'`, { kind: 'startsWith', field: { column: 'scheduleId' }, value: 'eu-' }],
    [`version BETWEEN 1 AND 3`, { kind: 'between', field: { column: 'version' }, from: 1, to: 3 }],
    [`Rate >= -1.5e3`, { kind: 'compare', field: { attribute: 'Rate' }, operator: '>=', value: -1500 }],
    [
      `nextFireAt < '2026-11-20T02:00:00+01:00'`,
      { kind: 'compare', field: { column: 'nextFireAt' }, operator: '<', value: new Date('2026-11-20T01:00:00Z') },
    ],
    [`state = 'set aside'`, { kind: 'compare', field: { column: 'state' }, operator: '=', value: 'set aside' }],
    ['`state` = "x"', { kind: 'compare', field: { attribute: 'state' }, operator: '=', value: 'x' }],
    ['`a ``b` = 1', { kind: 'compare', field: { attribute: 'a `b' }, operator: '=', value: 1 }],
    [`note = 'it''s'`, { kind: 'compare', field: { column: 'note' }, operator: '=', value: "it's" }],
    [`note = "a\\"b\\\\"`, { kind: 'compare', field: { column: 'note' }, operator: '=', value: 'a"b\\' }],
  ])('says what it says: %s', (query, condition) => {
    expect(resolveQuery(query)?.condition).toEqual(condition);
  });

  it('is none where it is empty', () => {
    expect([resolveQuery(''), resolveQuery(' \n')]).toEqual([undefined, undefined]);
  });

  it('tells where it names which search attributes first', () => {
    expect(resolveQuery(`paused = true AND Team = 'a' OR Region = 'b' AND Team = 'c'`)?.attributes).toEqual(
      new Map([
        ['Team', 19],
        ['Region', 33],
      ]),
    );
  });

  it.each<[string, number, RegExp]>([
    [`paused`, 7, /expected after a field instead of the end/],
    [`paused = `, 10, /a value is expected instead of the end/],
    [`paused = yes`, 10, /put texts in quotes/],
    [`paused = 'true'`, 10, /paused is compared with true or false, not with "true"/],
    [`paused == true`, 9, /a value is expected/],
    [`paused > true`, 1, /supports only =, !=, IN and IS NULL, not >/],
    [`(paused = true`, 15, /"\)" is expected instead of the end/],
    [`paused = true)`, 14, /AND, OR or the end is expected instead of "\)"/],
    [`paused = true ANDD note = 'x'`, 15, /did you mean AND\?/],
    [`note LIKE 'x%'`, 6, /STARTS_WITH.* instead of "LIKE"/],
    [`note STARTSWITH 'x'`, 6, /did you mean STARTS_WITH\?/],
    [`note = 'x`, 8, /the quote does not end/],
    [`note = 'x' ORDER BY note`, 12, /orderBy/],
    [`state = 'pausd'`, 9, /did you mean paused\?/],
    [`nextFireAt > 'tomorrow'`, 14, /is not a time/],
    [`nextFireAt > '2026-02-30T00:00:00Z'`, 14, /is not a time/],
    [`createdAt > '-100000-01-01T00:00:00Z'`, 13, /is not in the years 1 to 9999/],
    [`nextFireAt < '0000-12-31T23:59:59Z'`, 14, /is not in the years 1 to 9999/],
    [`Day IN ('2026-01-01T00:00:00Z', '+010000-01-01T00:00:00Z')`, 33, /is not in the years 1 to 9999/],
    [`version = '3'`, 11, /compared with a number/],
    [`version STARTS_WITH 3`, 1, /is not a text/],
    [`Team STARTS_WITH 3`, 18, /starts with a text/],
    [`Team BETWEEN 1 AND 'b'`, 20, /the same type/],
    [`Flag > true`, 8, /true and false are compared only by/],
    [`source STARTS_WITH 'a'`, 1, /supports only =, !=, IN and IS NULL/],
    [`Team IN ()`, 10, /a value is expected/],
    [`Team NOT = 'a'`, 10, /IN, BETWEEN, STARTS_WITH are expected/],
    [`note = 'a\0b'`, 8, /cannot be stored/],
    [`a; drop table x`, 2, /";" is not expected here/],
    [`AND = 1`, 1, /name of a field is expected/],
    [`x = 1e999`, 5, /too large/],
    [`${'('.repeat(60)}paused = true${')'.repeat(60)}`, 52, /nested more than 50 deep/],
    [`note = '${'x'.repeat(10_000)}'`, 10_001, /longer than 10000/],
  ])('is refused with the position of what is wrong: %s', (query, position, problem) => {
    expect(refusal(query)).toEqual({ position, problem: expect.stringMatching(problem) });
  });

  it('of any text is read, or refused at a position in it; nothing else is thrown', () => {
    const word = fc.constantFrom(
      ...['AND', 'OR', 'NOT', 'IN', '(', ')', ',', '=', '!=', '<', 'BETWEEN', 'IS', 'NULL', 'STARTS_WITH', 'true'],
      ...['paused', 'note', 'state', 'Team', '`x`', "'a'", '"b"', '1', '-2.5', "'2026-01-01T00:00:00Z'", "'", '`', ';'],
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(word, { maxLength: 14 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(texts, (query) => {
        try {
          resolveQuery(query);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidQueryError);
          const { position } = error as InvalidQueryError;
          expect(position >= 1 && position <= query.length + 1).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('of a thousand conditions is read', () => {
    const query = Array.from({ length: 1_000 }, () => 'paused=1')
      .join(' OR ')
      .slice(0, 10_000);
    expect(parseQuery(query.slice(0, query.lastIndexOf(' OR ')))).toMatchObject({ kind: 'any' });
  });
});
