import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Bench } from '../../lib/bench';
import { childrenOf, cpuMilliseconds, TELLS_USAGE } from '../../lib/process-usage';

/** What was used in a time, by everybody together. A meter that cannot be read here is missing. */
export type Usage = Partial<Record<Meter, number>>;
export type Meter = Exclude<keyof typeof UNITS, 'history events'>;

export interface UsageOver {
  usage: Usage;
  milliseconds: number;
}

export const UNITS = {
  'Temporal server CPU': 'ms',
  'Postgres CPU': 'ms',
  'trigger CPU': 'ms',
  WAL: 'bytes',
  'history events': '',
} as const;

/** Reads what has been used so far: of the servers that run here, and of a trigger where there is one. */
export class Meters {
  private constructor(
    private readonly bench: Bench,
    private readonly sql: Client,
    private readonly postmaster: number | undefined,
  ) {}

  static async open(bench: Bench): Promise<Meters> {
    const sql = new Client({ connectionString: bench.servers.databaseUrl });
    await sql.connect();
    bench.cleanup.add('closing a connection', () => sql.end());
    const { rows } = await sql.query('select pg_backend_pid() as id');
    return new Meters(bench, sql, TELLS_USAGE ? parentOf(rows[0].id) : undefined);
  }

  /** Make everybody begin with the same pages to write anew; where we may not, they begin as they are. */
  async checkpoint(): Promise<void> {
    await this.sql.query('checkpoint').catch(() => {});
  }

  /** Used while `work` goes on. */
  async over(trigger: number | undefined, work: () => Promise<unknown>): Promise<UsageOver> {
    const before = await this.read(trigger);
    const begunAt = performance.now();
    await work();
    const after = await this.read(trigger);
    const usage = Object.fromEntries(meters(after).map((meter) => [meter, after[meter]! - before[meter]!]));
    return { usage, milliseconds: performance.now() - begunAt };
  }

  private async read(trigger: number | undefined): Promise<Usage> {
    const { temporalProcessId } = this.bench.servers;
    const { rows } = await this.sql.query(`select (pg_current_wal_lsn() - '0/0')::text as bytes`);
    return {
      WAL: Number(rows[0].bytes),
      ...(temporalProcessId !== undefined && { 'Temporal server CPU': cpuMilliseconds(temporalProcessId) }),
      ...(this.postmaster !== undefined && { 'Postgres CPU': familyCpuMilliseconds(this.postmaster) }),
      ...(trigger !== undefined && TELLS_USAGE && { 'trigger CPU': cpuMilliseconds(trigger) }),
    };
  }
}

/** The parent of a process of this machine that is a Postgres; undefined when it is another machine's. */
function parentOf(processId: number): number | undefined {
  try {
    const fields = fieldsOf(processId);
    return fields.name.startsWith('postgres') ? Number(fields.rest[1]) : undefined;
  } catch {
    return undefined;
  }
}

/** CPU time of a process, of its children that live and of those that have ended. */
function familyCpuMilliseconds(processId: number): number {
  const ofEnded = (Number(fieldsOf(processId).rest[13]) + Number(fieldsOf(processId).rest[14])) * 10;
  let sum = cpuMilliseconds(processId) + ofEnded;
  for (const child of childrenOf(processId)) {
    try {
      sum += cpuMilliseconds(child);
    } catch {
      // It has just ended, and counts among the ended from now on.
    }
  }
  return sum;
}

/** The fields of /proc/<id>/stat from the third on, and the second. */
function fieldsOf(processId: number): { name: string; rest: string[] } {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  return { name: stat.slice(stat.indexOf('(') + 1, end), rest: stat.slice(end + 2).split(' ') };
}

/** What was used beyond what the same time at rest uses. */
export function beyondRest(busy: UsageOver, rest: UsageOver): Usage {
  const share = busy.milliseconds / rest.milliseconds;
  return Object.fromEntries(
    meters(busy.usage).map((meter) => [meter, busy.usage[meter]! - share * rest.usage[meter]!]),
  );
}

function meters(usage: Usage): Meter[] {
  return Object.keys(usage) as Meter[];
}
