import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

async function readBack<Element>(type: string, elements: Element[]): Promise<Element[]> {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const { rows } = await sql<{ element: Element }>`
    select element from unnest(${elements}::${sql.raw(type)}[]) with ordinality as x (element, place)
    order by place`.execute(store.db);
  return rows.map(({ element }) => element);
}

it.each([
  [
    'text',
    [
      'plain',
      '',
      ' ',
      'NULL',
      'null',
      null,
      '"quoted"',
      'back\\slash',
      '{a,b}',
      'a,b',
      'umlaut ü 時',
      'line\nbreak',
      "o'clock",
    ],
  ],
  ['int', [0, -1, 2_147_483_647, null]],
  ['bigint', [Number.MAX_SAFE_INTEGER, null]],
  ['boolean', [true, false, null]],
  [
    'timestamptz',
    [
      new Date('2026-03-01T00:30:00.123Z'),
      new Date('2026-03-01T00:30:00.123Z'),
      new Date(0),
      null,
      new Date('0099-12-31T23:59:59Z'),
      new Date('1969-12-31T23:59:59.999Z'),
      new Date('+012026-01-01T00:00:00Z'),
    ],
  ],
] as [string, unknown[]][])('an array of %s reaches Postgres as it was', async (type, elements) => {
  expect(await readBack(type, elements)).toEqual(elements);
});

it('an empty array reaches Postgres as it was', async () => {
  expect(await readBack('text', [])).toEqual([]);
});
