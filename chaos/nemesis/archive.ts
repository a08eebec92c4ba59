import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../bench/lib/wait';
import { run } from '../../provision/run';
import type { PostgresServer } from '../world/postgres-server';
import type { World } from '../world/world';
import type { Nemesis } from './nemesis';

const FIRINGS = 5_000;
/**
 * About how long both commands take together. In this time, and for a while after it, no other fault of Postgres is
 * planned.
 */
const TAKES_MILLISECONDS = 10_000;
/** No file may become larger than 32 KB, as on a disk that is full by then. */
const ON_A_FULL_DISK = ['sh', '-c', 'ulimit -f 64; exec "$0" "$@"'];

/**
 * `escapement archive` with `--drop` writes an old month to a disk that gets full. The command must say so, and drop nothing.
 * Then there is room, and it must archive the month.
 */
export const archive: Nemesis = {
  name: 'full disk',
  weight: 1,
  draw: (random) => ({
    targets: ['postgres'],
    milliseconds: TAKES_MILLISECONDS,
    detail: { month: `${random.between(1990, 2019)}-${String(random.between(1, 12)).padStart(2, '0')}` },
  }),
  async run(world, { detail }) {
    const month = String(detail.month);
    await retire(world.primary, month);
    const folder = await mkdtemp(join(tmpdir(), 'escapement-chaos-archive-'));
    try {
      const file = join(folder, `${month}.firings.ndjson.gz`);
      const full = await archiveInto(world, folder, ON_A_FULL_DISK);
      if (full.code !== 1 || !full.output.includes(`${file} cannot be written: EFBIG`)) throw wrong('full', full);
      const whole = await archiveInto(world, folder, []);
      if (whole.code !== 0 || !isArchived(whole.output, month)) throw wrong('empty', whole);
    } finally {
      await rm(folder, { recursive: true });
    }
    return undefined;
  },
};

/** Makes an old month with firings that have ended, and retires it. */
async function retire(primary: PostgresServer, month: string): Promise<void> {
  const first = `timestamptz '${month}-01 00:00:00Z'`;
  await primary.query(`select escapement.ensure_partition(${first}, true);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
        workflow_id, run_id, claimed_at, linked_at, closed_at)
      select 'archived', t, 'closed', 'completed', 'schedule', 'default', 1, 'archived-' || t, gen_random_uuid(), t, t, t
      from generate_series(${first}, ${first} + ${FIRINGS - 1} * interval '1 minute', '1 minute') t`);
  const isRetired = `select where to_regclass('escapement.firings_${month.replace('-', '')}') is null`;
  await until(`${month} to be retired`, async () => {
    // The call fails while claims hold a lock on the table, so it is repeated. A trigger may retire the month instead.
    await primary.query(`select escapement.retire_partition(${first})`).catch(() => undefined);
    return (await primary.query(isRetired)).length > 0;
  });
}

async function archiveInto({ primary, command, outputs }: World, folder: string, under: string[]) {
  const [program, ...args] = [...under, process.execPath, command, 'archive', folder, '--drop'];
  const ended = await run(program!, args, { environment: { DATABASE_URL: primary.url() } });
  outputs.push({ member: 'archive', text: ended.output });
  return ended;
}

/** Whether the output of the second run says that all firings were archived, and the month was dropped. */
function isArchived(output: string, month: string): boolean {
  const firings = FIRINGS.toLocaleString('en');
  return output.includes(`${month}: ${firings} firings`) && output.includes('written and read back, dropped.');
}

function wrong(disk: string, { code, output }: { code: number; output: string }): Error {
  return new Error(`archive on a disk that is ${disk} ended with ${code}: ${output}`);
}
