import { Client } from 'pg';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();

it('of hundreds of open alerts the first critical one leads, all are counted, and the rest can be shown', async () => {
  const { open, ledger } = await dashboard();
  await ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, opened_at, last_seen_at, looked_at, count, text)
      select gen_random_uuid(), case n when 1 then 'namespace_unreachable' else 'skipped' end, 's' || n, '',
        now() - interval '1 hour' + n * interval '1 second', now(), now(), 1, 'problem ' || n from generate_series(1, 300) n`,
  );
  const page = await open('#/');
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Open alerts (301)' }) });
  await panel.getByRole('link', { name: '295 more' }).waitFor();
  expect(await panel.locator('li').first().innerText()).toContain('problem 1\n');
  await page.getByRole('link', { name: /^Alerts\s*301/ }).click();
  await page.getByText('200 shown of 301, critical ones first').waitFor();
  await page.getByRole('link', { name: 'Show more' }).click();
  await page.getByText('problem 300').waitFor();
  expect(await page.getByText('shown of').count()).toBe(0);
});

it('two presses of Acknowledge, the second before the answer to the first, acknowledge the alert without an error', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/alerts');
  const holder = new Client({ connectionString: ledger.databaseUrl });
  await holder.connect();
  ledger.beforeClose(() => holder.end());
  await holder.query('begin');
  await holder.query('select from escapement.alerts for update');
  await page.getByRole('button', { name: /^Acknowledge/ }).dblclick();
  const waiting = () =>
    ledger.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(async () => (await waiting()).length).toBe(2);
  await holder.query('commit');
  await expect.poll(() => page.getByText('The alert is acknowledged').count()).toBe(2);
  expect(await page.locator('.toast.bad').count()).toBe(0);
});
