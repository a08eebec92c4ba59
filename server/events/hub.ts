import type { Logger } from '@temporalio/common';
import { Complaint } from '../../logging/complaint';
import type { Store } from '../../store/connection';
import { readSnapshot } from '../../store/reads/changes';
import { ProblemError } from '../problems/problem';
import { isOfAnother, isTooOld, type Position, positionAt } from './position';
import { readEvents } from './read';
import type { EndReason, EventStream } from './stream';

/** The interval between two reads of the ledger while there is at least one reader. */
const LOOK_MILLISECONDS = 500;
/** A sign of life is sent this often, since proxies may close silent connections. */
const BEAT_MILLISECONDS = 15_000;
const OTHER_DATABASE = 'the database was restored or has failed over: read all data again';
const TOO_MUCH = 'too much has changed meanwhile: read all data again';
/**
 * Once the server has read more events than this for a reader that reconnects, the reader must read all its data again.
 * Events of other tenants count too.
 */
const MISSED_AT_MOST = 20_000;

/**
 * Sends committed events to all readers, with one read of the ledger for all of them. If a reader reconnects, it first
 * gets the events that it missed, up to the position of the other readers.
 */
export class EventHub {
  readonly #streams = new Set<EventStream>();
  readonly #catchingUp = new Set<EventStream>();
  /** The position that all of `#streams` have reached. */
  #position: Position | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /**
   * The range of events that is being sent, and how far it was sent, so that no event is sent twice after a failure of
   * Postgres.
   */
  #told: (Position & { to: string }) | undefined;
  readonly #complaint: Complaint;

  constructor(
    private readonly store: Store,
    logger: Logger,
    private readonly now: () => Date,
  ) {
    this.#complaint = new Complaint(logger, {
      failing: 'events are not read; trying again',
      over: 'events are read again',
    });
  }

  get size(): number {
    return this.#streams.size + this.#catchingUp.size;
  }

  /** The number of current readers with access to only this tenant. */
  readersOf(tenant: string): number {
    return [...this.#streams, ...this.#catchingUp].filter((stream) => stream.tenant === tenant).length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads the ledger, and sends new events to the current readers. @throws the errors of Postgres */
  async look(): Promise<void> {
    // A read that is already running is not shared, since it may have begun before the change that the caller knows
    // about.
    await this.#looking?.catch(() => undefined);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /**
   * Adds a reader: it first gets the events that it has missed after `since`, then new ones. The caller must have
   * called {@link look} before.
   *
   * @param store where missed events are read, with the reader's own part of the connections
   */
  async follow(stream: EventStream, since: Position | undefined, store: Store): Promise<void> {
    this.#catchingUp.add(stream);
    stream.checkedAt = this.now();
    try {
      if (since) await this.#catchUp(stream, since, store);
      else await this.#join(stream);
    } finally {
      this.#catchingUp.delete(stream);
    }
  }

  close(reason: EndReason = 'stopping'): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const stream of [...this.#streams, ...this.#catchingUp]) stream.end(reason);
    this.#streams.clear();
  }

  async #join(stream: EventStream): Promise<void> {
    await this.#standing();
    this.#add(stream, true);
  }

  async #catchUp(stream: EventStream, since: Position, store: Store): Promise<void> {
    let position = since;
    let missed = 0;
    while (!stream.isOver) {
      const target = await this.#standing();
      const now = { incarnation: target.incarnation, snapshot: target.from };
      const isOther = isOfAnother(position, now);
      if (isOther || missed > MISSED_AT_MOST || isTooOld(position, now)) {
        stream.reset(target, isOther ? OTHER_DATABASE : TOO_MUCH);
        position = target;
      }
      if (position === target) return this.#add(stream, false);
      const range = { ...position, to: position.to ?? target.from };
      const { events, isLast } = await readEvents(store, range);
      stream.send(events);
      missed += events.length;
      if (isLast) {
        position = range.to === target.from ? target : { incarnation: range.incarnation, from: range.to };
        stream.mark(position);
      } else {
        // This place is not sent: it may be the key of an event of another tenant.
        position = { ...range, after: events.at(-1)!.place };
      }
      await stream.drained();
      await this.#check(stream);
    }
  }

  /** Waits until no range is being sent or is half sent, and returns the position that all readers have reached. */
  async #standing(): Promise<Position> {
    while (this.#looking || !this.#position || this.#told) await this.look();
    return this.#position;
  }

  #add(stream: EventStream, isNew: boolean): void {
    if (this.#isClosed) stream.end('stopping');
    if (stream.isOver) return;
    if (isNew) stream.mark(this.#position!);
    this.#streams.add(stream);
    this.#timer ??= setTimeout(() => void this.#lookAgain(), LOOK_MILLISECONDS);
  }

  async #lookAgain(): Promise<void> {
    await this.look().catch(({ message }) => this.#complaint.failed(message));
    await this.#beat();
    this.#timer = undefined;
    if (this.#isClosed) return;
    if (this.#streams.size > 0) this.#timer = setTimeout(() => void this.#lookAgain(), LOOK_MILLISECONDS);
  }

  async #look(): Promise<void> {
    const now = await readSnapshot(this.store);
    const next = positionAt(now);
    const position = this.#position;
    // Without readers, the position moves on without reading the events, so that the next reader need not wait for
    // them.
    if (!position || this.size === 0) {
      this.#position = next;
      this.#told = undefined;
    } else if (isOfAnother(position, now)) {
      for (const stream of this.#streams) stream.reset(next, OTHER_DATABASE);
      this.#position = next;
      this.#told = undefined;
    } else if (this.#told || position.from !== next.from) {
      await this.#tell({ ...position, to: next.from });
      this.#position = next;
    }
    for (const stream of this.#streams) if (stream.isOver) this.#streams.delete(stream);
    this.#complaint.over();
  }

  async #tell(range: Position & { to: string }): Promise<void> {
    this.#told ??= range;
    for (;;) {
      const { events, isLast } = await readEvents(this.store, this.#told);
      for (const stream of this.#streams) stream.send(events);
      if (isLast) break;
      this.#told = { ...this.#told, after: events.at(-1)!.place };
    }
    const { to } = this.#told;
    this.#told = undefined;
    if (to !== range.to) await this.#tell({ incarnation: range.incarnation, from: to, to: range.to });
  }

  async #beat(): Promise<void> {
    await Promise.all(
      [...this.#streams].map(async (stream) => {
        if (!(await this.#check(stream))) return;
        stream.beat();
        // While a range is being sent, the position is still at the range's beginning: a reader that reconnects there
        // would get its events twice.
        if (this.#position && !this.#looking && !this.#told && this.#streams.has(stream)) stream.mark(this.#position);
      }),
    );
  }

  /** Ends the stream of a reader whose access was revoked. @returns whether it was time to check the reader's access */
  async #check(stream: EventStream): Promise<boolean> {
    const now = this.now();
    // The ledger's clock may be set back.
    if (Math.abs(now.getTime() - stream.checkedAt.getTime()) < BEAT_MILLISECONDS) return false;
    stream.checkedAt = now;
    try {
      await stream.check();
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status < 404) stream.end('unauthorized');
    }
    return true;
  }
}
