import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();
const text = (page: Page, selector = 'main') => page.locator(selector).innerText();

/** What is at the nominal time of last night in Berlin, as its pages have it. */
const seen = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

it('why did X not run at 02:00? its page says so without a question, and again when it is asked', async () => {
  const { open, shoot } = await dashboard();
  const page = await open('#/schedules');
  await page.getByLabel('Search by name or note').fill('nightly');
  await page.getByRole('link', { name: 'nightly-report' }).click();
  await seen(page, /3 did not fire: the schedule was paused/);
  await shoot(page, 'why-not');
  await page.getByRole('link', { name: /02:00:00 to/ }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await seen(page, /paused/);
  await page.goBack();
  const day = await page.getByRole('link', { name: /02:00:00 to/ }).innerText();
  const [, date] = /(\d{4}-\d\d-\d\d) 02:00:00 to/.exec(day)!;
  await page.getByLabel('Time in Europe/Berlin').fill(`${date}T02:00:00`);
  await page.getByRole('button', { name: 'Explain' }).click();
  await seen(page, /fell in a pause|paused/);
});

it('what is late now? the order by lateness lists it, the latest first, and the overview says it in its sentence', async () => {
  const { open, ledger, shoot } = await dashboard();
  ledger.clock.advance(40 * 60_000);
  await ledger.query(`update escapement.triggers set heartbeat_at = '2026-01-01Z'`);
  const page = await open('#/');
  await seen(page, /nothing fires/);
  expect(await text(page, '.verdict')).toMatch(/^!?✕?\s*Not on time/);
  await shoot(page, 'late');
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  await page.getByLabel('Order').selectOption('late');
  await seen(page, /late: 1 firing/);
  const names = await page.locator('tbody th a').allInnerTexts();
  expect(names.sort()).toEqual(expect.arrayContaining(['card-charges', 'fx-rates']));
});

it('who paused Y? its page says who, when and why', async () => {
  const { open } = await dashboard();
  const page = await open('#/schedules?orderBy=pausedAt');
  await seen(page, 'paused by ann@example.com');
  await page.getByRole('link', { name: 'cleanup' }).click();
  await seen(page, 'Disk migration, until Friday');
  expect(await text(page, '.page-head')).toMatch(/Paused by ann@example.com .* Disk migration, until Friday/);
});

it('what will run tonight between 1 and 3? and what would a pause miss? both in one answer', async () => {
  const { open, shoot } = await dashboard();
  const page = await open('#/ahead?tab=between', { timezoneId: 'Europe/Berlin' });
  await page.getByRole('button', { name: 'Tonight, 1 to 3' }).click();
  await seen(page, /If these schedules were paused from .* all of them would be missed/);
  // 24 of every five minutes, 8 of every fifteen, 2 of every hour, invoices at half past one, and what H has put there.
  expect(await text(page, '.verdict')).toMatch(/3[56] firings of [45] schedules/);
  const rows = await page.locator('section[aria-label="Firings, in order of time"] tbody tr').allInnerTexts();
  expect(rows.filter((row) => /01:30:00\s+invoices-emea/.test(row))).toHaveLength(1);
  await shoot(page, 'tonight');
});

it('redrive all that failed with this error: one first, then the rest, with what will happen said before', async () => {
  const { open, ledger, shoot } = await dashboard();
  const states = () =>
    ledger.query(`select state, count(*)::int as letters from escapement.letters
      where failed_step #>> '{failure,type}' = 'CardDeclined' group by state order by state`);
  const page = await open('#/');
  await page.getByRole('link', { name: /^Dead letters/ }).click();
  await page.getByRole('link', { name: 'CardDeclined' }).click();
  await page.getByRole('button', { name: 'Redrive one first' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/continues at the failed step.*chargeCard/).waitFor();
  expect(await states()).toEqual([{ state: 'open', letters: 8 }]);
  await dialog.getByRole('button', { name: 'Redrive this one' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await states()).toEqual([
    { state: 'open', letters: 7 },
    { state: 'redriving', letters: 1 },
  ]);
  await page.getByRole('button', { name: 'Redrive all' }).click();
  await dialog.getByText('7 letters').first().waitFor();
  await shoot(page, 'redrive');
  await dialog.getByRole('button', { name: 'Redrive 7 letters' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await states()).toEqual([{ state: 'redriving', letters: 8 }]);
});

it('an alert is acknowledged in place, and is seen to be', async () => {
  const { open } = await dashboard();
  const page = await open('#/');
  await page.getByRole('button', { name: /^Acknowledge/ }).click();
  await seen(page, 'bea@example.com knows');
});

it('run now leads to that run, and pause is seen at once', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules/nightly-report');
  await page.getByRole('button', { name: 'Run now' }).click();
  await seen(page, /waits for its turn/);
  await seen(page, /asked for by bea@example.com/);
  expect(page.url()).toMatch(/#\/schedules\/nightly-report\/at\//);
  await page.getByRole('link', { name: 'nightly-report' }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('textbox', { name: 'Why' }).fill('audit');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await seen(page, /Paused by bea@example.com/);
  const { state } = await ledger.client.getHandle('nightly-report').describe();
  expect(state).toMatchObject({ paused: true, pausedBy: 'bea@example.com', note: 'audit' });
});

it('a dialog does what it was opened for, and says if somebody else has done so meanwhile', async () => {
  const { open, ledger } = await dashboard();
  // Without events, the page is read every few seconds.
  const before = (one: Page) => one.route('**/v1/events', (route) => route.abort());
  const page = await open('#/schedules/nightly-report', { before });
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Why' }).fill('do not run');
  await ledger.client.getHandle('nightly-report').pause('the bank is down');
  await dialog.getByText(/has paused it meanwhile: the bank is down/).waitFor();
  await dialog.getByRole('heading', { name: 'Pause nightly-report?' }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Pause', exact: true }).isDisabled()).toBe(true);
});

it('a backfill says what it would do before it does', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules/nightly-report');
  await page.getByRole('button', { name: 'Backfill', exact: true }).click();
  const start = page.getByLabel('From, in Europe/Berlin');
  await start.fill((await start.inputValue()).replace(/^(\d{4}-\d\d-\d\d)/, (day) => daysBefore(day, 3)));
  await page.getByRole('button', { name: 'Fire 3 occurrences' }).click();
  await seen(page, '3 occurrences of nightly-report will fire.');
  expect(await ledger.query(`select from escapement.firings where kind = 'backfill'`)).toHaveLength(3);
});

it('an edit shows how the next twenty times change, and a change of others meanwhile is not lost', async () => {
  const { open, ledger, shoot } = await dashboard();
  const page = await open('#/schedules/nightly-report?tab=definition');
  await page.getByRole('button', { name: 'Edit' }).click();
  const spec = page.getByLabel('When it fires, as JSON');
  await spec.fill((await spec.inputValue()).replace('0 2 * * *', '30 2 * * 1-5'));
  await seen(page, 'no longer');
  await shoot(page, 'edit');
  await ledger.client.getHandle('nightly-report').pause('by somebody else');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await spec.fill((await spec.inputValue()).replace('0 2 * * *', '30 2 * * 1-5'));
  await page.getByRole('button', { name: 'Save' }).click();
  await seen(page, 'nightly-report is changed.');
  const { definition, state } = await ledger.client.getHandle('nightly-report').describe();
  expect({ cron: definition.spec.cron, paused: state.paused }).toEqual({ cron: '30 2 * * 1-5', paused: true });
  await page.getByRole('link', { name: 'Versions' }).click();
  await seen(page, /\+ .*30 2 \* \* 1-5/);
});

it('a firing has its life, who did what, and a link into Temporal', async () => {
  const { open, shoot } = await dashboard();
  const page = await open('#/schedules/card-charges');
  await seen(page, /8 failed: the issuer declined: limit exceeded/);
  await page.locator('.strip a.failed').first().click();
  await seen(page, 'Closed: failed');
  expect(await text(page, '.steps')).toMatch(/Due[\s\S]*Claimed[\s\S]*Dispatched[\s\S]*Linked[\s\S]*Closed: failed/);
  const link = await page.getByRole('link', { name: 'Open in Temporal' }).getAttribute('href');
  expect(link).toMatch(
    /^http:\/\/127\.0\.0\.1:8233\/namespaces\/default\/workflows\/card-charges-workflow-.*\/history$/,
  );
  await shoot(page, 'firing');
});

it('an occurrence that failed is run again, and its page says who asked and why', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules/hourly-sync');
  await page.locator('.strip a.failed').first().click();
  await page.getByRole('button', { name: 'Run again …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Why').fill('the provider is back');
  await dialog.getByRole('button', { name: 'Run again', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await seen(page, /bea@example.com/);
  const [row] = await ledger.query<{ again: { actor: string; note: string } }>(
    `select again from escapement.firings where again is not null`,
  );
  expect(row!.again).toMatchObject({ actor: 'bea@example.com', note: 'the provider is back' });
});

it('a strip is read without a mouse over it: mark by mark in words, and what its ends are', async () => {
  const { open } = await dashboard();
  const page = await open('#/schedules/hourly-sync');
  await seen(page, /^from \w{3} \d{4}-\d\d-\d\d \d\d:00$/);
  await page.getByText('One by one, newest first').click();
  const rows = page.locator('section[aria-label="Answers, newest first"] tbody tr');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(200);
  expect(
    (await rows.allInnerTexts()).filter((row) => row.includes('skipped: an earlier firing was still open')),
  ).toHaveLength(2);
});

it('a stampede says what H, jitter and pre-start would make of it', async () => {
  const { open } = await dashboard();
  const page = await open('#/ahead');
  await seen(page, /With H for the minute: at most \d+ a minute/);
  await seen(page, /With 5 minutes of jitter: at most \d+ starts a second/);
  await seen(page, /as far as the trigger’s cap allows/);
  await seen(page, 'within 7 days');
});

it('the week stays on the page while one of its days cannot be read again', async () => {
  const { open } = await dashboard();
  const page = await open('#/ahead');
  await seen(page, 'within 7 days');
  let day: string | undefined;
  await page.route('**/v1/agenda?*', (route) => {
    day ??= route.request().url();
    return route.request().url() === day ? route.abort() : route.continue();
  });
  // The page reads everything again once it is seen again.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByText('within 7 days').count()).toBe(1);
  expect(await page.getByRole('heading', { name: 'Firings by day and hour' }).count()).toBe(1);
});

it('nothing is lost by the back button: filter, page and place', async () => {
  const { open } = await dashboard();
  const page = await open('#/schedules', { viewport: { width: 1280, height: 400 } });
  await page.getByLabel('Search by name or note').fill('digest');
  await page.getByLabel('Order').selectOption('scheduleId');
  await page.getByText('40 in all').waitFor();
  await page.getByRole('link', { name: 'tenant-30-digest' }).scrollIntoViewIfNeeded();
  await expect.poll(() => page.evaluate('history.state?.scroll')).toBeGreaterThan(200);
  const [address, scroll] = [page.url(), await page.evaluate('scrollY')];
  await page.getByRole('link', { name: 'tenant-30-digest' }).click();
  await page.getByRole('heading', { name: 'tenant-30-digest' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'tenant-30-digest' }).waitFor();
  expect(page.url()).toBe(address);
  expect(await page.getByLabel('Search by name or note').inputValue()).toBe('digest');
  await expect.poll(() => page.evaluate('scrollY')).toBe(scroll);
});

it('the pictures of the README and of docs/dashboard.md are these', async () => {
  const { open, picture } = await dashboard();
  for (const [name, address] of [
    ['dashboard-overview', '#/'],
    ['dashboard-schedule', '#/schedules/hourly-sync'],
  ]) {
    const page = await open(address!, { timezoneId: 'Europe/Berlin', viewport: { width: 1280, height: 860 } });
    await page.locator('.chart, .strip').first().waitFor();
    await picture(page, name!);
  }
});

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}
