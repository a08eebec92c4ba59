import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Requests in progress have this long to end once the server stops: twice as long as a statement may take, and less
 * than the half minute after which containers are killed. Node no longer limits the time of a request while a server
 * stops.
 */
const END_WITHIN_MILLISECONDS = 20_000;

/**
 * End the connections of a server that stops. Each answer ends its connection. A connection whose first request has not
 * arrived is ended at once: browsers open such connections ahead, and Node would wait until they close them. What is
 * left after `endWithinMilliseconds` is cut off.
 */
export function endConnectionsAtStop(app: FastifyInstance, endWithinMilliseconds = END_WITHIN_MILLISECONDS): void {
  const { server } = app;
  const unused = new Set<Socket>();
  let isStopping = false;
  let cutOff: NodeJS.Timeout | undefined;
  server.on('connection', (socket: Socket) => {
    if (isStopping) return socket.destroy();
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const socket of unused) socket.destroy();
    cutOff = setTimeout(() => server.closeAllConnections(), endWithinMilliseconds).unref();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close');
  });
  server.once('close', () => clearTimeout(cutOff));
}
