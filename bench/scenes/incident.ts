import type { Bench } from '../lib/bench';
import { type Incident, writeIncident } from '../lib/fill/incident';
import type { Ledger } from '../lib/ledger';
import { countWorkflows } from '../lib/measure/histories';
import { ACTION } from '../lib/names';
import { check, figure, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { seconds, settledCount, until } from '../lib/wait';

interface Size {
  schedules: number;
  /** The number of dead letters of each schedule. */
  each: number;
  /** How many times as many settled letters as open ones there are. */
  settled: number;
  /** How often the letters are grouped and listed. */
  reads: number;
  /** The requested number of redrives per second. */
  perSecond: number;
  /** For how many seconds redrives are counted. */
  seconds: number;
}

/** The command's default page size. */
const LISTED = 50;
const READ_AT_MOST_MILLISECONDS = 300;

export const incident = defineScene<Size>({
  name: 'incident',
  title:
    'Dead letters of many schedules grouped and listed, and redriven at a rate by two triggers, beside what is asked for',
  full: { schedules: 40, each: 250, settled: 10, reads: 20, perSecond: 20, seconds: 60 },
  quick: { schedules: 4, each: 10, settled: 1, reads: 2, perSecond: 1, seconds: 5 },

  async run(bench, size) {
    await bench.worker();
    return bench.withLedger(async (ledger) => {
      const written = await writeLetters(ledger, size);
      const groups = await timed(size.reads, () => ledger.client.deadLetters.groups());
      const page = await timed(size.reads, () => list(ledger, LISTED));
      const all = await timed(size.reads, () => list(ledger, Number.POSITIVE_INFINITY));
      const redriven = await redriveAll(bench, ledger, size);
      const letters = `${written.letters} open letters`;
      const bar = { atMost: READ_AT_MOST_MILLISECONDS, every: true } as const;
      return {
        figures: [
          figure(letters, 'grouped', 'ms', groups),
          figure(letters, `the newest ${LISTED} listed`, 'ms', page),
          figure(letters, 'all listed', 'ms', all),
          figure('two triggers', 'redriven', '/s', [redriven.perSecond]),
        ],
        verdicts: [
          verdict('grouped', 'ms', groups, bar),
          verdict(`the newest ${LISTED} listed`, 'ms', page, bar),
          verdict('redriven a second, of what is asked for', '×', [redriven.perSecond / size.perSecond], {
            atLeast: 0.9,
          }),
        ],
        checks: await checksOf(bench, ledger, written),
        notes: [
          `Beside them ${written.letters * size.settled} settled letters. All are to be redriven by restart, which is counted for ${size.seconds} s.`,
        ],
        plots: [],
      };
    });
  },
});

/** Writes the open letters of one night, and the settled letters of earlier nights. */
async function writeLetters(ledger: Ledger, { schedules, each, settled }: Size): Promise<Incident> {
  const today = new Date();
  const from = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1));
  const written = await writeIncident(ledger, { schedules, each, from, action: ACTION });
  await ledger.query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, failed_step,
      redrive, created_at, updated_at)
    select gen_random_uuid(), schedule_id, scheduled_time - n * interval '1 day', 0, kind, 'resolved', reason, namespace, failed_step,
      jsonb_build_object('mode', 'restart', 'carriedOutAt', updated_at - n * interval '1 day'),
      created_at - n * interval '1 day', updated_at - n * interval '1 day' from escapement.letters, generate_series(1, $1) n`,
    [settled],
  );
  await ledger.query('vacuum analyze escapement.letters');
  await ledger.query('vacuum analyze escapement.firings');
  return written;
}

async function list(ledger: Ledger, count: number): Promise<void> {
  let left = count;
  for await (const _ of ledger.client.deadLetters.list({ state: 'open', pageSize: Math.min(count, 1_000) })) {
    left -= 1;
    if (left === 0) return;
  }
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < times; index++) {
    const begun = performance.now();
    await work();
    taken.push(performance.now() - begun);
  }
  return taken;
}

/**
 * Counts how many redrives are carried out within this many seconds, after all were requested. Then withdraws the other
 * requests, and waits until what was redriven has ended.
 */
async function redriveAll(bench: Bench, ledger: Ledger, size: Size): Promise<{ perSecond: number }> {
  const { databaseUrl } = ledger;
  const start = () => startMeasuredTrigger({ databaseUrl, address: bench.servers.address });
  return bench.during(await start(), async () =>
    bench.during(await start(), async () => {
      bench.progress(`asking for all at ${size.perSecond} a second`);
      await ledger.client.deadLetters.redriveAll({ state: 'open' }, { mode: 'restart', perSecond: size.perSecond });
      const from = new Date();
      await seconds(size.seconds);
      const [row] = await ledger.query<{ letters: number }>(
        `select count(*)::int as letters from escapement.letters where (redrive ->> 'carriedOutAt')::timestamptz > $1`,
        [from],
      );
      const perSecond = (row!.letters / (Date.now() - from.getTime())) * 1_000;
      await ledger.query(`update escapement.letters set redrive = redrive - 'lookAt' where redrive ? 'lookAt'`);
      const open = () => ledger.count(`state in ('buffered', 'claimed', 'linked')`);
      await until('the redriven firings to end', async () => (await open()) === 0);
      return { perSecond };
    }),
  );
}

export async function checksOf(
  { connection, servers }: Pick<Bench, 'connection' | 'servers'>,
  ledger: Ledger,
  { prefix, letters, scheduleIds }: Incident,
) {
  const inTurn = [...scheduleIds.SKIP, ...scheduleIds.BUFFER_ALL];
  const beside = await ledger.query(
    `select from (
      select f.linked_at as begun, lag(coalesce(f.closed_at, 'infinity')) over (partition by schedule_id order by f.linked_at) as ended
      from escapement.firings f where epoch = 1 and schedule_id = any($1)) x where begun < ended`,
    [inTurn],
  );
  const [row] = await ledger.query<{ again: number; left: number; said: number }>(
    `select (count(*) filter (where epoch = 1 and state = 'closed'))::int as again, (count(*) filter (where epoch = 0))::int as left,
      (select count(*)::int from escapement.letters where redrive ? 'carriedOutAt' and redrive ? 'requestId') as said
    from escapement.firings`,
  );
  const { again, left, said } = row!;
  const workflows = await settledCount(() =>
    countWorkflows(connection, servers.namespace, `WorkflowId STARTS_WITH '${prefix}-'`),
  );
  return [
    check(
      'each that was redriven ran again once, and no other',
      again === said && again === workflows && again + left === letters,
      `${again} ran again, ${left} wait, ${said} letters say so, ${workflows} workflows`,
    ),
    check(
      'no two of a schedule at once, but under ALLOW_ALL',
      beside.length === 0,
      `${beside.length} begun beside another`,
    ),
  ];
}
