import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** The health of a process. */
export interface Health {
  /** Whether the process can do its work now. */
  isReady: boolean;
  /** Why the process cannot do its work, or which part is delayed; for people. */
  reasons: string[];
}

/** The address and the contents of the endpoint. */
export interface OperationsOptions {
  /** The port; 0 for any free port. */
  port: number;
  host: string;
  registry: Registry;
  health(): Health | Promise<Health>;
}

/** The endpoint with the metrics and health of a process. */
export interface OperationsEndpoint {
  /** The URL of the endpoint, such as `http://127.0.0.1:9464`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serve `/metrics` for Prometheus, `/healthz` (200 while the process answers) and `/readyz` (503 while it cannot do its
 * work).
 *
 * @throws {Error} if the port cannot be opened, such as `EADDRINUSE`
 */
export async function serveOperations({
  port,
  host,
  registry,
  health,
}: OperationsOptions): Promise<OperationsEndpoint> {
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    '/healthz': async () => ({ status: 200, type: 'application/json', body: '{"status":"ok"}\n' }),
    '/readyz': async () => {
      const { isReady, reasons } = await health();
      const body = `${JSON.stringify({ status: isReady ? 'ready' : 'not ready', reasons })}\n`;
      return { status: isReady ? 200 : 503, type: 'application/json', body };
    },
  };
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?')[0]!;
    const page = pages[path];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!page || !isRead) {
      const status = page ? 405 : 404;
      const body = `${status === 404 ? 'not found' : 'only GET and HEAD'}; there is ${Object.keys(pages).join(', ')}\n`;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
      return;
    }
    const { status, type, body } = await page().catch((error: Error) => ({
      status: 500,
      type: 'text/plain',
      body: `${error.message}\n`,
    }));
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await listen(server, port, host);
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
