import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { shellWords } from '../support/pages/doc-commands';
import { docBlocks, docPages } from '../support/pages/doc-pages';

const ledger = useLedger();
const pages = docPages().filter(({ file }) => /^(README|docs\/[\w-]+)\.md$/.test(file));

interface DocStatement {
  place: string;
  sql: string;
}

/** What a page shows in blocks of SQL, by `psql -c`, and within a sentence. */
const statements: DocStatement[] = [
  ...docBlocks(pages)
    .filter(({ info }) => /^sql\b/.test(info))
    .flatMap(({ file, line, code }) => code.split(/;\s*$/m).map((sql) => ({ place: `${file}:${line}`, sql }))),
  ...docBlocks(pages)
    .filter(({ info }) => /^(sh|bash)\b/.test(info))
    .flatMap(({ file, line, code }) =>
      code
        .split('\n')
        .filter((text) => /^psql -c /.test(text))
        .map((text) => ({ place: `${file}:${line}`, sql: shellWords(text)[2]! })),
    ),
  ...pages.flatMap(({ file, text }) =>
    [...text.matchAll(/`((?:select|update|insert|delete|alter|drop|create|grant) [^`]*escapement\.[^`]*)`/g)].map(
      ([, sql]) => ({ place: file, sql: sql! }),
    ),
  ),
].filter(({ sql }) => sql.trim() !== '');

/** Of the whole server, and nothing of a ledger: the deployment in `ops/` runs the like. */
const OF_THE_SERVER = /^create (role|database) /;

it('every statement of SQL that a page shows is one that Postgres runs on a ledger', async () => {
  const ours = statements.filter(({ sql }) => !OF_THE_SERVER.test(sql.trim()));
  expect(ours.length).toBeGreaterThan(40);
  const { sql: client } = ledger();
  const wrong: string[] = [];
  await client.query('begin');
  await client.query('create role my_role');
  // As a retired month is kept, which the page on retention names.
  await client.query('create table escapement.archived_firings_202601 (like escapement.firings)');
  for (const { place, sql } of ours) {
    await client.query('savepoint one');
    // What is to be filled in has no value here, and is planned alone.
    const text = sql.includes('$1') ? `prepare of_a_page as ${sql}` : sql;
    await client.query(text).catch((error: Error) => wrong.push(`${place}: ${error.message}`));
    await client.query('rollback to savepoint one');
  }
  await client.query('rollback');
  expect(wrong).toEqual([]);
});

it('docs/tables.md has each column of the tables that it describes, and no other', async () => {
  const [, ...sections] = pages.find(({ file }) => file === 'docs/tables.md')!.text.split(/^## (?=.*`)/m);
  const described = sections.map((text) => ({ tables: wordsIn(text.split('\n')[0]!), named: wordsIn(text) }));
  const { rows } = await ledger().sql.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'escapement'`,
  );
  const known = new Set(rows.map(({ table }) => table));
  const headed = described.flatMap(({ tables }) => tables);
  expect(headed.filter((table) => !known.has(table))).toEqual([]);
  const columnsOf = (tables: string[]) =>
    rows.filter(({ table }) => tables.includes(table)).map(({ column }) => column);
  expect(
    described.flatMap(({ tables, named }) => columnsOf(tables).filter((column) => !named.includes(column))),
  ).toEqual([]);
  const rowsOf = sections.flatMap((text, index) => {
    const known = columnsOf(described[index]!.tables);
    const ofColumns = text.match(/^\| column(?: of `\w+`)? \|.*\n(?:\|.*\n)*/gm)?.join('') ?? '';
    const cells = ofColumns.split('\n').flatMap((line) => /^\| (`\w+`(?:, `\w+`)*) \|/.exec(line)?.[1] ?? []);
    return cells.flatMap(wordsIn).filter((column) => !known.includes(column));
  });
  expect(rowsOf).toEqual([]);
});

const wordsIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word!);

it('what is of the whole server is a role or a database with a login of its own', () => {
  const others = statements.map(({ sql }) => sql.trim()).filter((sql) => OF_THE_SERVER.test(sql));
  expect(others.length).toBeGreaterThan(0);
  for (const sql of others) {
    expect(sql).toMatch(
      /^create (role escapement_\w+ login password '\w+'|database escapement owner escapement_owner)$/,
    );
  }
});
