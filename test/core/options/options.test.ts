import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidOptionError, InvalidScheduleError } from '../../../core/errors';
import { checkOptions, problemOf, problemsOf } from '../../../core/options';

const schema = z.strictObject({
  tenant: z.string().optional(),
  limits: z.strictObject({ batchSize: z.int().min(1).max(100).optional() }).optional(),
  webhooks: z.array(z.strictObject({ url: z.string(), format: z.enum(['slack', 'pagerduty']).optional() })).optional(),
  queues: z.record(z.string(), z.strictObject({ rate: z.number() })).optional(),
});

describe('options that are all right', () => {
  it.each<[string, object]>([
    ['may be empty', {}],
    ['may have every field', { tenant: 'acme', limits: { batchSize: 1 }, webhooks: [{ url: 'a' }], queues: {} }],
  ])('%s, and have no problem', (_, given) => {
    expect(problemsOf(schema, given)).toEqual([]);
    expect(problemOf(schema, given)).toBeUndefined();
    expect(() => checkOptions(schema, given)).not.toThrow();
  });
});

describe('an unknown name', () => {
  const words = (given: unknown, of: z.ZodType = schema) => problemsOf(of, given);

  it('is refused with the names that there are, and the nearest of them', () => {
    expect(words({ tennant: 'acme' })).toEqual([
      {
        path: 'tennant',
        problem: 'is not a field here; tenant, limits, webhooks, queues are; did you mean tenant?',
      },
    ]);
  });

  it('is refused without a hint if none is near', () => {
    expect(words({ colour: 'red' })[0]?.problem).toBe('is not a field here; tenant, limits, webhooks, queues are');
  });

  it('is refused in the singular where one name is known', () => {
    const problem = 'is not a field here; batchSize is; did you mean batchSize?';
    expect(words({ limits: { batchsize: 5 } })).toEqual([{ path: 'limits.batchsize', problem }]);
  });

  it('is refused where no field is known', () => {
    expect(words({ tenant: 'acme' }, z.strictObject({}))).toEqual([{ path: 'tenant', problem: 'is not a field here' }]);
  });

  it('in a list is refused with the names of what the list holds', () => {
    const problem = 'is not a field here; url, format are; did you mean url?';
    expect(words({ webhooks: [{ url: 'a' }, { url: 'b', urls: 1 }] })).toEqual([{ path: 'webhooks[1].urls', problem }]);
  });

  it('below a name of the caller’s own is refused with the names of what lies there', () => {
    const problem = 'is not a field here; rate is; did you mean rate?';
    expect(words({ queues: { jobs: { rate: 1, rates: 1 } } })).toEqual([{ path: 'queues.jobs.rates', problem }]);
  });

  it('is found through whatever makes a part optional, nullable or given by default', () => {
    const wrapped = z.strictObject({
      part: z.strictObject({ rate: z.number().optional() }).default({}).nullable().optional(),
    });
    expect(words({ part: { rates: 1 } }, wrapped.optional())).toEqual([
      { path: 'part.rates', problem: 'is not a field here; rate is; did you mean rate?' },
    ]);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    [
      'of a choice between objects',
      z.discriminatedUnion('type', [z.strictObject({ type: z.literal('one') })]),
      { type: 'one', typ: 1 },
      'typ',
    ],
    ['at a place of a tuple', z.tuple([z.strictObject({ rate: z.number() })]), [{ rate: 1, rates: 1 }], '[0].rates'],
    [
      'deep in a tuple',
      z.tuple([z.strictObject({ queues: z.array(z.strictObject({ rate: z.number() })) })]),
      [{ queues: [{ rate: 1, rates: 1 }] }],
      '[0].queues[0].rates',
    ],
  ])('%s is refused without the names, which depend on the choice or place', (_, of, given, path) => {
    expect(words(given, of)).toEqual([{ path, problem: 'is not a field here' }]);
  });

  it('comes before wrong values, since it may be why one is missing; each in the order of its kind', () => {
    const given = { tenant: 5, limits: { batch: 1 }, webhooks: [{ uri: 'a' }], colour: 1, size: 2 };
    expect(problemsOf(schema, given).map(({ path }) => path)).toEqual([
      'limits.batch',
      'webhooks[0].uri',
      'colour',
      'size',
      'tenant',
      'webhooks[0].url',
    ]);
    expect(problemOf(schema, given)?.path).toBe('limits.batch');
  });
});

describe('a value', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['that is neither true nor false', z.boolean(), 'yes', '"yes" is neither true nor false'],
    ['that is no text', z.string(), 5, '5 is no text'],
    ['that is no number', z.number(), '5', '"5" is no number'],
    ['that is no number at all where a whole one is needed', z.int(), '5', '"5" is no number'],
    ['that is not a whole number', z.int(), 1.5, '1.5 is not a whole number'],
    ['that is no object of options', z.strictObject({}), 'a', '"a" is not an object of options'],
    ['that is null instead of options', z.strictObject({}), null, 'null is not an object of options'],
    ['that is a list instead of options', z.strictObject({}), [1], '[1] is not an object of options'],
    ['that is no list', z.array(z.string()), { a: 1 }, '{"a":1} is no list'],
    ['that is no object by names', z.record(z.string(), z.string()), 'a', '"a" is no object'],
    ['of another type is refused by the name of the type', z.bigint(), 5, '5 is no bigint'],
    ['that is none of some words', z.enum(['asc', 'desc']), 'up', '"up" is none of asc, desc'],
    ['near one of some words', z.enum(['asc', 'desc']), 'dsc', '"dsc" is none of asc, desc; did you mean asc?'],
    ['that is none of some values', z.literal([1, false]), 2, '2 is none of 1, false'],
    ['below a bound', z.int().min(1), 0, '0: Too small: expected number to be >=1'],
    ['above a bound', z.int().max(100), 101, '101: Too big: expected number to be <=100'],
    ['with an error of its own', z.string().regex(/^a/, 'begins with no a'), 'b', 'begins with no a'],
    ['with an error of its own that is no sentence’s middle', z.custom(() => false, 'A is B'), 'b', 'A is B'],
    [
      'with an error that quotes it',
      z.custom(() => false, { error: ({ input }) => `"${input}" is odd` }),
      'b',
      '"b" is odd',
    ],
    ['of none of several kinds', z.union([z.string(), z.number()], { error: 'is neither' }), true, 'is neither'],
  ])('%s is refused in plain words', (_, of, value, problem) => {
    expect(problemsOf(z.strictObject({ field: of }), { field: value })).toEqual([{ path: 'field', problem }]);
    expect(problemsOf(of, value)).toEqual([{ path: 'options', problem }]);
  });
});

