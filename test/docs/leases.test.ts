import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { poolOf } from '../support/connections/pool';
import { TestActivity } from '../support/leases/lease-activities';
import { useLedger } from '../support/ledger';

const ROOT = resolve(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/leases.md'), 'utf8');
const ledger = useLedger();

interface Program {
  postInvoice(invoiceId: string): Promise<void>;
  payStandingOrder(firing: { scheduleId: string; scheduledTime: string }, amount: number): Promise<void>;
}

/** The two programs of the page as they are, plus the parts that they leave to their readers. */
async function program(name: string, pool: Pool, bank = 'https://bank.example'): Promise<Program> {
  const [invoices, payments] = [...PAGE.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
  const folder = join(ROOT, '.cache', 'leases');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  const given = [
    `import { withLease } from '../../activities';`,
    `let pool: import('pg').Pool;`,
    'export const use = (given: typeof pool) => { pool = given; };',
    `const render = async (invoiceId: string, _: object) => 'invoice ' + invoiceId;`,
  ];
  const code = `${invoices}${payments}`.replace(`import { withLease } from 'escapement/activity';`, given.join('\n'));
  writeFileSync(file, code.replace('https://bank.example', bank));
  const module: Program & { use(pool: Pool): void } = await import(pathToFileURL(file).href);
  module.use(pool);
  return module;
}

/** An attempt that has done its work, but dies before Temporal learns of it. */
async function attempt(work: () => Promise<void>): Promise<void> {
  const activity = new TestActivity({ connectionString: ledger().databaseUrl });
  const died = activity.run(async () => {
    await work();
    throw new Error('killed');
  });
  await expect(died).rejects.toThrow('killed');
}

function openPool(): Pool {
  const pool = poolOf({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => pool.end());
  return pool;
}

it('the guarded work of the page is there once, though an attempt has died between its commit and its answer', async () => {
  const { postInvoice } = await program('invoices', openPool());
  await ledger().query(/\/\/ (create table postings .*)/.exec(PAGE)![1]!);
  await attempt(() => postInvoice('4711'));
  await attempt(() => postInvoice('4711'));
  expect(await ledger().query('select * from postings')).toEqual([{ invoice_id: '4711', document: 'invoice 4711' }]);
});

it('the bank of the page pays once for each nominal time, whichever attempt or restart asks for it', async () => {
  const paid = new Map<string, number>();
  let asked = 0;
  const bank = createServer((request, response) => {
    asked += 1;
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const key = request.headers['idempotency-key'] as string;
      if (!paid.has(key)) paid.set(key, JSON.parse(body).amount);
      response.end();
    });
  });
  await new Promise<void>((listening) => bank.listen(0, '127.0.0.1', listening));
  ledger().beforeClose(async () => void bank.close());
  const { port } = bank.address() as AddressInfo;
  const { payStandingOrder } = await program('payments', openPool(), `http://127.0.0.1:${port}`);
  const scheduleId = 'rent in €';
  for (const scheduledTime of ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']) {
    await attempt(() => payStandingOrder({ scheduleId, scheduledTime }, 900));
  }
  expect([asked, [...paid]]).toEqual([
    3,
    [
      ['rent%20in%20%E2%82%AC/2026-03-01T00:00:00.000Z', 900],
      ['rent%20in%20%E2%82%AC/2026-04-01T00:00:00.000Z', 900],
    ],
  ]);
});
