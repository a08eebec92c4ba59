import fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI, as it was read
type Json = any;

/** A request that the document allows, or nearly. */
export interface FuzzedRequest {
  operationId: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The body as it is sent; undefined if there is none. */
  payload: string | undefined;
}

/** Texts that often cause bugs, and texts with a meaning in this API. */
const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'x'.repeat(300),
    'ünïcode 💥',
    '\0',
    '\ud800',
    '../..',
    '%2e',
    "'; drop table x",
    '"',
    '\\',
    '\n',
    '__proto__',
  ],
  ...['nightly', 'billing', 'acme', 'default', 'null', 'true', 'NaN', '-1', '1e999', '99999999999999999999'],
  ...['* * * * *', '0 2 31 2 *', '@every 1s', '5 minutes', '1 year', '-5 minutes', 'Europe/Berlin', 'Nowhere/City'],
  ...['2026-03-01T01:00:00Z', '2026-03-01', '0000-00-00T00:00:00Z', '9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z'],
  ...[
    "taskQueue = 'q'",
    'paused = true AND (',
    'note IS NULL',
    'nextFireAt > "x"',
    '0e3f8a52-7d5e-4f0b-9a53-000000000000',
  ],
];
const NUMBERS = [0, 1, -1, 2, 1.5, 200, 1_000, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];
const DEEPEST = 4;

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const number = fc.constantFrom(...NUMBERS);
/** Any JSON, as a mistaken program may send it. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}, [null], { a: 1 }, [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values that usually match a schema, and sometimes match none. */
function valuesOf(document: Json, schema: Json, depth = 0): fc.Arbitrary<unknown> {
  const valid = validOf(document, schema, depth);
  return fc.oneof({ weight: 14, arbitrary: valid }, { weight: 1, arbitrary: anything });
}

function validOf(document: Json, schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (schema?.$ref) return valuesOf(document, resolved(document, schema.$ref), depth);
  if (!schema || depth > DEEPEST) return anything;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map((one: Json) => valuesOf(document, one, depth)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return schema.format === 'date-time'
        ? fc.constantFrom('2026-03-01T01:00:00Z', '2026-02-01T00:00:00+01:00', '2030-01-01T00:00:00Z')
        : text;
    case 'integer':
    case 'number':
      return schema.minimum === undefined
        ? number
        : fc.constantFrom(schema.minimum, schema.minimum + 1, Math.min(schema.maximum ?? 9, 9));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(document, schema.items, depth + 1), { maxLength: 3 });
    case 'object':
      return objectsOf(document, schema, depth);
    default:
      return anything;
  }
}

function objectsOf(document: Json, schema: Json, depth: number): fc.Arbitrary<unknown> {
  const required: string[] = schema.required ?? [];
  const fields = Object.entries<Json>(schema.properties ?? {}).map(([name, one]) => {
    const value = valuesOf(document, one, depth + 1);
    // Optional fields are usually left out, and required ones sometimes.
    const weight = required.includes(name) ? 24 : 2;
    return fc.oneof(
      { weight, arbitrary: value.map((given) => ({ [name]: given })) },
      { weight: required.includes(name) ? 1 : 6, arbitrary: fc.constant({}) },
    );
  });
  const more = fc.oneof(
    { weight: 20, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(text, anything, { maxKeys: 1 }) },
  );
  const free = schema.properties
    ? more
    : fc.dictionary(text, valuesOf(document, schema.additionalProperties || undefined, depth + 1), { maxKeys: 2 });
  return fc.tuple(free, ...fields).map((parts) => Object.assign({}, ...parts));
}

function resolved(document: Json, ref: string): Json {
  return ref
    .split('/')
    .slice(1)
    .reduce((at, name) => at[name], document);
}

/** Parameter values that name existing objects. */
export type Things = Record<string, string[]>;

/** Requests of all operations of a document. */
export function requestsOf(document: Json, things: Things): fc.Arbitrary<FuzzedRequest> {
  const all = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) =>
      requestOf(document, { path, method, operation }, things),
    ),
  );
  return fc.oneof(...all);
}

function requestOf(
  document: Json,
  { path, method, operation }: { path: string; method: string; operation: Json },
  things: Things,
): fc.Arbitrary<FuzzedRequest> {
  const parameters: Json[] = operation.parameters ?? [];
  const of = (place: string) => parameters.filter((one) => one.in === place);
  const inPath = fc.tuple(
    ...of('path').map(({ name }) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...(things[name] ?? ['nightly'])) },
        { weight: 1, arbitrary: text },
      ),
    ),
  );
  const inQuery = fc.tuple(
    ...of('query').map(({ name, schema, required }) =>
      fc.oneof(
        { weight: required ? 8 : 1, arbitrary: valuesOf(document, schema).map((value) => [name, value] as const) },
        { weight: required ? 1 : 3, arbitrary: fc.constant(undefined) },
      ),
    ),
  );
  const headers = fc.record(
    {
      'if-match': fc.constantFrom('*', '"1-x"', 'W/"x"', ''),
      'idempotency-key': fc.constantFrom('one', 'two', 'a b', 'x'.repeat(300)),
    },
    { requiredKeys: [] },
  );
  const schema =
    operation.requestBody?.content?.['application/json']?.schema ??
    Object.values<Json>(operation.requestBody?.content ?? {})[0]?.schema;
  const body = schema
    ? fc.oneof(
        { weight: 20, arbitrary: valuesOf(document, schema).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.constantFrom('{', '', 'null', '[]', '{"a":1,"a":2}', '1e999') },
      )
    : fc.constant(undefined);
  return fc.record({ inPath, inQuery, headers, body }).map(({ inPath, inQuery, headers, body }) => {
    const names = of('path').map(({ name }) => name as string);
    const filled = names.reduce((url, name, at) => url.replace(`{${name}}`, escaped(inPath[at]!)), path);
    const query = inQuery.flatMap((one) =>
      one ? [`${one[0]}=${escaped(typeof one[1] === 'string' ? one[1] : JSON.stringify(one[1]))}`] : [],
    );
    return {
      operationId: operation.operationId,
      method: method.toUpperCase(),
      url: `${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) } as Record<
        string,
        string
      >,
      payload: body,
    };
  });
}

function escaped(value: string | undefined): string {
  return encodeURIComponent((value ?? '').toWellFormed());
}
