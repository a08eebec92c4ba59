import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP relay in front of a server. It can hold the server's replies back, while requests still reach the server. */
export interface ReplyGate {
  /** `host:port` that clients use instead of the server's address. */
  address: string;
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function openReplyGate(serverAddress: string): Promise<ReplyGate> {
  const { hostname, port } = new URL(`tcp://${serverAddress}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const pairs = new Map<Socket, Socket>();
  let holding = false;
  const relay = createServer((client) => {
    const server = connect(Number(port), host);
    pairs.set(client, server);
    if (holding) server.pause();
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => client.write(chunk));
    const end = () => {
      client.destroy();
      server.destroy();
      pairs.delete(client);
    };
    for (const socket of [client, server]) socket.setNoDelay().on('error', end).on('close', end);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    hold() {
      holding = true;
      for (const server of pairs.values()) server.pause();
    },
    release() {
      holding = false;
      for (const server of pairs.values()) server.resume();
    },
    async close() {
      for (const [client, server] of pairs) {
        client.destroy();
        server.destroy();
      }
      relay.close();
      await once(relay, 'close');
    },
  };
}
