import { ScheduleClient } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { secondsAhead, workflowIdAt } from '../../lib/calendar';
import { eachSecond, loadEachSecond } from '../../lib/fill/load';
import { startAll, startedIds } from '../../lib/fill/starts';
import { allClosed } from '../../lib/measure/closed';
import { allCompleted, historyLength } from '../../lib/measure/histories';
import { ACTION, freshName } from '../../lib/names';
import type { NativeNamespace } from '../../lib/servers';
import { settle } from '../../lib/settle';
import { startTrigger } from '../../lib/trigger-process';
import { type Account, takeAccount } from '../../lib/usage/account';
import { at, inParallel } from '../../lib/wait';
import { beyondRest, type Meters, type Usage } from './meters';

export interface CostSize {
  /** The number of schedules that fire each second during the load. */
  schedules: number;
  forSeconds: number;
  /** How long the warm-up takes, which is not measured. */
  warmUpSeconds: number;
  /** How long the idle measurement before the load takes. */
  restSeconds: number;
  rounds: number;
}

/** The resources that a contender uses per firing. */
export interface Cost extends Usage {
  'history events': number;
}

export interface Contender {
  series: string;
  /** Measures the cost per firing. The usage is measured only during the steady load. */
  measure(): Promise<Cost>;
}

export function ours(bench: Bench, meters: Meters, size: CostSize, accounts: Account[]): Contender {
  const { address, namespace } = bench.servers;
  return {
    series: 'Escapement',
    measure: () =>
      bench.withLedger(async (ledger) =>
        bench.during(await startTrigger({ databaseUrl: ledger.databaseUrl, address }), async ({ processId }) => {
          const { schedules, forSeconds } = size;
          const expected = schedules * forSeconds;
          const load = await loadEachSecond(ledger, { schedules, forSeconds, leadSeconds: leadSecondsOf(size) });
          const used = await underLoad(bench, meters, size, load.from, processId);
          await allClosed(ledger, load.prefix, expected);
          accounts.push(await takeAccount(bench, ledger, { prefix: load.prefix, expected }));
          const workflowId = workflowIdAt(load.scheduleIds[0]!, load.from);
          return { ...used, 'history events': await historyLength(bench.connection, namespace, workflowId) };
        }),
      ),
  };
}

export function native(bench: Bench, meters: Meters, size: CostSize, rival: NativeNamespace): Contender {
  const { connection } = bench;
  const { series, namespace, isWorkflow } = rival;
  const client = new ScheduleClient({ connection, namespace });
  const inAll = (work: (index: number) => Promise<unknown>) => inParallel(size.schedules, 8, work);
  return {
    series,
    async measure() {
      const prefix = freshName('native');
      const scheduleIds = Array.from({ length: size.schedules }, (_, index) => `${prefix}-${index}`);
      const from = secondsAhead(leadSecondsOf(size));
      const to = from + (size.forSeconds - 1) * 1_000;
      await inAll((index) =>
        client.create({
          scheduleId: scheduleIds[index]!,
          spec: eachSecond(from, to),
          action: ACTION,
          policies: { overlap: 'ALLOW_ALL' },
        }),
      );
      // In the second scheduler, a schedule is not a workflow and has no history.
      const eventsOfSchedules = async () => {
        if (!isWorkflow) return 0;
        const lengths = scheduleIds.map((id) => historyLength(connection, namespace, `temporal-sys-scheduler:${id}`));
        return (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
      };
      const before = await eventsOfSchedules();
      const used = await underLoad(bench, meters, size, from);
      const count = size.schedules * size.forSeconds;
      await allCompleted(connection, { namespace, prefix, count });
      const ofSchedules = (await eventsOfSchedules()) - before;
      const ofWorkflow = await historyLength(connection, namespace, workflowIdAt(scheduleIds[0]!, from));
      await inAll((index) => client.getHandle(scheduleIds[index]!).delete());
      return { ...used, 'history events': ofWorkflow + ofSchedules / count };
    },
  };
}

/** The contender that starts the same workflows by a plain loop at the same pace. */
export function bare(bench: Bench, meters: Meters, size: CostSize): Contender {
  const { connection, servers } = bench;
  const { namespace } = servers;
  return {
    series: 'bare starts',
    async measure() {
      const prefix = freshName('paced');
      const from = secondsAhead(leadSecondsOf(size));
      const pace = async () => {
        for (let second = 0; second < size.forSeconds; second++) {
          await at(from + second * 1_000);
          await startAll(connection, { namespace, prefix: `${prefix}-${second}`, count: size.schedules, inFlight: 32 });
        }
      };
      const [used] = await Promise.all([underLoad(bench, meters, size, from, process.pid), pace()]);
      await allCompleted(connection, { namespace, prefix, count: size.schedules * size.forSeconds });
      const workflowId = startedIds({ prefix: `${prefix}-0`, count: 1 })[0]!;
      return { ...used, 'history events': await historyLength(connection, namespace, workflowId) };
    },
  };
}

/** The time in which new work settles and a checkpoint is made. */
const SLACK_SECONDS = 5;
const CREATIONS_PER_SECOND = 5;

/**
 * The time between the creation of the schedules and the load. It is equal for all contenders, so that each finds the
 * servers in the same state.
 */
function leadSecondsOf({ restSeconds, schedules }: CostSize): number {
  return restSeconds + schedules / CREATIONS_PER_SECOND + 3 * SLACK_SECONDS;
}

/**
 * The usage per firing in a load that begins at `from`, minus the usage of the idle time before it.
 *
 * @param caller ID of the process that calls start, unless that is the server
 */
async function underLoad(bench: Bench, meters: Meters, size: CostSize, from: number, caller?: number): Promise<Usage> {
  await settle(bench.servers, 1);
  const restEnds = from - 500;
  const restBegins = restEnds - size.restSeconds * 1_000;
  await at(restBegins - SLACK_SECONDS * 1_000);
  await meters.checkpoint();
  if (Date.now() > restBegins) throw new Error('the servers came to rest too late: nothing could be measured');
  await at(restBegins);
  const rest = await meters.over(caller, () => at(restEnds));
  const end = from + size.forSeconds * 1_000 - 500;
  const begin = from + size.warmUpSeconds * 1_000 - 500;
  await at(begin);
  const busy = await meters.over(caller, () => at(end));
  const firings = size.schedules * (size.forSeconds - size.warmUpSeconds);
  return perFiring(beyondRest(busy, rest), firings);
}

function perFiring(usage: Usage, firings: number): Usage {
  return Object.fromEntries(Object.entries(usage).map(([meter, value]) => [meter, value / firings]));
}
