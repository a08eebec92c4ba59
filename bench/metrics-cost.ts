import { Registry } from 'prom-client';
import { openStore } from '../store/connection';
import type { StartableFiring } from '../store/firings/start';
import type { Temporal } from '../temporal/temporal';
import { fill } from '../test/support/dashboard/filled-ledger';
import { TriggerMetrics } from '../trigger/metrics/metrics';
import { benchLedger } from './lib/bench-ledger';

/**
 * Measures the cost of metrics for a trigger at 40 firings per second, in per cent of a core, and the duration of a
 * scrape with 100,000 schedules and 1,000,000 firings: `npx tsx bench/metrics-cost.ts`. The exit code is 1 if metrics
 * cost 1 % of a core or more, or a scrape takes 50 ms or more.
 */
const FIRINGS_A_SECOND = 40;
const SECONDS = 600;
const SCRAPES = 9;
/** A scrape that comes sooner than this after the previous one gets a cached result. */
const NEW_READ_MILLISECONDS = 2_100;
/** The work of a trigger that keeps up: passes per second, and calls to Temporal in addition to starts. */
const PASSES_A_SECOND = 20;
const CALLS_A_SECOND = FIRINGS_A_SECOND + 5;

async function main(): Promise<void> {
  await benchLedger(async ({ client, pool }) => {
    const store = openStore({ pool });
    await fill({ client, query: (text: string) => pool.query(text) } as never, 100_000);
    const registry = new Registry();
    const metrics = new TriggerMetrics(registry, {
      store,
      temporal: { known: () => [] } as unknown as Temporal,
      settings: () => ({ staleAfterMilliseconds: 10_000 }),
      clock: undefined,
    });
    const percentOfCore = await costOfCounting(metrics);
    const scrapes: number[] = [];
    for (let scrape = 0; scrape < SCRAPES; scrape++) {
      const begun = performance.now();
      await registry.metrics();
      scrapes.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, NEW_READ_MILLISECONDS));
    }
    const scrapeMilliseconds = round(scrapes.sort((one, other) => one - other)[Math.floor(SCRAPES / 2)]!);
    console.log(JSON.stringify({ percentOfCore: round(percentOfCore), scrapeMilliseconds }));
    process.exitCode = percentOfCore < 1 && scrapeMilliseconds < 50 ? 0 : 1;
  });
}

/** Measures the cost of ten minutes of counting, without the work that is counted. */
async function costOfCounting(metrics: TriggerMetrics): Promise<number> {
  const before = process.cpuUsage();
  for (let second = 0; second < SECONDS; second++) {
    for (let index = 0; index < FIRINGS_A_SECOND; index++) countFiring(metrics, `s${index}`);
    for (let index = 0; index < CALLS_A_SECOND; index++) metrics.call('startWorkflow', 'OK', 0.01);
    for (let index = 0; index < PASSES_A_SECOND; index++) await metrics.pass('dispatch', async () => {});
  }
  const { user, system } = process.cpuUsage(before);
  return (100 * (user + system)) / (SECONDS * 1_000_000);
}

function countFiring(metrics: TriggerMetrics, scheduleId: string): void {
  const [namespace, kind, at] = ['default', 'schedule' as const, Date.now()];
  const dueAt = new Date(at - 40);
  metrics.of.claimed.inc({ namespace, kind });
  metrics.of.claimDelay.observe({ namespace }, 0.02);
  const firing = { scheduleId, namespace, kind, readyAt: dueAt, startsAt: null, recovery: null };
  metrics.linked(firing as unknown as StartableFiring, { at, dueAt });
  metrics.closed(namespace, { scheduleId, outcome: 'completed', closedAt: dueAt }, at);
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
