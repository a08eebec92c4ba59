import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readDashboard } from '../dashboard-files';

/** Nothing but what this server has: no other address, nothing inline, in no frame of others. */
export const DASHBOARD_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Asked for again each time, and answered by 304 while it is the same: a new version is seen at once.
  'cache-control': 'no-cache',
};

/** The dashboard at `/`: its files, read once. It asks the API for all else, with the reader's own token. */
export function dashboard(app: FastifyInstance): void {
  const files = readDashboard();
  app.get('/', async (request, reply) => {
    // Its files are beside it: without the slash at the end a browser looks for them elsewhere.
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
