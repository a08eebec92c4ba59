import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { passCall } from '../../lib/pass-call';

const UNAVAILABLE = '14';
/** The bytes of a gRPC message before its content. */
const PREFIX_BYTES = 5;
const FIELD_NAMESPACE = 0x0a;

/**
 * A proxy in front of a Temporal frontend. The proxy passes every call on, and may refuse StartWorkflowExecution alone.
 */
export class Gate {
  readonly #server = createServer();
  readonly #sessions = new Set<ServerHttp2Session | ClientHttp2Session>();
  readonly #upstream = new WeakMap<ServerHttp2Session, ClientHttp2Session>();
  #target = '';
  refusesStarts = false;
  /** How many start calls were refused, by namespace. */
  readonly refused = new Map<string, number>();

  /** Opens a gate that leads nowhere until {@link leadTo}. */
  static async open(): Promise<Gate> {
    const gate = new Gate();
    gate.#server.on('stream', (stream, headers) => gate.#pass(stream, headers));
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    return gate;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(target: string): void {
    this.#target = target;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => {});
    if (this.refusesStarts && headers[':path']?.toString().endsWith('/StartWorkflowExecution')) {
      this.#refuse(stream);
      return;
    }
    passCall(stream, headers, this.#upstreamOf(stream.session as ServerHttp2Session));
  }

  #refuse(stream: ServerHttp2Stream): void {
    stream.once('data', (message: Buffer) => {
      const namespace = namespaceIn(message.subarray(PREFIX_BYTES));
      this.refused.set(namespace, (this.refused.get(namespace) ?? 0) + 1);
      const status = { 'grpc-status': UNAVAILABLE, 'grpc-message': 'this start was refused by the gate' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
    });
  }

  /** Each connection to the gate has its own connection to the frontend. */
  #upstreamOf(session: ServerHttp2Session): ClientHttp2Session {
    const known = this.#upstream.get(session);
    if (known && !known.closed && !known.destroyed) return known;
    const made = connect(`http://${this.#target}`);
    this.#upstream.set(session, made);
    for (const one of [session, made]) {
      this.#sessions.add(one);
      one.on('error', () => {}).on('close', () => this.#sessions.delete(one));
    }
    session.on('close', () => made.destroy());
    return made;
  }
}

/** The namespace is the first field of the request of a start. */
function namespaceIn(request: Buffer): string {
  const [field, length = 0] = request;
  return field === FIELD_NAMESPACE ? request.toString('utf8', 2, 2 + length) : 'unknown';
}
