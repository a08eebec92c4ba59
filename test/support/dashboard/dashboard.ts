import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type ServeOptions, serve } from '../../../server';
import { type TestLedger, useLedger } from '../ledger';
import { ensureProgram, pathOfProgram } from '../servers/debian-program';
import { fillDashboardLedger } from './dashboard-ledger';

const PROGRAM = 'chromium';
/** The folder of screenshots for people, which is not in the repository. */
const SHOTS = join(__dirname, '../../../.cache/dashboard');
/** The folder of pictures for the README and docs/. They are only written if `ESCAPEMENT_KEEP_PICTURES` is set. */
const PICTURES = join(__dirname, '../../../docs/images');

export interface OpenOptions extends BrowserContextOptions {
  /** Called before the page asks for anything. */
  before?: (page: Page) => Promise<unknown>;
}

/** A browser for a file, and for each test a server on a ledger. */
export interface TestDashboard {
  ledger: TestLedger;
  url: string;
  /** A page of the dashboard in its own browser, which reports forbidden events. */
  open(address: string, options?: OpenOptions): Promise<Page>;
  /** Take a screenshot into `.cache/dashboard`, under a name such as `overview`. */
  shoot(page: Page, name: string): Promise<void>;
  /** Take a picture for `docs/images/` of the part of a page that fits into its window. */
  picture(page: Page, name: string): Promise<void>;
}

/** @param fill writes the first rows of the ledger. @default something of everything */
export function useDashboard(fill = fillDashboardLedger): (options?: Partial<ServeOptions>) => Promise<TestDashboard> {
  const ledger = useLedger();
  let browser: Browser;
  beforeAll(async () => {
    await ensureProgram(PROGRAM);
    mkdirSync(SHOTS, { recursive: true });
    // In a container Chromium may not create its sandbox. It opens only pages of this project.
    browser = await chromium.launch({ executablePath: await pathOfProgram(PROGRAM), args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return async (options = {}) => {
    const now = new Date();
    ledger().clock.set(now.toISOString());
    await fill(ledger(), now);
    const server = await serve({
      port: 0,
      connectionString: ledger().databaseUrl,
      identity: 'bea@example.com',
      temporalUi: 'http://127.0.0.1:8233',
      now: () => new Date(ledger().clock.now()),
      ...options,
    });
    ledger().beforeClose(() => server.close());
    return {
      ledger: ledger(),
      url: server.url,
      open: (address, context) => openPage(browser, server.url, address, context),
      shoot: async (page, name) => void (await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })),
      picture,
    };
  };
}

async function picture(page: Page, name: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('Reading …').count()).toBe(0);
  const shot = join(SHOTS, `${name}.png`);
  await page.screenshot({ path: shot });
  expect(statSync(shot).size).toBeLessThan(300_000);
  if (process.env.ESCAPEMENT_KEEP_PICTURES) copyFileSync(shot, join(PICTURES, `${name}.png`));
}

/** The test fails if a request leaves the server, the policy is violated, or a script throws. */
async function openPage(
  browser: Browser,
  url: string,
  address: string,
  { before, ...options }: OpenOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    timezoneId: 'America/New_York',
    locale: 'en-GB',
    ...options,
  });
  const wrong: string[] = [];
  const page = await context.newPage();
  const { origin } = new URL(url);
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) wrong.push(`asks ${request.url()}`);
  });
  page.on('pageerror', (error) => wrong.push(`throws ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) wrong.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await before?.(page);
  await page.goto(`${url}/${address}`);
  return page;
}
