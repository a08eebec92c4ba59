import { ownClient } from './own-connections';
import type { PostgresAddress } from './postgres-address';

/** A statement that waits longer is asked after. Most are answered in milliseconds. */
const ASKED_AFTER_MILLISECONDS = 1_000;
const ASKED_EVERY_MILLISECONDS = 500;
const ANSWERS_WITHIN_MILLISECONDS = 1_000;
/** Nothing of ours is on its way for longer. */
const IDLE_FOR = '1 second';

/** A statement that waits for its answer. */
interface Waiting {
  /** The server's process that works on it. */
  pid: number;
  since: number;
  giveUp: () => void;
}

/**
 * Finds statements whose answer was lost on the way, as when a network forgets a connection: their connection alone would wait
 * until the statement's bound. Another connection asks the server whether it still works on them. One that does is slow, and
 * is waited for.
 */
export class LostAnswers {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(private readonly address: PostgresAddress) {}

  /**
   * @param giveUp called where the server works on it no longer
   * @returns to be called once it is answered
   */
  watch(pid: number, giveUp: () => void): () => void {
    const waiting = { pid, since: performance.now(), giveUp };
    this.#waiting.add(waiting);
    this.#timer ??= setInterval(() => void this.#ask(), ASKED_EVERY_MILLISECONDS).unref();
    return () => this.#waiting.delete(waiting);
  }

  async #ask(): Promise<void> {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const long = [...this.#waiting].filter(({ since }) => performance.now() - since > ASKED_AFTER_MILLISECONDS);
    if (long.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    try {
      const working = await this.#stillWorking(long.map(({ pid }) => pid));
      for (const one of long) {
        // It may have been answered meanwhile.
        if (this.#waiting.has(one) && !working.has(one.pid)) one.giveUp();
      }
    } catch {
      // Nobody answers: it is asked again, and each statement has its bound.
    } finally {
      this.#isAsking = false;
    }
  }

  /** Those of these processes that work, or have ended so lately that their answer may be on its way. */
  async #stillWorking(pids: number[]): Promise<Set<number>> {
    const client = ownClient(this.address, {
      application_name: 'escapement lost answers',
      connectionTimeoutMillis: ANSWERS_WITHIN_MILLISECONDS,
      query_timeout: ANSWERS_WITHIN_MILLISECONDS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where pid = any($1)
          and (state is null or state = 'active' or state_change > clock_timestamp() - interval '${IDLE_FOR}')`,
        [pids],
      );
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      client.end().catch(() => {});
    }
  }
}
