import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { namesIn } from '../core/options';
import type { Caller } from './caller';
import { checked } from './checked';
import { endConnectionsAtStop } from './connections-at-stop';
import type { ServerContext } from './context';
import { events } from './events/route';
import type { AnyOperation } from './operation';
import { audited } from './plugins/audit';
import { authorize } from './plugins/auth';
import { isKeyed, onceByKey } from './plugins/idempotency';
import { answerBadAddress, answerProblems, answerUnreadable } from './plugins/problems';
import { operations } from './routes';
import { dashboard } from './routes/dashboard';
import { pages } from './routes/pages';

const BODY_BYTES_AT_MOST = 4 * 1024 * 1024;
/** Time limit for receiving a request. */
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
const NOTHING = z.strictObject({});

/** Creates the server without a socket; tests send it requests by `inject`. */
export function createApp(context: ServerContext): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_BYTES_AT_MOST,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    // A schedule ID has up to 255 bytes, each of which may be percent-encoded.
    routerOptions: { maxParamLength: 1_000 },
    forceCloseConnections: 'idle',
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerUnreadable,
  });
  // Fastify's default parsers accept plain text but no merge patches, and refuse keys such as `__proto__`.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'string' },
    app.getDefaultJsonParser('ignore', 'ignore'),
  );
  app.setReplySerializer((payload) => JSON.stringify(payload));
  endConnectionsAtStop(app);
  answerProblems(app, context);
  context.metrics.measure(app, context.basePath);
  void app.register(
    async (scope) => {
      pages(scope, context);
      dashboard(scope);
      events(scope, context);
      for (const operation of operations) addOperation(scope, operation, context);
    },
    { prefix: context.basePath },
  );
  return app;
}

function addOperation(app: FastifyInstance, operation: AnyOperation, context: ServerContext): void {
  const usual = Number(Object.keys(operation.answers)[0]);
  const hasDryRun = operation.body !== undefined && namesIn(operation.body, []).includes('dryRun');
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    // The caller is checked before the body is read, since a large body takes long to parse.
    onRequest: async (request) => void callers.set(request, await authorize(request, operation, context)),
    handler: async (request, reply) => {
      const caller = callers.get(request)!;
      const server = context.ofRequests(caller.tenant);
      const { params, query, body } = read(operation, request);
      const call = {
        params,
        query,
        body,
        caller,
        client: server.clientOf(caller),
        server,
        headers: request.headers,
        url: request.url.slice(context.basePath.length),
      };
      const handle = async () => ({ status: usual, ...(await operation.handle(call as never)) });
      const isDryRun = hasDryRun && (body as { dryRun?: unknown } | undefined)?.dryRun === true;
      const change = () => (isDryRun ? handle() : audited(context, operation, caller, call.url, handle));
      const { method } = operation;
      return send(reply, await (isKeyed(operation) ? onceByKey({ ...call, method }, change) : change()));
    },
  });
}

function read(operation: AnyOperation, { params, query, body }: FastifyRequest) {
  const given = body === undefined && operation.bodyIsOptional ? {} : body;
  return checked({
    params: [operation.params ?? NOTHING, params],
    query: [operation.query ?? NOTHING, { ...(query as object) }],
    body: [operation.checksBody ? undefined : (operation.body ?? NOTHING.optional()), given],
  });
}

async function send(
  reply: FastifyReply,
  { status, body, headers = {} }: { status: number; body?: unknown; headers?: Record<string, string> },
) {
  void reply.code(status).headers({ 'cache-control': 'no-store', ...headers });
  if (body === undefined) return reply.send();
  return reply.type('application/json').send(body);
}
