import { cpus, loadavg } from 'node:os';
import { Command } from 'commander';
import { type Browser, chromium } from 'playwright-core';
import { serve } from '../server';
import { ensureProgram, pathOfProgram } from '../test/support/servers/debian-program';
import { benchLedger } from './lib/bench-ledger';
import { fillDashboard } from './lib/fill/dashboard-fill';
import { type Answers, askOften, questions } from './lib/measure/dashboard-answers';
import { until } from './lib/wait';

/**
 * Measures the dashboard with 100,000 schedules and 1,000,000 firings over thirty days. The bench measures how long the
 * API's answers for each page take, one after the other, and how soon each page paints in Chromium. To run it, build
 * the package, then run `npx tsx bench/dashboard.ts`. The exit code is 1 if 1 of 100 answers takes 100 ms or longer, or
 * a first paint takes 1 s. The measurement begins when the server has read the schedules, since answers take longer
 * before that.
 */
const ANSWER_MILLISECONDS = 100;
const PAINT_MILLISECONDS = 1_000;
const LOADS = 5;
const PAGES = [
  '#/',
  '#/schedules',
  '#/schedules/team-1-job-1',
  '#/letters',
  '#/alerts',
  '#/ahead',
  '#/ahead?tab=between',
];

interface Size {
  schedules: number;
  requests: number;
}

async function main(): Promise<void> {
  const { schedules, requests } = new Command()
    .option('--schedules <count>', 'with ten times as many firings', Number, 100_000)
    .option('--requests <count>', 'of each question', Number, 200)
    .parse()
    .opts<Size>();
  const now = new Date();
  await benchLedger(async ({ client, pool, connectionString, onProgress }) => {
    onProgress(
      `Filling ${schedules.toLocaleString('en')} schedules and ${(schedules * 10).toLocaleString('en')} firings.`,
    );
    await fillDashboard({ client, query: (text, values) => pool.query(text, values as never), now }, schedules);
    const server = await serve({ port: 0, connectionString, requestsPerSecond: 1_000_000 });
    try {
      await until('the server to be ready', async () => (await server.health()).isReady);
      const answers = await measureAnswers(server.url, now, { schedules, requests });
      const paints = await measurePaints(server.url);
      const machine = `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the end; Node ${process.version}`;
      console.log(JSON.stringify({ machine, answers, paints }, null, 2));
      const isSlow = answers.some(({ p99 }) => p99 >= ANSWER_MILLISECONDS);
      process.exitCode = isSlow || paints.some(({ firstPaint }) => firstPaint >= PAINT_MILLISECONDS) ? 1 : 0;
    } finally {
      await server.close();
    }
  });
}

async function measureAnswers(
  url: string,
  now: Date,
  { schedules, requests }: Size,
): Promise<({ page: string; name: string } & Answers)[]> {
  const measured = [];
  for (const [page, name, question] of questions(now, schedules)) {
    const answers = await askOften(url, question, requests);
    console.error(`${page}, ${name}: p50 ${answers.p50}, p99 ${answers.p99}, longest ${answers.max} ms`);
    measured.push({ page, name, ...answers });
  }
  return measured;
}

/**
 * The first paint of each page and the time until all its data is shown: the slowest of several loads, each in a
 * browser context without a cache.
 */
async function measurePaints(url: string): Promise<{ page: string; firstPaint: number; allRead: number }[]> {
  await ensureProgram('chromium');
  const browser = await chromium.launch({ executablePath: await pathOfProgram('chromium'), args: ['--no-sandbox'] });
  try {
    const measured = [];
    for (const page of PAGES) {
      const loads: { firstPaint: number; allRead: number }[] = [];
      for (let load = 0; load < LOADS; load++) loads.push(await loadOnce(browser, `${url}/${page}`));
      const worst = (of: (load: { firstPaint: number; allRead: number }) => number) =>
        Math.round(Math.max(...loads.map(of)));
      const slowest = { firstPaint: worst((load) => load.firstPaint), allRead: worst((load) => load.allRead) };
      console.error(`${page}: first paint ${slowest.firstPaint}, all read ${slowest.allRead} ms`);
      measured.push({ page, ...slowest });
    }
    return measured;
  } finally {
    await browser.close();
  }
}

async function loadOnce(browser: Browser, address: string): Promise<{ firstPaint: number; allRead: number }> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page
      .getByText(/Reading/)
      .first()
      .waitFor({ state: 'detached' });
    const allRead = performance.now() - begun;
    const firstPaint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    return { firstPaint: Number(firstPaint), allRead };
  } finally {
    await context.close();
  }
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
