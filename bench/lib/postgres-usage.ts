import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { childrenOf, cpuMilliseconds, TELLS_USAGE } from './process-usage';

/** What a Postgres of this machine uses: all its processes together. */
export class PostgresUsage {
  private constructor(private readonly postmaster: number) {}

  /** Of the one that is connected to; undefined where it is another machine's, or where this system does not tell. */
  static async of(client: Client): Promise<PostgresUsage | undefined> {
    const { rows } = await client.query('select pg_backend_pid() as id');
    const postmaster = TELLS_USAGE ? parentOf(rows[0].id) : undefined;
    return postmaster === undefined ? undefined : new PostgresUsage(postmaster);
  }

  /** CPU time of the processes that live and of those that have ended. */
  cpuMilliseconds(): number {
    const { rest } = fieldsOf(this.postmaster);
    let sum = cpuMilliseconds(this.postmaster) + (Number(rest[13]) + Number(rest[14])) * 10;
    for (const child of childrenOf(this.postmaster)) {
      try {
        sum += cpuMilliseconds(child);
      } catch {
        // It has just ended, and counts among the ended from now on.
      }
    }
    return sum;
  }
}

/** The parent of a process that is a Postgres. */
function parentOf(processId: number): number | undefined {
  try {
    const { name, rest } = fieldsOf(processId);
    return name.startsWith('postgres') ? Number(rest[1]) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of /proc/<id>/stat from the third on, and the second. */
function fieldsOf(processId: number): { name: string; rest: string[] } {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), rest: stat.slice(end + 2).split(' ') };
}
