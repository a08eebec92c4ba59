import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { FIRING_STATES } from '../../core/firing';
import { checked } from '../checked';
import type { ServerContext } from '../context';
import { authorize } from '../plugins/auth';
import { ProblemError, problem } from '../problems/problem';
import { words } from '../schemas/query';
import { EventHub } from './hub';
import { readPosition } from './position';
import { EVENT_KINDS } from './read';
import { EventStream } from './stream';

/** The maximum number of readers: each one holds a socket, and memory for events that a slow reader has not taken. */
const STREAMS_AT_MOST = 250;

const query = z.strictObject({
  scheduleId: z
    .preprocess((given) => [given].flat(), z.array(z.string()).max(100))
    .optional()
    .describe('Only these schedules; repeated'),
  event: words(EVENT_KINDS).optional(),
  state: words(FIRING_STATES).optional().describe('Firings in these states; does not affect alerts'),
});

/**
 * Serves `GET /v1/events`: firings and alerts as they happen. The text of docs/api.md about this route is written by
 * hand, since the OpenAPI document describes only answers that end.
 */
export function events(app: FastifyInstance, context: ServerContext): void {
  const { store, logger, now } = context;
  const hub = new EventHub(store, logger, now);
  app.addHook('preClose', async () => hub.close());
  app.get('/v1/events', async (request, reply) => {
    const check = () => authorize(request, { scope: 'read', operationId: 'streamEvents' }, context);
    const { tenant } = await check();
    const oneOfMany = context.tenant === undefined ? tenant : undefined;
    const asked = checked({ query: [query, { ...(request.query as object) }] }).query as z.output<typeof query>;
    const { 'last-event-id': id } = request.headers;
    const since = typeof id === 'string' && id !== '' ? readPosition(id) : undefined;
    refuseIfFull(hub, oneOfMany);
    // If Postgres is away, this first read fails, and the request is answered with a problem. Once the reader has
    // caught up, failed reads are repeated.
    await hub.look();
    // Others may have come meanwhile.
    refuseIfFull(hub, oneOfMany);
    if (reply.raw.destroyed) return reply.hijack();
    const stream = new EventStream(
      reply.raw,
      {
        tenant,
        scheduleIds: asked.scheduleId && new Set(asked.scheduleId),
        kinds: asked.event && new Set(asked.event),
        states: asked.state && new Set(asked.state),
      },
      async () => void (await check()),
    );
    reply.hijack();
    stream.open();
    context.metrics.reader(reply.raw);
    await hub.follow(stream, since, context.ofRequests(tenant).store).catch((error) => {
      logger.warn('a reader of events was disconnected', { error });
      stream.end('unavailable');
    });
  });
}

/**
 * A tenant may have as many readers as it leaves free, so that it cannot keep out other tenants.
 *
 * @param tenant the reader's tenant; undefined if there are no other tenants, or the reader sees all
 * @throws {ProblemError} if no further reader can be served
 */
function refuseIfFull(hub: EventHub, tenant: string | undefined): void {
  const free = STREAMS_AT_MOST - hub.size;
  const isFull = tenant === undefined ? free <= 0 : hub.readersOf(tenant) >= free;
  if (!hub.isClosed && !isFull) return;
  const whose = free <= 0 ? `the server has ${STREAMS_AT_MOST}` : 'this tenant has too many';
  const detail = hub.isClosed ? 'the server stops' : `${whose} readers of events`;
  throw new ProblemError(problem(503, 'too-many-streams', 'No more readers', detail), { 'retry-after': '2' });
}
