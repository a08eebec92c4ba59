import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerContext } from '../context';
import { problemOf } from '../problems/of-error';
import { type Problem, ProblemError, problem } from '../problems/problem';

const UNFORESEEN = problem(
  500,
  'internal',
  'The server failed',
  'the request could not be answered; the log of the server says why',
);

const NOT_HTTP = problem(400, 'bad-request', 'The request cannot be read', 'it is not a request of HTTP/1.1');

/** By the code of Node's error. */
const UNREADABLE: Record<string, Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: problem(
    408,
    'request-timeout',
    'The request took too long to arrive',
    'send all of it within half a minute',
  ),
  HPE_HEADER_OVERFLOW: problem(431, 'too-large', 'The headers are too large', 'send fewer headers, or shorter ones'),
};

/** Answer errors as RFC 9457 defines them. Unexpected errors are logged, and their text is not sent to the caller. */
export function answerProblems(app: FastifyInstance, { logger }: Pick<ServerContext, 'logger'>): void {
  app.setErrorHandler(async (error, request, reply) => {
    const known = problemOf(error);
    if (!known) logger.error('a request failed', { method: request.method, route: request.routeOptions.url, error });
    return sendProblem(reply, known?.problem ?? UNFORESEEN, known?.headers);
  });
  // A not-found handler would get the request only once its body is parsed.
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw new ProblemError(nothingAt(request));
  });
}

/** Answers an address that cannot be read. No error handler gets this error, since there is no route. */
export function answerBadAddress(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  void sendProblem(reply, problemOf(error)?.problem ?? UNFORESEEN);
}

/** Answers what Node cannot read as a request, and what does not arrive in time. Neither reaches Fastify. */
export function answerUnreadable({ code }: { code?: string }, socket: Socket): void {
  if (socket.destroyed || code === 'ECONNRESET') return;
  const unread = UNREADABLE[code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify(unread);
  socket.write(
    [
      `HTTP/1.1 ${unread.status} ${STATUS_CODES[unread.status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  socket.destroy();
}

function nothingAt({ method, url }: FastifyRequest): Problem {
  const detail = `there is no ${method} of ${url.split('?')[0]}; /openapi.json lists what exists`;
  return problem(404, 'not-found', 'Nothing exists at this address', detail);
}

function sendProblem(reply: FastifyReply, body: Problem, headers: Record<string, string> = {}) {
  return reply
    .code(body.status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/problem+json')
    .send(body);
}
