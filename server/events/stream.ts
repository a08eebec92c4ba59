import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Position, writePosition } from './position';
import type { EventKind, LedgerEvent } from './read';

/** What a reader asks for, and may see. */
export interface EventFilter {
  /** Of this tenant alone; undefined for all. */
  tenant: string | undefined;
  scheduleIds: ReadonlySet<string> | undefined;
  kinds: ReadonlySet<EventKind> | undefined;
  states: ReadonlySet<string> | undefined;
}

/** Why a stream ends: the server stops, the reader reads too slowly, its token no longer counts, or Postgres is away. */
export type EndReason = 'stopping' | 'slow' | 'unauthorized' | 'unavailable';

/** What may wait for a reader who is slower than what happens, before the next page of events. */
const WAITING_BYTES_AT_MOST = 2 * 1024 * 1024;
/** How long a reader may take nothing while there is more for it, and to read the end. */
const SLOW_AFTER_MILLISECONDS = 30_000;
const END_MILLISECONDS = 2_000;
/** After which a browser tries again. */
const RETRY_MILLISECONDS = 3_000;

/** One reader of events. */
export class EventStream {
  #isOver = false;
  /** When it was last seen whether the reader may still read. */
  checkedAt = new Date(0);

  constructor(
    private readonly response: ServerResponse,
    private readonly filter: EventFilter,
    /** @throws {ProblemError} once the reader may no longer read */
    readonly check: () => Promise<void>,
  ) {
    response.once('close', () => {
      this.#isOver = true;
    });
    // A reader that goes away is no failure.
    response.on('error', () => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begin to answer. */
  open(): void {
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // When the server stops, it waits for no connection that would be used again.
      connection: 'close',
      // Proxies that gather answers would hold events back.
      'x-accel-buffering': 'no',
    });
    this.#write(`retry: ${RETRY_MILLISECONDS}\n\n`);
  }

  /** Send what of events is for this reader; one that lets too much wait is ended. */
  send(events: LedgerEvent[]): void {
    if (this.response.writableLength > WAITING_BYTES_AT_MOST) this.end('slow');
    const text = events.filter((event) => this.#wants(event)).map((event) => event.text);
    if (text.length > 0) this.#write(text.join(''));
  }

  /** Say how far it has come: by the ID alone nothing is told. */
  mark(position: Position): void {
    this.#write(`id: ${writePosition(position)}\n\n`);
  }

  /** Say that it is still there. */
  beat(): void {
    this.#write(': heartbeat\n\n');
  }

  /** Say that events are missing: the reader reads again what it knows. */
  reset(position: Position, reason: string): void {
    this.#write(`id: ${writePosition(position)}\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  /** Wait until the reader has taken what was sent. One that takes nothing is ended. */
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
    // An alert about many schedules goes only to readers who may see all of them.
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
