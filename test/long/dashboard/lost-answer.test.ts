import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';
import { someSchedule } from '../../support/ledger';

const dashboard = useDashboard();
const HOUR = 3_600_000;
const UNKNOWN = 'It is not known whether this was done.';
const STARTED_BEFORE = 'This was started before, when the answer was lost. Nothing was started now.';

/** Without events, a page is read every few seconds. */
const withoutEvents = (page: Page) => page.route('**/v1/events', (route) => route.abort());

/** The server carries out the first change by this path, and its answer does not arrive. */
async function loseFirstAnswer(
  page: Page,
  path: string,
  { proxyAnswers, fails, after }: { proxyAnswers?: number; fails?: { title: string }; after?: Promise<void> } = {},
): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    const isRead = route.request().method() === 'GET' || route.request().postDataJSON().dryRun;
    if (isLost || isRead) return route.continue();
    isLost = true;
    await route.fetch();
    await after;
    // The server itself has lost the answer of Postgres.
    if (fails)
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(fails) });
    await (proxyAnswers === undefined ? route.abort() : route.fulfill({ status: proxyAnswers, body: 'a proxy' }));
  });
}

it('a run of many whose answer is lost is made once, also from a dialog that is opened again', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules?text=digest', {
    before: (one) => loseFirstAnswer(one, '**/v1/bulk/trigger', { proxyAnswers: 504 }),
  });
  const dialog = page.getByRole('dialog');
  const press = () => dialog.getByRole('button', { name: 'Run 40 schedules' }).click();
  await page.getByRole('button', { name: 'Run now …' }).click();
  await press();
  await dialog.getByText(`A proxy answered 504. ${UNKNOWN}`).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run now …' }).click();
  await press();
  await page.getByText(STARTED_BEFORE).waitFor();
  await page.getByRole('heading', { name: 'Run now: 40 schedules' }).waitFor();
  expect(await ledger.query('select from escapement.bulk_operations')).toHaveLength(1);
});

it('while a run of many has no answer, a dialog for other schedules says so, and where to look', async () => {
  const { open, ledger } = await dashboard();
  let lose = () => {};
  const after = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const page = await open('#/schedules?text=digest', {
    before: (one) => loseFirstAnswer(one, '**/v1/bulk/trigger', { after }),
  });
  const dialog = page.getByRole('dialog');
  const ask = () => page.getByRole('button', { name: 'Run now …' }).click();
  const run = dialog.getByRole('button', { name: /^Run \d+ schedules$/ });
  const warning = dialog.getByText('It is not known whether a former run of many was started.');
  const operations = () => ledger.query('select from escapement.bulk_operations');
  await ask();
  await run.waitFor();
  expect(await warning.count()).toBe(0);
  await run.click();
  await expect.poll(operations).toHaveLength(1);
  await page.keyboard.press('Escape');
  await ask();
  await warning.waitFor();
  await page.keyboard.press('Escape');
  const isLost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/bulk/trigger'));
  lose();
  await isLost;
  await ledger.client.create(someSchedule({ scheduleId: 'tenant-99-digest' }));
  await ask();
  await dialog.getByRole('button', { name: 'Run 41 schedules' }).waitFor();
  await warning.waitFor();
  await dialog.getByRole('link', { name: 'Changes of many' }).click();
  await page.getByRole('link', { name: 'Run now' }).waitFor();
  expect(await operations()).toHaveLength(1);
  await page.getByRole('link', { name: 'All schedules' }).click();
  await ask();
  await warning.waitFor();
  await run.click();
  await page.getByRole('heading', { name: /^Run now: \d+ schedules$/ }).waitFor();
  expect(await operations()).toHaveLength(2);
  await page.getByRole('link', { name: 'Changes of many' }).click();
  await page.getByRole('link', { name: 'All schedules' }).click();
  await ask();
  await run.waitFor();
  expect(await warning.count()).toBe(0);
  // A refusal is an answer: nothing was started.
  await ledger.client.create(someSchedule({ scheduleId: 'one-more' }));
  await run.click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await ask();
  await run.waitFor();
  expect(await warning.count()).toBe(0);
});

it('the answer to a run of many does not hide that a later run has none', async () => {
  const { open, ledger } = await dashboard();
  let answerFirst = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answerFirst = resolve;
  });
  let loseSecond = () => {};
  const isLost = new Promise<void>((resolve) => {
    loseSecond = resolve;
  });
  let runs = 0;
  const page = await open('#/schedules?text=digest', {
    before: (one) =>
      one.route('**/v1/bulk/trigger', async (route) => {
        if (route.request().postDataJSON().dryRun) return route.continue();
        const isFirst = ++runs === 1;
        const response = await route.fetch();
        await (isFirst ? isAnswered : isLost);
        await (isFirst ? route.fulfill({ response }) : route.abort());
      }),
  });
  const dialog = page.getByRole('dialog');
  const run = async (schedules: number) => {
    await page.getByRole('button', { name: 'Run now …' }).click();
    await dialog.getByRole('button', { name: `Run ${schedules} schedules` }).click();
    await page.keyboard.press('Escape');
  };
  const operations = () => ledger.query('select from escapement.bulk_operations');
  await run(40);
  // The server refuses a run if another number of schedules matches by then.
  await expect.poll(operations).toHaveLength(1);
  await ledger.client.create(someSchedule({ scheduleId: 'tenant-99-digest' }));
  await run(41);
  await expect.poll(operations).toHaveLength(2);
  const ofRun = '/v1/bulk/trigger';
  const answered = page.waitForResponse((response) => response.url().endsWith(ofRun));
  answerFirst();
  await (await answered).finished();
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith(ofRun));
  loseSecond();
  await failed;
  await page.goto(`${page.url().split('#')[0]}#/schedules?text=digest`);
  await page.getByRole('button', { name: 'Run now …' }).click();
  await dialog.getByText('It is not known whether a former run of many was started.').waitFor();
});

