import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();
const HOUR = 3_600_000;
const head = (page: Page) => page.locator('.page-head').innerText();
const nextTimes = (page: Page) => page.locator('section[aria-label="Next times"] tbody tr').allInnerTexts();

it('a pause with an end says so, which of the next times it holds, and can be made one without an end', async () => {
  const { open, ledger, shoot } = await dashboard();
  const handle = ledger.client.getHandle('hourly-sync');
  await handle.pause({ note: 'a migration', until: '150 minutes' });
  const list = await open('#/schedules?text=hourly');
  await list.getByText(/paused by .+, ends in 2 h/).waitFor();
  const page = await open('#/schedules/hourly-sync');
  await page.getByText('Paused by').waitFor();
  expect(await head(page)).toMatch(/ends in 2 h.*: a migration/);
  const rows = await nextTimes(page);
  const held = rows.filter((row) => row.includes('paused'));
  expect(held.length).toBeGreaterThan(0);
  expect(held).toEqual(rows.slice(0, held.length));
  expect(rows.length).toBeGreaterThan(held.length);
  expect(await page.getByText('If it were not paused').count()).toBe(0);
  await shoot(page, 'paused-until');
  await page.getByRole('button', { name: 'Pause for good' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The new pause has no end.').waitFor();
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('If it were not paused:').waitFor();
  const { state } = await handle.describe();
  expect(state).toMatchObject({ paused: true });
  expect(state.pausedUntil).toBeUndefined();
});

it('a frozen schedule is not shown as live: its page, the list and the overview say when the freeze ends', async () => {
  const { open, ledger, shoot } = await dashboard();
  const now = ledger.clock.now();
  await ledger.client.freezes.create({ all: true, to: new Date(now + 2.5 * HOUR), note: 'a release' });
  const page = await open('#/schedules/hourly-sync');
  await page.getByText('The freeze ends').waitFor();
  expect(await head(page)).toMatch(/frozen[\s\S]*The freeze ends in 2 h.*: a release[\s\S]*Fires in [23] h/);
  expect(await head(page)).not.toContain('live');
  expect((await nextTimes(page))[0]).toMatch(/frozen$/);
  await shoot(page, 'frozen');
  const list = await open('#/schedules');
  await list
    .getByText(/frozen, ends in 2 h/)
    .first()
    .waitFor();
  expect(await list.getByText('live', { exact: true }).count()).toBe(0);
  await shoot(list, 'frozen-list');
  const overview = await open('#/');
  await overview.getByText(/Schedules that it selects do not fire. It ends in 2 h.*: a release/).waitFor();
});
