import type { Bench } from '../../lib/bench';
import { secondsAhead, workflowIdAt } from '../../lib/calendar';
import { Ledger } from '../../lib/ledger';
import { firstTaskTime } from '../../lib/measure/histories';
import { freshName } from '../../lib/names';
import { check, type Figure } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { runsWhenQuiet } from '../../lib/schedulers/runs-when-quiet';
import { createForEach, NAMESPACES, SCHEDULERS, startSchedulers } from '../../lib/schedulers/schedulers';
import { NATIVE_CAP_LIFTED } from '../../lib/servers';
import { eachOnce } from '../../lib/usage/account';
import { at } from '../../lib/wait';
import { figuresOf } from './figures';
import { type Kills, killAgainAndAgain, type Outage } from './nemesis';
import { type Outcome, outcomesOf } from './outcomes';
import { Processes } from './processes';
import { recordedAsNotRun } from './recorded';

interface Size {
  /** The number of schedules of each scheduler. */
  schedules: number;
  everySeconds: number;
  /** How long nothing is killed before the first kill, and between the two kinds of kills. */
  quietSeconds: number;
  /** Kills of the Temporal server and of the trigger, both at once. */
  server: Kills;
  worker: Kills;
}

const LEAD_SECONDS = 12;
const CATCHUP_WINDOW = '1 hour';

export const killed = defineScene<Size>({
  name: 'killed',
  title:
    'The Temporal server is killed six times, then the worker: what became of the occurrences, beside native Schedules',
  full: {
    ...{ schedules: 10, everySeconds: 5, quietSeconds: 20 },
    server: { count: 6, everySeconds: 40, awaySeconds: [10, 20] },
    worker: { count: 3, everySeconds: 25, awaySeconds: [3, 8] },
  },
  quick: {
    ...{ schedules: 2, everySeconds: 1, quietSeconds: 2 },
    server: { count: 1, everySeconds: 10, awaySeconds: [1, 2] },
    worker: { count: 1, everySeconds: 5, awaySeconds: [1, 2] },
  },
  run,
});

async function run(bench: Bench, size: Size) {
  const { server, connection } = await startSchedulers(bench, { dynamicConfig: NATIVE_CAP_LIFTED });
  const ledger = await Ledger.create(bench.servers.databaseUrl, 'ours');
  bench.cleanup.add('dropping a ledger', () => ledger.drop());
  const processes = new Processes(bench.cleanup, server, ledger.databaseUrl);
  await processes.startWorker();
  await processes.startTrigger();

  const { everySeconds, quietSeconds } = size;
  const every = everySeconds * 1_000;
  const from = Math.ceil(secondsAhead(LEAD_SECONDS) / every) * every;
  const serverFrom = from + quietSeconds * 1_000;
  const serverTo = serverFrom + size.server.count * size.server.everySeconds * 1_000;
  const workerFrom = serverTo + quietSeconds * 1_000;
  const to = Math.floor((workerFrom + size.worker.count * size.worker.everySeconds * 1_000) / every) * every;
  const prefix = freshName('killed');
  const scheduleIds = Array.from({ length: size.schedules }, (_, index) => `${prefix}-${index}`);
  await createForEach(connection, ledger, { scheduleIds, everySeconds, from, to, catchupWindow: CATCHUP_WINDOW });

  bench.progress('the server is killed, and the trigger with it');
  const withoutServer = await killAgainAndAgain(size.server, serverFrom, {
    kill: () => processes.killServer(),
    startAgain: () => processes.startServerAgain(),
  });
  bench.progress(`the server was away for ${secondsOf(withoutServer)} s; now the worker is killed`);
  const withoutWorker = await killAgainAndAgain(size.worker, workerFrom, {
    kill: () => processes.killWorker(),
    startAgain: () => processes.startWorker(),
  });
  bench.progress(`the worker was away for ${secondsOf(withoutWorker)} s`);
  await at(to);

  const instants = Array.from({ length: (to - from) / every + 1 }, (_, index) => from + index * every);
  const expected = new Set(scheduleIds.flatMap((id) => instants.map((instant) => workflowIdAt(id, instant))));
  const runs = await runsWhenQuiet(connection, prefix, expected.size);
  bench.progress('reading the histories');
  const border = (serverTo + workerFrom) / 2;
  const figures: Figure[] = [];
  const outcomes: Outcome[] = [];
  for (const namespace of NAMESPACES) {
    const found = await outcomesOf({ scheduleIds, instants }, runs.get(namespace)!, (workflowId) =>
      firstTaskTime(connection, namespace, workflowId),
    );
    outcomes.push(...found);
    const series = SCHEDULERS[namespace];
    figures.push(
      ...figuresOf(
        `${series}, server killed`,
        found.filter(({ time }) => time < border),
        withoutServer,
      ),
      ...figuresOf(
        `${series}, worker killed`,
        found.filter(({ time }) => time >= border),
        withoutWorker,
      ),
    );
  }
  await ledger.untilNoneIsOpen();
  const recorded = await recordedAsNotRun(connection, ledger, scheduleIds);
  const all = [...runs.values()].flat();
  return {
    figures,
    ...{ verdicts: [], plots: [] },
    checks: [
      eachOnce([
        {
          expected: expected.size,
          rows: await ledger.count(),
          completed: await ledger.count(`outcome = 'completed'`),
          executions: runs.get('ours')!.length,
        },
      ]),
      check(
        'each workflow is of an occurrence, and has ended',
        all.every(({ workflowId, closedAt }) => expected.has(workflowId) && closedAt !== undefined),
        `${all.length} workflows`,
      ),
      check(
        'none before its time',
        outcomes.every(({ time, startedAt }) => startedAt === undefined || startedAt >= time),
      ),
    ],
    notes: [
      `${size.schedules} schedules of each scheduler fire every ${everySeconds} s under ALLOW_ALL. All have a catch-up window of ${CATCHUP_WINDOW}, and the native ones no cap on starts a second.`,
      `The trigger is killed together with the server, and started again after it. Both were away for ${secondsOf(withoutServer)} s, until the trigger ran.`,
      `The worker was away for ${secondsOf(withoutWorker)} s.`,
      'Occurrences that never ran do not count in the latest start.',
      `Occurrences that a scheduler itself says it skipped, missed or dropped: ${NAMESPACES.map((namespace) => `${SCHEDULERS[namespace]} ${recorded[namespace]}`).join(', ')}.`,
    ],
  };
}

function secondsOf(outages: Outage[]): string {
  return outages.map((outage) => ((outage.to - outage.from) / 1_000).toFixed(1)).join(', ');
}
