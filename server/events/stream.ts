import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Position, writePosition } from './position';
import type { EventKind, LedgerEvent } from './read';

export interface EventFilter {
  /** Only events of this tenant; undefined for all tenants. */
  tenant: string | undefined;
  scheduleIds: ReadonlySet<string> | undefined;
  kinds: ReadonlySet<EventKind> | undefined;
  states: ReadonlySet<string> | undefined;
}

/** Why a stream ends: the server stops, the reader is too slow, its access was revoked, or Postgres is away. */
export type EndReason = 'stopping' | 'slow' | 'unauthorized' | 'unavailable';

/** If more bytes than this wait for a reader when further events are to be sent, its stream is ended. */
const WAITING_BYTES_AT_MOST = 2 * 1024 * 1024;
/** A reader that catches up must take the data that wait for it within this time. */
const SLOW_AFTER_MILLISECONDS = 30_000;
const END_MILLISECONDS = 2_000;
/** The pause after which a browser reconnects. */
const RETRY_MILLISECONDS = 3_000;

export class EventStream {
  #isOver = false;
  checkedAt = new Date(0);

  constructor(
    private readonly response: ServerResponse,
    private readonly filter: EventFilter,
    /** @throws {ProblemError} 401 or 403 if the reader's access was revoked; other errors if it cannot be checked */
    readonly check: () => Promise<void>,
  ) {
    // If the reader has left already, `close` may not come any more.
    this.#isOver = response.destroyed;
    response.once('close', () => {
      this.#isOver = true;
    });
    // It is no error if a reader disconnects.
    response.on('error', () => undefined);
  }

  get tenant(): string | undefined {
    return this.filter.tenant;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  open(): void {
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // The connection closes with the stream, so that a server that stops need not wait for it.
      connection: 'close',
      // Buffering proxies would delay events.
      'x-accel-buffering': 'no',
    });
    this.#write(`retry: ${RETRY_MILLISECONDS}\n\n`);
  }

  /** Sends those events that concern this reader. A reader that is too slow gets none: its stream is ended. */
  send(events: LedgerEvent[]): void {
    if (this.response.writableLength > WAITING_BYTES_AT_MOST) this.end('slow');
    const text = events.filter((event) => this.#wants(event)).map((event) => event.text);
    if (text.length > 0) this.#write(text.join(''));
  }

  /** Sends only the position, as an ID without an event. */
  mark(position: Position): void {
    this.#write(`id: ${writePosition(position)}\n\n`);
  }

  beat(): void {
    this.#write(': heartbeat\n\n');
  }

  /** Tells the reader that events are missing, so that it reads all its data again. */
  reset(position: Position, reason: string): void {
    this.#write(`id: ${writePosition(position)}\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  /** Waits until the reader has taken the data that were sent, or ends the stream if that takes too long. */
  async drained(): Promise<void> {
    if (this.#isOver || !this.response.writableNeedDrain) return;
    const limit = AbortSignal.timeout(SLOW_AFTER_MILLISECONDS);
    const [taken, closed] = ['drain', 'close'].map((event) => once(this.response, event, { signal: limit }));
    await Promise.race([taken, closed]).catch(() => this.end('slow'));
  }

  end(reason: EndReason): void {
    if (this.#isOver) return;
    this.#write(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.#isOver = true;
    this.response.end();
    const { response } = this;
    const timer = setTimeout(() => response.destroy(), END_MILLISECONDS);
    response.once('close', () => clearTimeout(timer));
  }

  #wants({ kind, scheduleId, tenant, state }: LedgerEvent): boolean {
    const { filter } = this;
    // An alert that is about no single schedule is sent only to readers who may see all tenants.
    if (filter.tenant !== undefined && (tenant !== filter.tenant || scheduleId === null)) return false;
    if (filter.kinds && !filter.kinds.has(kind)) return false;
    if (filter.scheduleIds && (scheduleId === null || !filter.scheduleIds.has(scheduleId))) return false;
    return !(filter.states && state !== null && !filter.states.has(state));
  }

  #write(text: string): void {
    if (this.#isOver) return;
    this.response.write(text);
  }
}