it('a run of many that a failing server may have started is not taken for a refused one', async () => {
  const { open } = await dashboard();
  const fails = { title: 'Postgres does not answer' };
  const page = await open('#/schedules?text=digest', {
    before: (one) => loseFirstAnswer(one, '**/v1/bulk/trigger', { fails }),
  });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Run now …' }).click();
  await dialog.getByRole('button', { name: 'Run 40 schedules' }).click();
  await dialog.getByText(`${fails.title}. ${UNKNOWN} Look before you press again`).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run now …' }).click();
  await dialog.getByText('It is not known whether a former run of many was started.').waitFor();
});

it('a press of "Run now" that runs nothing says so, also long after the answer was lost', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules/nightly-report', { before: (one) => loseFirstAnswer(one, '**/trigger') });
  const runs = () => ledger.query(`select from escapement.firings where kind = 'manual'`);
  const press = () => page.getByRole('button', { name: 'Run now', exact: true }).click();
  const itWaits = () =>
    page
      .getByText(/waits for its turn/)
      .first()
      .waitFor();
  await press();
  await page.getByText(`The server does not answer. ${UNKNOWN}`).waitFor();
  await page.getByRole('button', { name: 'Backfill' }).click();
  await page.keyboard.press('Escape');
  await page.goto(page.url().replace('nightly-report', 'cleanup'));
  await page.getByRole('heading', { name: 'cleanup' }).waitFor();
  await page.goto(page.url().replace('cleanup', 'nightly-report'));
  ledger.clock.advance(6 * HOUR);
  await press();
  await page.getByText(STARTED_BEFORE).waitFor();
  await itWaits();
  expect(await page.getByText('was asked to run now').count()).toBe(0);
  expect(await runs()).toHaveLength(1);
  await page.getByRole('link', { name: 'nightly-report' }).click();
  await press();
  await page.getByText('nightly-report was asked to run now.').waitFor();
  await itWaits();
  expect(await runs()).toHaveLength(2);
});

it('a dialog that is opened again asks for another change, though the answer to the same one was lost', async () => {
  const { open, ledger } = await dashboard();
  const handle = ledger.client.getHandle('nightly-report');
  const before = async (one: Page) => {
    await withoutEvents(one);
    await loseFirstAnswer(one, '**/pause');
  };
  const page = await open('#/schedules/nightly-report', { before });
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Pause', exact: true });
  const pause = async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await confirm.click();
  };
  await pause();
  await dialog.getByText(`The server does not answer. ${UNKNOWN}`).waitFor();
  await page.keyboard.press('Escape');
  await handle.unpause();
  expect((await handle.describe()).state.paused).toBe(false);
  await pause();
  await dialog.waitFor({ state: 'detached' });
  expect((await handle.describe()).state.paused).toBe(true);
});

it('an edit whose answer is lost is saved once, and the same edit of a later version is another one', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/');
  const edit = async (scheduleId: string) => {
    await loseFirstAnswer(page, `**/v1/schedules/${scheduleId}`);
    await page.goto(`${page.url().split('#')[0]}#/schedules/${scheduleId}?tab=definition`);
    await change();
    await page.getByText(`The server does not answer. ${UNKNOWN}`).waitFor();
  };
  const change = async () => {
    await page.getByRole('button', { name: 'Edit' }).click();
    const spec = page.getByLabel('When it fires, as JSON');
    await spec.fill((await spec.inputValue()).replace(/"\S+ \S+ \* \* \*"/, '"7 7 * * *"'));
    await save();
  };
  const save = () => page.getByRole('button', { name: 'Save' }).click();
  const described = async (scheduleId: string) => {
    const { definition, info } = await ledger.client.getHandle(scheduleId).describe();
    return { cron: definition.spec.cron, version: info.version };
  };
  await edit('cleanup');
  await save();
  await page.getByText('cleanup is changed.').waitFor();
  expect(await described('cleanup')).toEqual({ cron: '7 7 * * *', version: 2 });

  await edit('nightly-report');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await ledger.client
    .getHandle('nightly-report')
    .update((former) => ({ ...former, spec: { ...former.definition.spec, cron: '0 2 * * *' } }));
  await change();
  await page.getByText('nightly-report is changed.').waitFor();
  expect(await described('nightly-report')).toEqual({ cron: '7 7 * * *', version: 4 });
});

it('only what is read again is said to be tried again', async () => {
  const { open } = await dashboard();
  const page = await open('#/schedules/nightly-report', { before: withoutEvents });
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.route('**/v1/**', (route) => route.abort());
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog.getByText(`The server does not answer. ${UNKNOWN}`).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('The server does not answer. This page tries again every few seconds.').first().waitFor();
});
