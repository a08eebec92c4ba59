import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { AtEnd } from './at-end';

/** A network path to a server, through a proxy that can be cut at any instant. */
export interface Way {
  address: string;
  /** The number of connections that were refused so far. */
  readonly refused: number;
  /** Lets requests through, and holds every answer back, like a network that fails in one direction. */
  holdAnswers(): void;
  /** Loses every answer on open connections; new connections work. */
  silence(): void;
  /** Leads new connections to another server; open connections stay. */
  leadTo(target: string): void;
  /** Accepts new connections, but never answers on them. Open connections get no answers any more. */
  hang(): void;
  /** Delays each answer by this many milliseconds. */
  slow(milliseconds: number): void;
  /** Drops every connection, and refuses new ones. */
  cut(): void;
  /** Lets data through again, beginning with answers that were held back. Silenced connections stay silent. */
  restore(): void;
  /** Drops the connections that would stay silent. */
  dropSilent(): void;
}

/** A proxy in front of `host:port`. */
export async function openProxy(atEnd: AtEnd, target: string): Promise<Way> {
  let [host, port] = target.split(':') as [string, string];
  let slowness = 0;
  const pairs = new Set<{ inbound: Socket; outbound: Socket; held: Buffer[]; late: Buffer[]; isSilent: boolean }>();
  let refused = 0;
  let mode: 'open' | 'holding' | 'hung' | 'cut' = 'open';
  const server = createServer((inbound) => {
    if (mode === 'cut') {
      refused += 1;
      return void inbound.destroy();
    }
    const outbound = connect(Number(port), host);
    const pair = { inbound, outbound, held: [] as Buffer[], late: [] as Buffer[], isSilent: mode === 'hung' };
    pairs.add(pair);
    inbound.on('data', (data) => outbound.write(data));
    outbound.on('data', (data) => {
      if (pair.isSilent) return;
      if (mode === 'open' && (slowness > 0 || pair.late.length > 0)) {
        // An answer without delay must not overtake earlier answers that are still delayed.
        pair.late.push(data);
        setTimeout(() => inbound.write(pair.late.shift()!), slowness);
      } else if (mode === 'open') inbound.write(data);
      else pair.held.push(data);
    });
    for (const socket of [inbound, outbound]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        inbound.destroy();
        outbound.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = (which: (pair: { isSilent: boolean }) => boolean = () => true) => {
    for (const pair of [...pairs].filter(which)) {
      pair.inbound.destroy();
      pair.outbound.destroy();
    }
  };
  atEnd(async () => {
    drop();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get refused() {
      return refused;
    },
    leadTo: (next) => {
      [host, port] = next.split(':') as [string, string];
    },
    hang: () => {
      mode = 'hung';
      for (const pair of pairs) pair.isSilent = true;
    },
    slow: (milliseconds) => {
      slowness = milliseconds;
    },
    silence: () => {
      for (const pair of pairs) pair.isSilent = true;
    },
    holdAnswers: () => {
      mode = 'holding';
    },
    cut: () => {
      mode = 'cut';
      drop();
    },
    restore: () => {
      mode = 'open';
      slowness = 0;
      for (const { inbound, held } of pairs) for (const data of held.splice(0)) inbound.write(data);
    },
    dropSilent: () => drop(({ isSilent }) => isSilent),
  };
}
