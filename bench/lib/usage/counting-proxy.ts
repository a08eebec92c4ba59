import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to Postgres that counts statements. */
export interface CountingProxy {
  /** The database's URL through the proxy. */
  databaseUrl: string;
  /**
   * The number of statements so far: simple queries, and executions of prepared statements. BEGIN and COMMIT are
   * counted too.
   */
  statements(): number;
  close(): Promise<void>;
}

const QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);

/**
 * Forwards all bytes between a client and Postgres, and counts the statements that the client sends. The proxy does not
 * support TLS.
 */
export async function countStatements(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let statements = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const count = messageReader((type) => {
      if (type === QUERY || type === EXECUTE) statements += 1;
    });
    client.on('data', count);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(databaseUrl);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    databaseUrl: proxied.href,
    statements: () => statements,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/**
 * Parses the frontend's messages in a stream of bytes, and returns the type of each. The first message of a connection
 * has no type.
 */
function messageReader(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= typeBytes + 4) {
      const size = typeBytes + pending.readInt32BE(typeBytes);
      if (pending.length < size) return;
      if (typeBytes === 1) onMessage(pending[0]!);
      pending = pending.subarray(size);
      typeBytes = 1;
    }
  };
}
