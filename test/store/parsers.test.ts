import { Client, types } from 'pg';
import { afterEach, expect, inject, it, vi } from 'vitest';
import type * as Parsers from '../../store/parsers';

/** OIDs of timestamptz, jsonb, bytea, bool, int4 and int8. */
const TYPES = [1184, 3802, 17, 16, 23, 20];
const former = TYPES.map((oid) => [oid, types.getTypeParser(oid)] as const);
const asText = (value: unknown) => value;

afterEach(() => {
  for (const [oid, parser] of former) types.setTypeParser(oid, parser);
});

it('values are read in the same way, though the program has set its own parsers of pg before it loads Escapement', async () => {
  for (const oid of TYPES) types.setTypeParser(oid, asText);
  // Test files share their modules: the query loads this one once more.
  const { ownParsers } = await vi.importActual<typeof Parsers>('../../store/parsers?anew');
  const client = new Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    await client.query(`set timezone = 'Asia/Kathmandu'`);
    const { rows } = await client.query({
      text: `select '2026-03-01T01:00:00.123Z'::timestamptz as time, '0044-03-15 00:00+00 BC'::timestamptz as ancient,
        'infinity'::timestamptz as never, null::timestamptz as none, '{"a": [1]}'::jsonb as json, '\\xdeadbeef'::bytea as bytes,
        true as yes, false as no, -7 as small, 9007199254740991::int8 as big`,
      types: ownParsers,
    });
    expect(rows).toEqual([
      {
        time: new Date('2026-03-01T01:00:00.123Z'),
        ancient: new Date('-000043-03-15T00:00:00Z'),
        never: Number.POSITIVE_INFINITY,
        none: null,
        json: { a: [1] },
        bytes: Buffer.from('deadbeef', 'hex'),
        yes: true,
        no: false,
        small: -7,
        big: 9_007_199_254_740_991,
      },
    ]);
  } finally {
    await client.end();
  }
});
