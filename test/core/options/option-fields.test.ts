import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { show } from '../../../core/occurrences/show';
import * as fields from '../../../core/option-fields';
import { problemsOf } from '../../../core/options';

/** Two bytes of UTF-8, and one character. */
const UMLAUT = 'ä';
const NUL = 'a\0';
const HALF_PAIR = 'a\ud800';
const UNSTORABLE = 'has characters that cannot be stored';

const problems = (schema: z.ZodType, value: unknown) => problemsOf(schema, value).map(({ problem }) => problem);
const takes = (schema: z.ZodType, value: unknown) => expect(problems(schema, value)).toEqual([]);

/** The first problem is the one that a person reads. */
const refuses = (schema: z.ZodType, value: unknown, problem: string) =>
  expect(problems(schema, value)[0]).toBe(problem);

/** Each value with its name: long ones by their length. */
const named = (values: unknown[]) =>
  values.map((value): [string, unknown] => {
    const isLong = typeof value === 'string' && value.length > 40;
    return [isLong ? `${value.length} characters in ${Buffer.byteLength(value)} bytes` : show(value), value];
  });

const NO_OWNER = 'is not a text of at most 200 characters without control characters';
const NO_EXTERNAL_ID = 'is not a text of at most 255 bytes without control characters';
const NO_TENANT = 'is not a text of at most 100 bytes without control characters';
const NO_LINK = 'is not an http or https link of at most 2,000 characters';
const NO_NAME = 'is not 1 to 1,000 bytes of text';
const LINK = 'https://wiki.example.com/';

describe.each<[string, z.ZodType, unknown[]]>([
  ['a text of any length', fields.storable, ['', ' ', 'a\n', 'a'.repeat(1_000_000)]],
  ['a filter', fields.narrowing, ['a', ' a ', 'a\n', 'a'.repeat(10_000)]],
  ['a name', fields.name, ['a', ' ', 'a'.repeat(1_000), UMLAUT.repeat(500)]],
  ['a note', fields.note, ['', 'a\nb', 'a'.repeat(4_000), UMLAUT.repeat(4_000)]],
  ['an owner', fields.owner, ['', 'The night shift', 'a'.repeat(200), UMLAUT.repeat(200)]],
  ['an external ID', fields.externalId, ['', 'a b', 'a'.repeat(255), `a${UMLAUT.repeat(127)}`]],
  ['a tenant', fields.tenant, ['', 'acme', 'a'.repeat(100), UMLAUT.repeat(50)]],
  ['a tenant, or all,', fields.tenantOrAll, ['', 'acme', 'a'.repeat(100)]],
  ['a runbook', fields.runbook, ['', 'http://a', LINK, 'HTTPS://a', LINK.padEnd(2_000, 'a')]],
  ['a flag', fields.flag, [true, false]],
  ['an instant', fields.instant, [new Date(0), new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]],
  [
    'an instant or a text',
    fields.instantOrText,
    ['', 'tomorrow', '2026-11-20T02:00:00Z', new Date(0), new Date('9999-12-31T23:59:59.999Z')],
  ],
  ['a duration', fields.duration, [1, '90 minutes', '100 years']],
  ['a duration, or none,', fields.durationOrNone, [0, 1, '90 minutes', '100 years']],
  ['a callback', fields.callback, [() => 1, class {}]],
  ['an object', fields.thing, [{}, [], new Date(0)]],
  ['an object or a function', fields.thingOrCallback, [{}, [], new Date(0), () => 1]],
  ['a count', fields.count, [1, 2, Number.MAX_SAFE_INTEGER]],
])('%s may be', (_, schema, values) => {
  it.each(named(values))('%s', (_, value) => {
    takes(schema, value);
  });
});

