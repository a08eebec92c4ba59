import { PostgresUnreachableError } from '../core/errors';
import { CONNECT_TIMEOUT_MILLISECONDS } from './own-connections';
import { noConnectionFree } from './postgres-errors';
import type { Session } from './session';

/** A limited number of places. A caller that finds no free place waits for one, first come, first served. */
export class Places {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(atMost: number) {
    this.#free = atMost;
  }

  /**
   * @param until when to give up, as milliseconds of `performance.now()`
   * @throws {PostgresUnreachableError} if no place was free in time
   */
  take(until = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(begin);
        reject(noConnectionFree());
      };
      const timer = Number.isFinite(until) ? setTimeout(giveUp, until - performance.now()) : undefined;
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(begin);
    });
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#free += 1;
  }
}

export class PlacedSessions {
  /**
   * Whether Postgres could not be reached for the last session. As long as that is so, a new wait for places lasts at
   * most three seconds.
   */
  #isFailing = false;

  /** @param waitMilliseconds the longest wait for all places of a session together; 0 waits for ever */
  constructor(
    private readonly waitMilliseconds: number,
    private readonly open: (isChecked: boolean) => Promise<Session>,
  ) {}

  /**
   * Opens a session that holds one place of each given limit until the session is released.
   *
   * @throws {PostgresUnreachableError} if the places were not free in time, or the session cannot be opened
   */
  async openWithin(places: readonly Places[], isChecked: boolean): Promise<Session> {
    const taken: Places[] = [];
    const giveBack = () => {
      for (const one of taken) one.giveBack();
    };
    try {
      const until = performance.now() + this.#longestWait();
      for (const one of places) {
        await one.take(until);
        taken.push(one);
      }
      const session = await this.#opened(isChecked);
      return {
        query: session.query.bind(session),
        release: () => {
          try {
            session.release();
          } finally {
            giveBack();
          }
        },
      };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  #longestWait(): number {
    const longest = this.waitMilliseconds || Number.POSITIVE_INFINITY;
    return this.#isFailing ? Math.min(longest, CONNECT_TIMEOUT_MILLISECONDS) : longest;
  }

  async #opened(isChecked: boolean): Promise<Session> {
    try {
      const session = await this.open(isChecked);
      this.#isFailing = false;
      return session;
    } catch (error) {
      this.#isFailing = error instanceof PostgresUnreachableError;
      throw error;
    }
  }
}
