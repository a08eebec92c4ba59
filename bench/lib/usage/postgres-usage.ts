import type { Client } from 'pg';
import { childrenOf, cpuMilliseconds, endedChildrenCpuMilliseconds, originOf, TELLS_USAGE } from './process-usage';

/** The CPU usage of a local Postgres, summed over all of its processes. */
export class PostgresUsage {
  private constructor(private readonly postmaster: number) {}

  /**
   * The usage of the Postgres to which `client` is connected; undefined if that Postgres runs on another machine, or if
   * this system does not show the usage of processes.
   */
  static async of(client: Client): Promise<PostgresUsage | undefined> {
    const { rows } = await client.query('select pg_backend_pid() as id');
    const postmaster = TELLS_USAGE ? parentOf(rows[0].id) : undefined;
    return postmaster === undefined ? undefined : new PostgresUsage(postmaster);
  }

  /** CPU time of the live processes and of those that have ended. */
  cpuMilliseconds(): number {
    let sum = cpuMilliseconds(this.postmaster) + endedChildrenCpuMilliseconds(this.postmaster);
    for (const child of childrenOf(this.postmaster)) {
      try {
        sum += cpuMilliseconds(child);
      } catch {
        // The process has just ended. The next call finds its time among that of the ended processes.
      }
    }
    return sum;
  }
}

/**
 * The CPU time that the sessions in one database have used since the first read. For a session that has ended, only the
 * time up to its last read counts.
 */
export class SessionUsage {
  readonly #sessions = new Map<number, { since: number; until: number }>();
  #isRead = false;

  private constructor(
    private readonly client: Client,
    private readonly database: string,
  ) {}

  /**
   * Returns undefined if Postgres runs on another machine, or if this system does not show the usage of processes.
   * @param client a connection to another database
   */
  static async of(client: Client, database: string): Promise<SessionUsage | undefined> {
    return (await PostgresUsage.of(client)) && new SessionUsage(client, database);
  }

  /** @returns the CPU time so far, in milliseconds */
  async read(): Promise<number> {
    const { rows } = await this.client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [this.database],
    );
    for (const { pid } of rows) {
      try {
        const used = cpuMilliseconds(pid);
        const session = this.#sessions.get(pid) ?? { since: this.#isRead ? 0 : used, until: used };
        this.#sessions.set(pid, { ...session, until: used });
      } catch {
        // The session has just ended.
      }
    }
    this.#isRead = true;
    return [...this.#sessions.values()].reduce((sum, { since, until }) => sum + until - since, 0);
  }
}

/** The Postgres process that is the parent of another one. */
function parentOf(processId: number): number | undefined {
  try {
    const { name, parent } = originOf(processId);
    return name.startsWith('postgres') ? parent : undefined;
  } catch {
    return undefined;
  }
}
