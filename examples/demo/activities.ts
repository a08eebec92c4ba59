import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { escapeIdentifier, type Pool } from 'pg';

export interface Invoice {
  id: number;
  customer: string;
  email: string;
  amountCents: number;
}

/** The bank of the shop allows four charges per second. */
const BETWEEN_CHARGES_MILLISECONDS = 250;

/** The steps of the demo's workflows. Temporal may run a step more than once, so each step is idempotent. */
export function createActivities(shopOf: { pool: Pool; schema: string; mailFolder: string; ratesUrl: string }) {
  const { pool, mailFolder, ratesUrl } = shopOf;
  const shop = escapeIdentifier(shopOf.schema);
  return {
    /** Reserve up to `limit` unpaid invoices for the run of this instant. A repeated call returns the same ones. */
    async collectInvoices(run: string, limit: number): Promise<Invoice[]> {
      await pool.query(
        `update ${shop}.invoices set collected_by = $1 where id in (
           select id from ${shop}.invoices where state = 'unpaid' and collected_by is null order by id limit $2)
         and not exists (select from ${shop}.invoices where collected_by = $1)`,
        [run, limit],
      );
      const { rows } = await pool.query<Invoice>(
        `select i.id, c.name as customer, c.email, i.amount_cents as "amountCents"
         from ${shop}.invoices i join ${shop}.customers c on c.id = i.customer_id
         where i.collected_by = $1 order by i.id`,
        [run],
      );
      return rows;
    },

    /** Charge one invoice after the other, starting where a former attempt stopped. */
    async chargeInvoices(invoices: Invoice[]): Promise<void> {
      const done: number = activityInfo().heartbeatDetails ?? 0;
      for (const [index, { id, amountCents }] of invoices.entries()) {
        if (index < done) continue;
        await pool.query(
          `with payment as (insert into ${shop}.payments (invoice_id, amount_cents) values ($1, $2) on conflict do nothing)
           update ${shop}.invoices set state = 'paid' where id = $1`,
          [id, amountCents],
        );
        heartbeat(index + 1);
        await sleep(BETWEEN_CHARGES_MILLISECONDS);
      }
    },

    async emailReceipts(run: string, invoices: Invoice[]): Promise<void> {
      for (const { id, customer, email, amountCents } of invoices) {
        const text = [
          'From: billing@shop.example',
          `To: ${customer} <${email}>`,
          `Subject: Receipt for invoice ${id}`,
          `Date: ${new Date(run).toUTCString()}`,
          '',
          `Dear ${customer},`,
          '',
          `we have received ${(amountCents / 100).toFixed(2)} EUR for invoice ${id}. Thank you.`,
          '',
        ].join('\r\n');
        await writeFile(join(mailFolder, `invoice-${String(id).padStart(5, '0')}.eml`), text);
      }
    },

    async reportRun(run: string): Promise<{ invoices: number; totalCents: number }> {
      const { rows } = await pool.query<{ invoices: number; totalCents: number }>(
        `insert into ${shop}.reports (run, invoices, total_cents)
           select $1, count(*), coalesce(sum(p.amount_cents), 0) from ${shop}.invoices i
           join ${shop}.payments p on p.invoice_id = i.id where i.collected_by = $1
         on conflict (run) do update set invoices = excluded.invoices, total_cents = excluded.total_cents
         returning invoices, total_cents::int as "totalCents"`,
        [run],
      );
      return rows[0]!;
    },

    /** Write one invoice each for two customers, for their usage in the window that ends at this instant. */
    async billUsage(windowEnd: string, seconds: number): Promise<number> {
      const { rows } = await pool.query(
        `insert into ${shop}.invoices (customer_id, period, amount_cents)
           select id, $1::timestamptz - make_interval(secs => $2), fee_cents / 10 from ${shop}.customers
           where id % 4 = (extract(epoch from $1::timestamptz) / $2)::bigint % 4
         on conflict (customer_id, period) do nothing returning id`,
        [windowEnd, seconds],
      );
      return rows.length;
    },

    async fetchRates(at: string, currencies: string[]): Promise<Record<string, number>> {
      const query = new URLSearchParams({ at });
      for (const currency of currencies) query.append('currency', currency);
      const response = await fetch(`${ratesUrl}/rates?${query}`, { signal: AbortSignal.timeout(5_000) });
      if (!response.ok) throw new Error(`the provider of exchange rates answered ${response.status}`);
      return (await response.json()) as Record<string, number>;
    },

    async storeRates(at: string, rates: Record<string, number>): Promise<void> {
      for (const [currency, perEuro] of Object.entries(rates)) {
        await pool.query(
          `insert into ${shop}.rates (at, currency, per_euro) values ($1, $2, $3)
           on conflict (at, currency) do update set per_euro = excluded.per_euro`,
          [at, currency, perEuro],
        );
      }
    },
  };
}
