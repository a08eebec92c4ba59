import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { createToken, endToken } from '../../../server/access/tokens';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();
const EVENTS = '**/v1/events';
const ANSWERS = '#/schedules/fx-rates?tab=answers';

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
  const page = await open(ANSWERS, { before: (one) => one.route(EVENTS, (route) => route.abort()) });
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
  const page = await open('#/schedules');
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