describe.each<[string, z.ZodType, string, unknown[]]>([
  ['a text of any length', fields.storable, UNSTORABLE, [NUL, HALF_PAIR]],
  ['a filter', fields.narrowing, 'is empty, and would select everything: leave it out', ['', ' ', '\t\n']],
  ['a filter', fields.narrowing, UNSTORABLE, [NUL, HALF_PAIR]],
  ['a name', fields.name, NO_NAME, ['', 'a'.repeat(1_001), `a${UMLAUT.repeat(500)}`]],
  ['a name', fields.name, UNSTORABLE, [NUL]],
  ['a note', fields.note, 'is longer than 4,000 characters', ['a'.repeat(4_001)]],
  ['a note', fields.note, UNSTORABLE, [NUL, HALF_PAIR]],
  ['an owner', fields.owner, NO_OWNER, ['a'.repeat(201), 'a\nb', 'a\u007f']],
  ['an external ID', fields.externalId, NO_EXTERNAL_ID, ['a'.repeat(256), UMLAUT.repeat(128), 'a\tb']],
  ['a tenant', fields.tenant, NO_TENANT, ['a'.repeat(101), `a${UMLAUT.repeat(50)}`, 'a\nb']],
  ['a tenant', fields.tenant, UNSTORABLE, [NUL]],
  ['a tenant, or all,', fields.tenantOrAll, NO_TENANT, ['a'.repeat(101)]],
  [
    'a runbook',
    fields.runbook,
    NO_LINK,
    [' ', 'wiki.example.com', 'ftp://a', 'javascript:alert(1)', 'http://', LINK.padEnd(2_001, 'a'), `${LINK}a\nb`],
  ],
  ['a flag', fields.flag, '"true" is neither true nor false', ['true']],
  [
    'an instant',
    fields.instant,
    'is not a Date in the years 1 to 9999',
    [
      '2026-11-20T02:00:00Z',
      0,
      null,
      new Date(Number.NaN),
      new Date(Date.parse('0001-01-01T00:00:00Z') - 1),
      new Date(Date.parse('9999-12-31T23:59:59.999Z') + 1),
      { getTime: () => 0 },
    ],
  ],
  [
    'an instant or a text',
    fields.instantOrText,
    'is neither a Date in the years 1 to 9999 nor a text such as 2026-11-20T02:00:00Z',
    [0, null, new Date(Number.NaN), new Date(Date.parse('9999-12-31T23:59:59.999Z') + 1), { getTime: () => 0 }],
  ],
  ['a duration', fields.duration, "0 is not a duration; use milliseconds or a text such as '90 minutes'", [0]],
  [
    'a duration',
    fields.duration,
    '"soon" is not a duration; use milliseconds or a text such as \'90 minutes\'',
    ['soon'],
  ],
  ['a duration', fields.duration, '"200 years" is longer than 100 years', ['200 years']],
  ['a duration', fields.duration, "null is not a duration; use milliseconds or a text such as '90 minutes'", [null]],
  [
    'a duration, or none,',
    fields.durationOrNone,
    "-1 is not a duration; use 0, milliseconds or a text such as '90 minutes'",
    [-1],
  ],
  [
    'a duration, or none,',
    fields.durationOrNone,
    '"0s" is not a duration; use 0, milliseconds or a text such as \'90 minutes\'',
    ['0s'],
  ],
  ['a callback', fields.callback, 'is not a function', ['a', {}, null, 5]],
  ['an object', fields.thing, 'is not an object', ['a', null, 5, () => 1]],
  ['an object or a function', fields.thingOrCallback, 'is neither an object nor a function', ['a', null, 5]],
  ['a count', fields.count, 'is not a whole number from 1', [0, -1, 1.5, 2 ** 53, '1', null, Number.POSITIVE_INFINITY]],
])('%s is refused (%#)', (_, schema, problem, values) => {
  it.each(named(values))(`if it is %s: ${problem}`, (_, value) => {
    refuses(schema, value, problem);
  });
});

describe('a tenant as a filter', () => {
  it('may be left out, which means all, but is never undefined, which would mean so by mistake', () => {
    const filter = z.strictObject({ tenant: fields.tenantOrAll });
    takes(filter, {});
    refuses(filter, { tenant: undefined }, 'is undefined: leave the option out, or give a value');
  });
});

describe('the options about texts of failures', () => {
  const options = z.strictObject(fields.FAILURE_TEXT_FIELDS);

  it('are a flag and a function, each optional', () => {
    takes(options, {});
    takes(options, { keepFailureTexts: false, redact: (text: string) => text });
  });

  it.each([
    [{ keepFailureTexts: 'no' }, 'keepFailureTexts'],
    [{ redact: /card/ }, 'redact'],
  ])('%j is refused', (given, path) => {
    expect(problemsOf(options, given).map((problem) => problem.path)).toEqual([path]);
  });
});

