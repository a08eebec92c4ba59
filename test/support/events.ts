import type { TestApi } from './api';

/** One event as it was sent. */
export interface SentEvent {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  data: any;
}

/**
 * A reader of `GET /v1/events` that behaves as the browser's EventSource. It remembers the last ID, even of blocks
 * without an event.
 */
export class EventReader {
  lastId: string | undefined;
  /** All IDs that have arrived, also those of blocks without an event. */
  ids: string[] = [];
  /** Comments that have arrived; they carry no event. */
  comments: string[] = [];
  readonly #stopped = new AbortController();
  readonly #events: AsyncGenerator<SentEvent>;

  private constructor(readonly response: Response) {
    this.#events = this.#read();
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const stopped = new AbortController();
    const reader = new EventReader(await fetch(url, { headers, signal: stopped.signal }));
    reader.#stopped.signal.addEventListener('abort', () => stopped.abort());
    return reader;
  }

  /** The next event; undefined after the end, and after {@link stop}. */
  async next(): Promise<SentEvent | undefined> {
    try {
      const { value, done } = await this.#events.next();
      return done ? undefined : value;
    } catch (error) {
      if (this.#stopped.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Events up to and including the first one that matches. */
  async until(isLast: (event: SentEvent) => boolean): Promise<SentEvent[]> {
    const events: SentEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) {
      events.push(event);
      if (isLast(event)) return events;
    }
    throw new Error(`the stream ended after ${JSON.stringify(events.at(-1))}`);
  }

  /** Close the connection. */
  stop(): void {
    this.#stopped.abort();
  }

  async *#read(): AsyncGenerator<SentEvent> {
    let rest = '';
    for await (const part of this.response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        if (block.startsWith(':')) this.comments.push(block);
        const fields = new Map(
          block.split('\n').flatMap((line) => {
            const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
            return name === undefined ? [] : [[name, value!] as const];
          }),
        );
        const id = fields.get('id');
        if (id !== undefined) {
          this.lastId = id;
          this.ids.push(id);
        }
        if (!fields.has('data')) continue;
        yield { id, event: fields.get('event') ?? 'message', data: JSON.parse(fields.get('data')!) };
      }
    }
  }
}

/** A server with a socket, and readers of its events. Both end with the test. */
export async function listen(api: TestApi, options: Parameters<TestApi['open']>[0] = {}) {
  const server = api.open(options);
  const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
  const readers: EventReader[] = [];
  api.ledger.beforeClose(async () => {
    for (const reader of readers) reader.stop();
  });
  const read = async (path = '/v1/events', headers: Record<string, string> = {}) => {
    const reader = await EventReader.open(`${url}${path}`, headers);
    readers.push(reader);
    return reader;
  };
  return { server, url, read };
}
