import { escapeIdentifier, type Pool } from 'pg';

const CUSTOMERS = [
  ['Aurora Analytics GmbH', 'accounts@aurora-analytics.example', 4_900],
  ['Brightwater Logistics', 'finance@brightwater.example', 12_900],
  ['Cedar & Finch Architects', 'billing@cedarfinch.example', 2_900],
  ['Delta Robotics BV', 'ap@deltarobotics.example', 24_900],
  ['Evergreen Clinics', 'invoices@evergreen-clinics.example', 7_900],
  ['Foxglove Bakery', 'hello@foxglove.example', 1_900],
  ['Granite Insurance', 'payables@granite.example', 49_900],
  ['Harbour Street Books', 'books@harbourstreet.example', 1_900],
] as const;

/** Create the tables of a small shop in a schema of their own, with last month's unpaid invoices. */
export async function createShop(pool: Pool, schema: string): Promise<void> {
  const shop = escapeIdentifier(schema);
  await pool.query(`
    create schema ${shop};
    create table ${shop}.customers (
      id int generated always as identity primary key,
      name text not null,
      email text not null,
      fee_cents int not null);
    create table ${shop}.invoices (
      id int generated always as identity primary key,
      customer_id int not null references ${shop}.customers,
      period timestamptz not null,
      amount_cents int not null check (amount_cents > 0),
      state text not null default 'unpaid' check (state in ('unpaid', 'paid')),
      collected_by timestamptz,
      unique (customer_id, period));
    create table ${shop}.payments (
      invoice_id int primary key references ${shop}.invoices,
      amount_cents int not null,
      paid_at timestamptz not null default now());
    create table ${shop}.rates (
      at timestamptz not null,
      currency text not null,
      per_euro numeric not null,
      primary key (at, currency));
    create table ${shop}.reports (
      run timestamptz primary key,
      invoices int not null,
      total_cents bigint not null)`);
  for (const [name, email, feeCents] of CUSTOMERS) {
    await pool.query(`insert into ${shop}.customers (name, email, fee_cents) values ($1, $2, $3)`, [
      name,
      email,
      feeCents,
    ]);
  }
  await pool.query(`insert into ${shop}.invoices (customer_id, period, amount_cents)
    select id, date_trunc('month', now()) - interval '1 month', fee_cents from ${shop}.customers`);
}

export async function dropSchemas(pool: Pool, schemas: string[]): Promise<void> {
  for (const schema of schemas) await pool.query(`drop schema if exists ${escapeIdentifier(schema)} cascade`);
}