describe('one of some words', () => {
  const answer = fields.oneOf(['open', 'closed']);

  it.each(['open', 'closed'])('may be %s', (word) => takes(answer, word));

  it.each<[unknown, string]>([
    ['close', '"close" is none of open, closed; did you mean closed?'],
    ['Open', '"Open" is none of open, closed; did you mean open?'],
    ['waiting', '"waiting" is none of open, closed'],
    [5, '5 is none of open, closed'],
    [null, 'null is none of open, closed'],
    [['open'], '["open"] is none of open, closed'],
  ])('is not %j', (value, problem) => refuses(answer, value, problem));
});

describe('one or more of some words', () => {
  const answers = fields.oneOrMore(['open', 'closed']);

  it.each<unknown>(['open', ['closed'], ['open', 'closed'], ['open', 'open'], []])('may be %j', (value) => {
    takes(answers, value);
  });

  it.each<[unknown, string]>([
    ['close', '"close" is none of open, closed; did you mean closed?'],
    [['open', 'close', 'opened'], '"close" is none of open, closed; did you mean closed?'],
    [['waiting', 'open'], '"waiting" is none of open, closed'],
    [[5], '5 is none of open, closed'],
    [null, 'null is none of open, closed'],
    [[['open']], '["open"] is none of open, closed'],
  ])('is not %j, and the first wrong word is named', (value, problem) => refuses(answers, value, problem));
});

describe('a sentence about a word that is none of the known ones', () => {
  it.each<[unknown, string[], string]>([
    ['close', ['open', 'closed'], '"close" is none of open, closed; did you mean closed?'],
    ['x1y2z3', ['open', 'closed'], '"x1y2z3" is none of open, closed'],
    ['close', ['closed'], '"close" is none of closed; did you mean closed?'],
    [true, ['true'], 'true is none of true'],
    [undefined, ['open'], 'undefined is none of open'],
  ])('%j of %j', (value, words, sentence) => {
    expect(fields.noneOf(value, words)).toBe(sentence);
  });
});

describe('an instant in milliseconds', () => {
  const first = Date.parse('0001-01-01T00:00:00Z');
  const last = Date.parse('9999-12-31T23:59:59.999Z');

  it.each([
    ['may be the first one of the year 1', first, true],
    ['is not before the year 1', first - 1, false],
    ['may be the last one of the year 9999', last, true],
    ['is not after the year 9999', last + 1, false],
    ['may be any between', 0, true],
    ['is not NaN', Number.NaN, false],
  ])('%s', (_, time, expected) => {
    expect(fields.isInstant(time)).toBe(expected);
  });
});

describe('a text without control characters', () => {
  it.each<[string, string, boolean]>([
    ['may be empty', '', true],
    ['may have blanks and punctuation', ' ~!', true],
    ['may have any script and emoji', 'Grüße 東京 🙂', true],
    ['has no NUL', 'a\0b', false],
    ['has no tab', 'a\tb', false],
    ['has no line break', 'a\nb', false],
    ['has no last control character before the blank', 'a\u001fb', false],
    ['has no DEL', 'a\u007fb', false],
    ['has no half of a surrogate pair', HALF_PAIR, false],
  ])('%s', (_, text, expected) => {
    expect(fields.isPrintable(text)).toBe(expected);
  });
});

describe('the ID of a schedule', () => {
  it.each<[string, string, boolean]>([
    ['may have one byte', 'a', true],
    ['is not empty', '', false],
    ['may have 255 bytes', 'a'.repeat(255), true],
    ['has at most 255 bytes', 'a'.repeat(256), false],
    ['may have 255 bytes in fewer characters', `a${UMLAUT.repeat(127)}`, true],
    ['has at most 255 bytes, however few the characters', UMLAUT.repeat(128), false],
    ['has no control characters', 'a\nb', false],
  ])('%s', (_, id, expected) => {
    expect(fields.isScheduleId(id)).toBe(expected);
  });
});

it('the longest timer is the longest delay that Node takes, 24.8 days', () => {
  expect(fields.LONGEST_TIMER_MILLISECONDS).toBe(0x7fff_ffff);
});
