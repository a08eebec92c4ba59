import { noConnectionFree } from './postgres-errors';
import type { Session } from './session';

/** A limited number of places. Whoever finds none free waits for one, first come, first served. */
export class Places {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param waitMilliseconds the longest wait for a place; 0 waits for ever */
  constructor(
    atMost: number,
    private readonly waitMilliseconds: number,
  ) {
    this.#free = atMost;
  }

  /** @throws {PostgresUnreachableError} if no place was free in time */
  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(begin);
        reject(noConnectionFree());
      };
      const timer = this.waitMilliseconds > 0 ? setTimeout(giveUp, this.waitMilliseconds) : undefined;
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

/** Opens a session that holds one of each of these places until it is released. */
export async function sessionWithin(places: readonly Places[], open: () => Promise<Session>): Promise<Session> {
  const taken: Places[] = [];
  const giveBack = () => {
    for (const one of taken) one.giveBack();
  };
  try {
    for (const one of places) {
      await one.take();
      taken.push(one);
    }
    const session = await open();
    return {
      query: session.query.bind(session),
      release: () => {
        session.release();
        giveBack();
      },
    };
  } catch (error) {
    giveBack();
    throw error;
  }
}
