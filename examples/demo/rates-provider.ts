import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const EURO_IN: Record<string, number> = { USD: 1.08, GBP: 0.85, CHF: 0.94 };
const FAILURES_AT_FIRST = 2;

/**
 * An unreliable provider of exchange rates: for each instant it answers 503 twice before it succeeds. It is a real
 * server on a real port, so the step that calls it really fails and is retried.
 */
export async function startRatesProvider(): Promise<{ url: string; close(): Promise<void> }> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const at = searchParams.get('at') ?? '';
    const times = (asked.get(at) ?? 0) + 1;
    asked.set(at, times);
    if (times <= FAILURES_AT_FIRST) {
      response.writeHead(503).end();
      return;
    }
    asked.delete(at);
    const currencies = searchParams.getAll('currency').filter((currency) => currency in EURO_IN);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Object.fromEntries(currencies.map((currency) => [currency, EURO_IN[currency]]))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
