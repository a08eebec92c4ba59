import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that a webhook accepted. */
export interface Received {
  id: string;
  timestamp: string;
  signatures: string[];
  body: string;
  message: { type: string; timestamp: string; data: Record<string, unknown> };
}

/** A real HTTP server that accepts all messages, unless a test sets other answers. */
export class Webhook {
  readonly received: Received[] = [];
  /** The status that the server answers; with null it never answers. */
  status: number | null = 204;
  /** The server answers 400 to messages that contain this text. */
  refusing: string | undefined;
  /**
   * If set, the server accepts a message, but answers it only once this promise is fulfilled. If its value is a number,
   * this is the status of the answer.
   */
  answersAfter: Promise<number | undefined> | undefined;
  readonly #server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const header = (name: string) => String(request.headers[`webhook-${name}`]);
    if (this.status === null) return;
    const isRefused = this.refusing !== undefined && body.includes(this.refusing);
    let status = isRefused ? 400 : this.status;
    if (status < 300) {
      const signatures = header('signature').split(' ');
      this.received.push({
        id: header('id'),
        timestamp: header('timestamp'),
        signatures,
        body,
        message: JSON.parse(body),
      });
      status = (await this.answersAfter) ?? status;
    }
    response.writeHead(status).end();
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/alerts`;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The messages that the server accepted, as `condition type`, in order. */
  told(): string[] {
    return this.received.map(({ message }) => `${message.data.condition} ${message.type}`);
  }
}
