import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EscapementClient, InvalidOptionError } from '../../../index';
import { allRows } from '../../support/all-rows';
import { forgedCursors } from '../../support/fuzz/cursors';
import { useLedger } from '../../support/ledger';
import { writeTwoOfEach } from '../../support/two-of-each';
import { IN_VERIFY } from '../../support/verify';

const ledger = useLedger('2026-03-01T00:30:00Z');

interface Asked {
  pageSize: number;
  cursor?: string | undefined;
}
type ReadPage = (asked: Asked) => Promise<{ nextCursor: string | undefined }>;

/** Each list that is read by pages, in each order, and with a filter where that is another statement. */
const listsOf = (client: EscapementClient): Record<string, ReadPage> => ({
  listPage: (page) => client.listPage(page),
  'listPage, of few': (page) => client.listPage({ text: 'o', ...page }),
  'listPage, by time': (page) => client.listPage({ orderBy: 'nextFireAt', ...page }),
  'listPage, by time, of few': (page) => client.listPage({ orderBy: 'nextFireAt', text: 'o', ...page }),
  firingsPage: (page) => client.firingsPage(page),
  'firingsPage, of few': (page) => client.firingsPage({ text: 'o', ...page }),
  'firingsPage, oldest first': (page) => client.firingsPage({ order: 'oldest', ...page }),
  gapsPage: (page) => client.gapsPage(page),
  'handle.firingsPage': (page) => client.getHandle('one').firingsPage(page),
  'deadLetters.listPage': (page) => client.deadLetters.listPage(page),
  'deadLetters.listPage, oldest first': (page) => client.deadLetters.listPage({ order: 'oldest', ...page }),
});

it('a cursor that no list gave is refused by its name, or gives a page, and nothing is written', async () => {
  const { client } = ledger();
  await writeTwoOfEach(ledger());
  await client.getHandle('one').trigger();
  const lists = listsOf(client);
  const real: Record<string, string> = {};
  for (const [list, read] of Object.entries(lists)) real[list] = (await read({ pageSize: 1 })).nextCursor!;
  expect(Object.values(real)).not.toContain(undefined);
  const before = await allRows(ledger());
  const seen = { refused: 0, read: 0 };
  const asked = Object.entries(real).map(([list, own]) =>
    fc.tuple(fc.constant(list), forgedCursors(own, Object.values(real))),
  );
  const property = fc.asyncProperty(fc.oneof(...asked), async ([list, cursor]) => {
    const page = await lists[list]!({ pageSize: 2, cursor }).catch((error: unknown) => {
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toMatchObject({ path: 'cursor' });
    });
    seen[page ? 'read' : 'refused'] += 1;
    if (!page) return;
    const items = Object.values(page).find(Array.isArray)!;
    expect(items.length).toBeLessThanOrEqual(2);
    if (page.nextCursor !== undefined) expect(items).toHaveLength(2);
  });
  await fc.assert(property, { numRuns: IN_VERIFY ? 10_000 : 1_500 });
  // Both happen often.
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(100);
  expect(await allRows(ledger())).toBe(before);
});

it('the test of forged cursors reads every list that the client gives by pages', () => {
  const { client } = ledger();
  const methodsOf = (one: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(one));
  const parts = { 'deadLetters.': client.deadLetters, 'handle.': client.getHandle('one'), '': client };
  const others = Object.entries(client).map(([name, part]) => [`${name}.`, part] as const);
  const pages = [...Object.entries(parts), ...others]
    .filter(([, part]) => typeof part === 'object' && part !== null)
    .flatMap(([of, part]) => methodsOf(part).map((method) => `${of}${method}`))
    .filter((method) => method.endsWith('Page'));
  const read = Object.keys(listsOf(client)).map((name) => name.split(',')[0]);
  expect([...new Set(pages)].sort()).toEqual([...new Set(read)].sort());
});
