import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['7'],
  ['{}'],
  ['{"revision": "newest", "complete": "maybe", "writes": []}'],
  ['{"revision": {"of": "newer"}}'],
])('a source whose state is %s hides no other in a list, and is applied again', async (stored) => {
  const { client } = ledger();
  const apply = (source: string, revision: number) =>
    client.apply([someSchedule({ scheduleId: `of-${source}` })], { source, revision });
  for (const source of ['bad', 'good']) await apply(source, 1);
  await ledger().query(`update escapement.meta set value = $1::jsonb where key = 'source:bad'`, [stored]);
  expect((await client.sources.list()).map(({ source }) => source).sort()).toEqual(['bad', 'good']);
  await apply('bad', 2);
  expect(await client.sources.list()).toContainEqual(
    expect.objectContaining({ source: 'bad', revision: 2, complete: true }),
  );
});
