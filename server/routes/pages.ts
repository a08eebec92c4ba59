import type { FastifyInstance } from 'fastify';
import type { ServerContext } from '../context';
import { docsPage, PAGE_HEADERS } from '../docs-page';
import { openapi } from '../openapi';
import { problemOf } from '../problems/of-error';
import { operations } from './index';

/** What is no operation of the API: its description, a page to read and try it, and the server's health. */
export function pages(app: FastifyInstance, context: ServerContext): void {
  const document = openapi(operations, context.basePath);
  const html = docsPage(document, context.basePath);
  app.get('/openapi.json', async () => document);
  app.get('/docs', async (_request, reply) => reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(html));
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await context.clientOf({ actor: context.identity, tenant: context.tenant }).triggers();
      return { status: 'ready', reasons: [] };
    } catch (error) {
      const known = problemOf(error);
      if (!known) throw error;
      return reply.code(503).send({ status: 'not ready', reasons: [known.problem.detail] });
    }
  });
}