describe('a value that there is not', () => {
  const needs = z.strictObject({ at: z.string(), part: z.strictObject({ name: z.string() }).optional() });
  const MISSING = 'is missing';
  const UNDEFINED = 'is undefined: leave the option out, or give a value';

  it.each<[string, z.ZodType, unknown, string, string]>([
    ['left out', needs, {}, 'at', MISSING],
    ['given as undefined', needs, { at: undefined }, 'at', UNDEFINED],
    ['left out of a part', needs, { at: 'a', part: {} }, 'part.name', MISSING],
    ['given as undefined in a part', needs, { at: 'a', part: { name: undefined } }, 'part.name', UNDEFINED],
    ['left out of a part, though the whole has that name', needs, { at: 'a', name: 1, part: {} }, 'part.name', MISSING],
    [
      'of which a list is made',
      z.strictObject({ ids: z.preprocess((given) => [given].flat(), z.array(z.string())) }),
      {},
      'ids[0]',
      MISSING,
    ],
    ['undefined in a list', z.array(z.string()), ['a', undefined], '[1]', UNDEFINED],
    [
      'left out deep in a list',
      z.strictObject({ list: z.array(needs) }),
      { list: [{ at: 'a' }, { at: 'b', part: {} }] },
      'list[1].part.name',
      MISSING,
    ],
    ['undefined under a name of the caller’s own', z.record(z.string(), z.string()), { a: undefined }, 'a', UNDEFINED],
  ])('%s is refused as what it is', (_, of, given, path, problem) => {
    expect(problemsOf(of, given)).toContainEqual({ path, problem });
  });

  it('is the whole: no options were given', () => {
    expect(problemsOf(needs, undefined)).toEqual([{ path: 'options', problem: MISSING }]);
  });

  it('may be explicitly undefined only where the schema says so', () => {
    const tenant = z.strictObject({ tenant: z.string().exactOptional() });
    expect(problemsOf(tenant, {})).toEqual([]);
    expect(problemsOf(tenant, { tenant: undefined })).toEqual([{ path: 'tenant', problem: UNDEFINED }]);
    expect(problemsOf(schema, { tenant: undefined })).toEqual([]);
  });
});

describe('the path of a problem', () => {
  it.each<[string, unknown, string, string]>([
    ['begins with where the options are', { tenant: 5 }, 'serve', 'serve.tenant'],
    ['begins so for an unknown name too', { tenants: 5 }, 'serve', 'serve.tenants'],
    ['is where the options are, if they are wrong as a whole', 'a', 'serve', 'serve'],
    ['has places of lists in brackets', { webhooks: [{ url: 'a' }, { url: 5 }] }, '', 'webhooks[1].url'],
    ['has a whole place of a list', { webhooks: ['a'] }, 'alerts', 'alerts.webhooks[0]'],
    ['has names of the caller’s own', { queues: { jobs: { rate: 'a' } } }, '', 'queues.jobs.rate'],
    ['has such a name that is a number like any name', { queues: { 7: { rate: 'a' } } }, '', 'queues.7.rate'],
  ])('%s', (_, given, at, path) => {
    expect(problemsOf(schema, given, at).map((problem) => problem.path)).toEqual([path]);
    expect(problemOf(schema, given, at)?.path).toBe(path);
    expect(() => checkOptions(schema, given, at)).toThrow(expect.objectContaining({ path }));
  });

  it('begins with the place of a list that is all there is', () => {
    expect(problemsOf(z.array(z.string()), ['a', 5])).toEqual([{ path: '[1]', problem: '5 is no text' }]);
    expect(problemsOf(z.array(z.string()), [5], 'list')[0]?.path).toBe('list[0]');
  });
});

describe('a refusal', () => {
  it('is an error of the first problem, with its path and what is wrong', () => {
    const check = () => checkOptions(schema, { tenant: 5, limits: 5, webhooks: 5 });
    expect(check).toThrow(InvalidOptionError);
    expect(check).toThrow(/^tenant: 5 is no text$/);
    expect(check).toThrow(expect.objectContaining({ path: 'tenant', problem: '5 is no text' }));
  });

  it('is the error that the caller makes of the problem', () => {
    const refuse = (path: string, problem: string) => new InvalidScheduleError(`schedule.${path}`, `no: ${problem}`);
    const check = () => checkOptions(schema, { tenant: 5 }, 'given', refuse);
    expect(check).toThrow(InvalidScheduleError);
    expect(check).toThrow(/^schedule\.given\.tenant: no: 5 is no text$/);
  });
});
