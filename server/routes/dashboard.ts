import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readDashboard } from '../dashboard-files';

/** These headers allow only resources of this server, nothing inline, and no framing. */
const DASHBOARD_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // The browser asks the server each time, and gets 304 if nothing changed, so that a new version appears at once.
  'cache-control': 'no-cache',
};

/**
 * Serves the dashboard's files at `/`. The files are read once, when the server starts. The dashboard reads its data
 * from the API, with the reader's own token.
 */
export function dashboard(app: FastifyInstance): void {
  const files = readDashboard();
  app.get('/', async (request, reply) => {
    // The files refer to each other by relative addresses, so the dashboard's address must end with a slash.
    const [path = '', query] = request.url.split('?', 2);
    if (!path.endsWith('/')) return reply.redirect(`${path}/${query === undefined ? '' : `?${query}`}`, 308);
    if (!files.has('index.html')) {
      return reply.code(404).type('text/plain').send('The dashboard was not built: run npm run build.\n');
    }
    return send(request, reply, 'index.html');
  });
  for (const name of files.keys()) app.get(`/${name}`, async (request, reply) => send(request, reply, name));

  function send(request: FastifyRequest, reply: FastifyReply, name: string) {
    const { type, body, etag } = files.get(name)!;
    void reply.headers({ ...DASHBOARD_HEADERS, etag });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(type).send(body);
  }
}
