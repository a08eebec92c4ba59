import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';
import type { TestLedger } from '../../support/ledger';

const dashboard = useDashboard();
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const VIEWS = [
  '#/',
  '#/schedules',
  '#/schedules?orderBy=failing',
  '#/schedules/hourly-sync',
  '#/schedules/hourly-sync?tab=answers',
  '#/schedules/hourly-sync?tab=calendar',
  '#/schedules/hourly-sync?tab=performance',
  '#/schedules/hourly-sync?tab=definition',
  '#/schedules/hourly-sync?tab=versions',
  '#/letters',
  '#/letters?failureType=CardDeclined&step=chargeCard',
  'a firing',
  'a letter',
  '#/operations',
  '#/alerts',
  '#/ahead',
  '#/ahead?tab=between',
];

/** Where a view is: some have names of their own in each ledger. */
async function addressOf(ledger: TestLedger, view: string): Promise<string> {
  const [letter] = await ledger.query<{ id: string; at: Date }>(
    `select letter_id as id, scheduled_time as at from escapement.letters where schedule_id = 'card-charges' and state = 'open' limit 1`,
  );
  if (view === 'a letter') return `#/letters?letter=${letter!.id}`;
  if (view === 'a firing') return `#/schedules/card-charges/at/${encodeURIComponent(letter!.at.toISOString())}`;
  return view;
}

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Serious findings of axe. It is injected into the browser, past the page's policy. */
async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

async function isShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it('axe finds nothing serious on any page', async () => {
    const { open, shoot, ledger } = await dashboard();
    for (const view of VIEWS) {
      const page = await open(await addressOf(ledger, view), { colorScheme });
      await isShown(page);
      await shoot(page, `${colorScheme}-${view.replace(/\W+/g, '-')}`);
      expect({ view, found: await seriousIn(page) }).toEqual({ view, found: [] });
      await page.close();
    }
  });
});

it('at 360 px no page is wider than the screen', async () => {
  const { open, shoot, ledger } = await dashboard();
  for (const view of VIEWS) {
    const page = await open(await addressOf(ledger, view), { viewport: { width: 360, height: 740 }, isMobile: true });
    await isShown(page);
    await shoot(page, `narrow-${view.replace(/\W+/g, '-')}`);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect({ view, width }).toEqual({ view, width: 360 });
    await page.close();
  }
});

it('by keys alone a schedule is found, opened and paused', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/');
  await isShown(page);
  const focused = () => page.evaluate('document.activeElement?.innerText || document.activeElement?.value || ""');
  const tabTo = async (name: RegExp) => {
    for (let tries = 0; tries < 60; tries++) {
      await page.keyboard.press('Tab');
      if (name.test(String(await focused()))) return;
    }
    throw new Error(`no tab stop ${name}`);
  };
  await tabTo(/^Skip to the content/);
  await tabTo(/^Schedules/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Schedules' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('nightly');
  await page.getByRole('link', { name: 'card-charges' }).waitFor({ state: 'detached' });
  await tabTo(/^nightly-report/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'nightly-report' }).waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await tabTo(/^Pause$/);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The focus has returned to its former place.
  expect(await focused()).toBe('Pause');
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.getByRole('textbox', { name: 'Why' }).focus();
  await page.keyboard.type('by keys');
  await page.keyboard.press('Enter');
  await page.getByText('by keys').first().waitFor();
  expect((await ledger.client.getHandle('nightly-report').describe()).state.paused).toBe(true);
});
