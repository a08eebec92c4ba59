import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';
import type { TestLedger } from '../../support/ledger';

const dashboard = useDashboard();
const CARDS = `failed_step #>> '{failure,type}' = 'CardDeclined'`;

/** The IDs of the letters of declined cards, oldest first. */
async function cards(ledger: TestLedger): Promise<string[]> {
  const rows = await ledger.query<{ id: string }>(
    `select letter_id as id from escapement.letters where ${CARDS} order by created_at`,
  );
  return rows.map(({ id }) => id);
}

const redriving = (ledger: TestLedger) =>
  ledger.query(`select letter_id as id from escapement.letters where state = 'redriving'`);

/** Adds letters that are older than all others, and whose firings the ledger no longer keeps. */
const addGone = (ledger: TestLedger, count: number) =>
  ledger.query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
        failed_step, workflow_type, created_at, updated_at)
      select gen_random_uuid(), schedule_id, created_at - n * interval '1 minute' - interval '90 days', 0, kind, 'open', reason, namespace,
        workflow_id, failed_step, workflow_type, created_at - interval '90 days', created_at - interval '90 days'
      from generate_series(1, $1::int) n, (select * from escapement.letters where ${CARDS} order by created_at limit 1) first`,
    [count],
  );

const redrive = (page: Page) => page.getByRole('button', { name: /^Redrive (…|one first …|all …)$/ });

it('the page of a letter plans and redrives this letter, whatever becomes of older ones with the same failure', async () => {
  const { open, ledger } = await dashboard();
  await addGone(ledger, 1);
  const newest = (await cards(ledger)).at(-1)!;
  const page = await open(`#/letters?letter=${newest}`);
  await redrive(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/continues at the failed step.*chargeCard/).waitFor();
  expect(await dialog.innerText()).not.toContain('match');
  expect(await redriving(ledger)).toEqual([]);
  await dialog.getByRole('button', { name: 'Redrive this one' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await redriving(ledger)).toEqual([{ id: newest }]);
});

it('where the oldest letters cannot be redriven, others of the group still can: one first, and all', async () => {
  const { open, ledger } = await dashboard();
  await addGone(ledger, 3);
  const [, , , redrivable] = await cards(ledger);
  const page = await open('#/letters?failureType=CardDeclined');
  await redrive(page).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Redrive this one' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await redriving(ledger)).toEqual([{ id: redrivable }]);
  await addGone(ledger, 200);
  await redrive(page).last().click();
  await dialog.getByText('The oldest 200 were checked').waitFor();
  await dialog.getByRole('button', { name: 'Redrive 210' }).click();
  await dialog.waitFor({ state: 'detached' });
});

it('the letters of the workflow itself are those of its row: counted before, and discarded without those of a step', async () => {
  const { open, ledger } = await dashboard();
  const [own] = await cards(ledger);
  await ledger.query(
    `update escapement.letters set failed_step = failed_step - 'activityType', workflow_type = null where letter_id = $1`,
    [own],
  );
  const page = await open('#/letters');
  await page
    .getByRole('row', { name: /the workflow itself/ })
    .getByRole('link')
    .click();
  await page.getByRole('heading', { name: 'CardDeclined of the workflow itself' }).waitFor();
  await page.getByText('1 in all').waitFor();
  await page.getByRole('button', { name: 'Discard all …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 letter matches').waitFor();
  await dialog.getByLabel('Why').fill('paid by hand');
  await dialog.getByRole('button', { name: 'Discard 1 letter' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await ledger.query(`select letter_id as id from escapement.letters where state = 'discarded'`)).toEqual([
    { id: own },
  ]);
});
