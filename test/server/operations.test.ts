import { Counter, Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { type Health, serveOperations } from '../../server/operations';

async function served(health: Health, registry = new Registry()) {
  const endpoint = await serveOperations({ port: 0, host: '127.0.0.1', registry, health: () => health });
  onTestFinished(() => endpoint.close());
  return (path: string, init?: RequestInit) => fetch(endpoint.url + path, init);
}

it('serves the registry to Prometheus', async () => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
  const get = await served({ isReady: true, reasons: [] }, registry);
  const answer = await get('/metrics?from=anywhere');
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  expect(await answer.text()).toContain('things_total 3');
  expect(await (await get('/metrics', { method: 'HEAD' })).text()).toBe('');
});

it('is alive while it answers, and ready while the process does its work', async () => {
  const health: Health = { isReady: false, reasons: ['Postgres has not accepted a heartbeat yet'] };
  const get = await served(health);
  expect((await get('/healthz')).status).toBe(200);
  const notReady = await get('/readyz');
  expect(notReady.status).toBe(503);
  expect(await notReady.json()).toEqual({ status: 'not ready', reasons: health.reasons });
  health.isReady = true;
  expect((await get('/readyz')).status).toBe(200);
});

it('says what there is to whoever asks for something else', async () => {
  const get = await served({ isReady: true, reasons: [] });
  const missing = await get('/');
  expect([missing.status, await missing.text()]).toEqual([404, 'not found; there is /metrics, /healthz, /readyz\n']);
  expect((await get('/metrics', { method: 'POST' })).status).toBe(405);
});

it('a registry that fails is an error of that page alone', async () => {
  const registry = new Registry();
  registry.metrics = async () => {
    throw new Error('broken');
  };
  const get = await served({ isReady: true, reasons: [] }, registry);
  expect((await get('/metrics')).status).toBe(500);
  expect((await get('/healthz')).status).toBe(200);
});
