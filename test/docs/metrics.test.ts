import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { WORKER_METRICS } from '../../activities/lease-metrics';
import { SERVER_METRICS } from '../../server/metrics';
import { serveOperations } from '../../server/operations';
import { LEDGER_METRICS, type MetricDefinition, TRIGGER_METRICS } from '../../trigger/metrics/definitions';
import { register } from '../../trigger/metrics/register';

const page = readFileSync(join(__dirname, '../../docs/metrics.md'), 'utf8');
const definitions: MetricDefinition[] = [TRIGGER_METRICS, LEDGER_METRICS, WORKER_METRICS, SERVER_METRICS].flatMap(
  (record) => Object.values<MetricDefinition>(record),
);

it('docs/metrics.md has every metric with its type, labels and meaning, and no other', () => {
  const rows = page.split('\n').filter((line) => /^\| `escapement_\w+` \| (counter|gauge|histogram) \|/.test(line));
  const expected = definitions.map(({ name, type, labels, help }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  expect(rows).toEqual(expected);
});

it('each metric that docs/metrics.md names is there', () => {
  const named = new Set([...page.matchAll(/escapement_\w+/g)].map(([name]) => name));
  expect([...named].filter((name) => !definitions.some((one) => one.name === name))).toEqual([]);
});

it('the request of docs/metrics.md gets the metrics from the port of the line before it', async () => {
  const [, port, request] = /^escapement run --metrics-port (\d+).*\n(curl .+)$/m.exec(page)!;
  const registry = new Registry();
  register(registry, TRIGGER_METRICS);
  const health = () => ({ isReady: true, reasons: [] });
  const endpoint = await serveOperations({ port: 0, host: '0.0.0.0', registry, health });
  try {
    const here = request!.replace(`localhost:${port}/`, `localhost:${new URL(endpoint.url).port}/`);
    expect(here).not.toBe(request);
    const { stdout } = await promisify(execFile)('bash', ['-c', here]);
    expect(stdout).toContain('# TYPE escapement_firings_claimed_total counter\n');
  } finally {
    await endpoint.close();
  }
});

it('metrics are named as Prometheus asks, and registered once for triggers that share a registry', async () => {
  for (const { name, type } of definitions) {
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(name).toMatch(/^escapement_[a-z_]+$/);
  }
  const registry = new Registry();
  expect(register(registry, TRIGGER_METRICS).claimed).toBe(register(registry, TRIGGER_METRICS).claimed);
});
