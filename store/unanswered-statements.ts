import { ownClient } from './own-connections';
import type { PostgresAddress } from './postgres-address';

/** After a statement has waited this long, the server is asked whether it still works on the statement. */
const ASKED_AFTER_MILLISECONDS = 1_000;
const ASKED_EVERY_MILLISECONDS = 500;
const ANSWERS_WITHIN_MILLISECONDS = 1_000;
/**
 * Each question without an answer doubles the pause before the next one, up to this. A slow server may still work on a
 * question after its connection was given up, and has only so many connections.
 */
const LONGEST_PAUSE_MILLISECONDS = 4_000;
/** An answer is expected to take less than this from the server to the client. */
const IDLE_FOR = '1 second';

interface Waiting {
  pid: number;
  since: number;
  giveUp: () => void;
}

/**
 * Finds statements whose answer was lost in transit, as when a network drops a connection. Without this class, the
 * connection of such a statement would wait until its query timeout. A second connection asks the server whether it
 * still runs these statements.
 */
export class UnansweredStatements {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  /** The pause after the last question, if that one got no answer; and until when it lasts, on the monotonic clock. */
  #pause = 0;
  #pausedUntil = 0;

  constructor(private readonly address: PostgresAddress) {}

  /**
   * @param giveUp called if the server no longer runs the statement and no answer has come
   * @returns a function that the caller must call once the statement is answered
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
      this.#pause = 0;
      this.#pausedUntil = 0;
      return;
    }
    const long = [...this.#waiting].filter(({ since }) => performance.now() - since > ASKED_AFTER_MILLISECONDS);
    if (long.length === 0 || this.#isAsking || performance.now() < this.#pausedUntil) return;
    this.#isAsking = true;
    try {
      const working = await this.#stillWorking(long.map(({ pid }) => pid));
      this.#pause = 0;
      for (const one of long) {
        // The statement may have been answered while the server was asked.
        if (this.#waiting.has(one) && !working.has(one.pid)) one.giveUp();
      }
    } catch {
      this.#pause = Math.min(LONGEST_PAUSE_MILLISECONDS, Math.max(ASKED_EVERY_MILLISECONDS, 2 * this.#pause));
      this.#pausedUntil = performance.now() + this.#pause;
    } finally {
      this.#isAsking = false;
    }
  }

  /**
   * Returns the given server processes that may run a statement, or that finished one so recently that its answer may
   * be on its way. A process counts too if the server hides its state, or does not track it (`track_activities`).
   */
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
          and (state is null or state not like 'idle%' or state_change > clock_timestamp() - interval '${IDLE_FOR}')`,
        [pids],
      );
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      client.end().catch(() => {});
    }
  }
}
