import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { createToken, endToken } from '../../../server/access/tokens';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();
const EVENTS = '**/v1/events';
const ANSWERS = '#/schedules/fx-rates?tab=answers';

/** Without events, a page is read every few seconds. */
const withoutEvents = (page: Page) => page.route(EVENTS, (route) => route.abort());
const seen = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

it('what happens is seen without a reload, as the server tells it', async () => {
  const { open, ledger } = await dashboard();
  const page = await open(ANSWERS);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.getByText('run by hand').count()).toBe(0);
  await ledger.client.getHandle('fx-rates').trigger();
  await seen(page, 'run by hand');
});

it('where the server cannot tell, as behind a proxy without streams, it is asked every few seconds', async () => {
  const { open, ledger } = await dashboard();
  const page = await open(ANSWERS, { before: withoutEvents });
  await seen(page, 'Read every few seconds');
  await page.getByRole('heading', { name: 'fx-rates' }).waitFor();
  await ledger.client.getHandle('fx-rates').trigger();
  await seen(page, 'run by hand');
});

it('a stream that ends is gone on with from where it was', async () => {
  const { open, url } = await dashboard();
  const id = await firstId(`${url}/v1/events`);
  const asked: (string | undefined)[] = [];
  const answer = async (route: Route) => {
    asked.push((await route.request().allHeaders())['last-event-id']);
    if (asked.length > 1) return route.continue();
    await route.fulfill({ status: 200, contentType: 'text/event-stream', body: `id: ${id}\n\n` });
  };
  const page = await open('#/', { before: (one) => one.route(EVENTS, answer) });
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(1);
  expect(asked.slice(0, 2)).toEqual([undefined, id]);
  await page.getByText('Live', { exact: true }).waitFor();
});

it('a server that wants a token is given one, and asks again once that is revoked', async () => {
  const { open, ledger } = await dashboard();
  const postgres = { connectionString: ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'ann', scopes: ['read'], actor: 'ops' });
  const page = await open('#/schedules', { before: withoutEvents });
  const field = page.getByLabel('Access token');
  await field.fill('esc_wrong');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('alert').waitFor();
  await field.fill(token);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('heading', { name: 'Schedules' }).waitFor();
  await page.getByRole('link', { name: 'nightly-report' }).waitFor();
  await endToken(postgres, 'ann', 'ops');
  await seen(page, 'The server does not accept this token');
});

it('what is being edited outlives its token: the text, and a dialog that is open', async () => {
  const { open, ledger } = await dashboard();
  const postgres = { connectionString: ledger.databaseUrl };
  await createToken(postgres, { name: 'any', scopes: ['read'], actor: 'ops' });
  const page = await open('#/schedules/nightly-report?tab=definition', { before: withoutEvents });
  const enterTokenOf = async (name: string) => {
    const { token } = await createToken(postgres, { name, scopes: ['read', 'write', 'operate'], actor: 'ops' });
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
  };
  const seeEnd = async (name: string) => {
    await endToken(postgres, name, 'ops');
    await seen(page, 'The server does not accept this token');
  };
  await enterTokenOf('first');
  await page.getByRole('button', { name: 'Edit' }).click();
  const spec = page.getByLabel('When it fires, as JSON');
  await spec.fill((await spec.inputValue()).replace('0 2 * * *', '30 2 * * *'));
  await seeEnd('first');
  await enterTokenOf('second');
  await page.getByRole('button', { name: 'Save' }).click();
  await seen(page, 'nightly-report is changed.');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('textbox', { name: 'Why' }).fill('audit');
  await seeEnd('second');
  await page.keyboard.press('Escape');
  await enterTokenOf('third');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await seen(page, /Paused by .*audit/);
  const { definition, state } = await ledger.client.getHandle('nightly-report').describe();
  expect({ cron: definition.spec.cron, note: state.note }).toEqual({ cron: '30 2 * * *', note: 'audit' });
});

it('a token of another tenant sees nothing of what the former one has read', async () => {
  const { open, ledger } = await dashboard();
  const postgres = { connectionString: ledger.databaseUrl };
  const all = await createToken(postgres, { name: 'all', scopes: ['read'], actor: 'ops' });
  const other = await createToken(postgres, { name: 'other', scopes: ['read'], tenant: 'other', actor: 'ops' });
  const page = await open('#/schedules/nightly-report', { before: withoutEvents });
  const enter = async ({ token }: { token: string }) => {
    await page.getByLabel('Access token').fill(token);
    await page.keyboard.press('Enter');
  };
  await enter(all);
  await page.getByRole('button', { name: 'Run now' }).waitFor();
  await endToken(postgres, 'all', 'ops');
  await seen(page, 'The server does not accept this token');
  await enter(other);
  await page.getByRole('alert').first().waitFor();
  expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
});

/** The position of a new reader of events. */
async function firstId(address: string): Promise<string> {
  const { body } = await fetch(address);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const [, id] = /^id: (.+)\n/m.exec(text) ?? [];
    if (id) return id;
  }
  throw new Error(`the stream ended: ${text}`);
}
