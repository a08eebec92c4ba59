import type { FastifyInstance } from 'fastify';
import type { ServerContext } from '../context';
import { docsPage, PAGE_HEADERS } from '../docs-page';
import { healthOf } from '../health';
import { openapi } from '../openapi';
import { operations } from './index';

/** Routes that are not operations of the API: its description, the page to try it, and the server's health. */
export function pages(app: FastifyInstance, context: ServerContext): void {
  const document = openapi(operations, context.basePath);
  const html = docsPage(document, context.basePath);
  app.get('/openapi.json', async () => document);
  app.get('/docs', async (_request, reply) => reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(html));
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { isReady, reasons } = await healthOf(context);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', reasons });
  });
}
