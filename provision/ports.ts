import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A free TCP port on the loopback interface. On Linux, the system assigns the port to no other process for about a
 * minute.
 *
 * A port that was only bound and released may be given to another process at once. On Linux, a connection that the
 * listening side closes first keeps the port in TIME_WAIT. The system does not assign a port in this state, but a
 * server that asks for it by number gets it.
 */
export async function freePort(): Promise<number> {
  const listener = createServer((socket) => socket.end());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  if (process.platform === 'linux') {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
  }
  listener.close();
  await once(listener, 'close');
  return port;
}

const given = new Set<number>();

/**
 * A free TCP port that fits a signed 16-bit number, unlike most ports that the system chooses. This process never
 * returns the same port twice; nothing else reserves a port until it is used.
 */
export async function freeLowPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (given.has(port)) continue;
    const listener = createServer();
    const outcome = await new Promise((resolve) => {
      listener.once('error', () => resolve('taken'));
      listener.listen(port, '127.0.0.1', () => listener.close(() => resolve('free')));
    });
    if (outcome !== 'free') continue;
    given.add(port);
    return port;
  }
}

export function portAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.setTimeout(2_000, () => finish(false));
  });
}
