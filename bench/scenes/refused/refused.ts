import { Connection, ScheduleClient } from '@temporalio/client';
import { provideTemporalCluster, SECOND_SCHEDULER } from '../../../provision';
import type { Bench } from '../../lib/bench';
import { secondsAhead, workflowIdAt } from '../../lib/calendar';
import { Child } from '../../lib/child';
import { Ledger } from '../../lib/ledger';
import { ACTION, freshName } from '../../lib/names';
import { check, type Figure, figure } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { startTrigger } from '../../lib/trigger-process';
import { at, inParallel } from '../../lib/wait';
import { Gate } from './gate';
import { type Started, untilQuiet } from './started';

interface Size {
  /** How long starts are refused. */
  minutes: number;
  /** The number of schedules of each contender. */
  schedules: number;
  everySeconds: number;
}

/** The contenders, by namespace of one server. */
const SERIES = { ours: 'Escapement', first: 'native Schedules V1', second: 'native Schedules V2' } as const;
type Namespace = keyof typeof SERIES;
const NAMESPACES = Object.keys(SERIES) as Namespace[];
/** Firings that were given up, each with a letter that somebody can redrive. */
const LETTERS = `state = 'abandoned' and exists (select from escapement.dead_letters l
  where l.schedule_id = firings.schedule_id and l.scheduled_time = firings.scheduled_time)`;
const LEAD_SECONDS = 10;
const CREATIONS_IN_FLIGHT = 8;
/** Occurrences before and after the refusal. */
const AROUND = 2;

const quick: Size = { minutes: 0.1, schedules: 2, everySeconds: 1 };
const title = (duration: string) =>
  `Only StartWorkflowExecution fails, for ${duration}: what became of the occurrences meanwhile, beside native Schedules`;

export const refused = defineScene<Size>({
  ...{ name: 'refused', title: title('6 minutes'), quick, run },
  full: { minutes: 6, schedules: 10, everySeconds: 30 },
});

export const refused65 = defineScene<Size>({
  ...{ name: 'refused-65', title: title('65 minutes'), quick, run },
  full: { minutes: 65, schedules: 10, everySeconds: 30 },
});

async function run(bench: Bench, size: Size) {
  const gate = await Gate.open();
  bench.cleanup.add('closing the gate', () => gate.close());
  const { connection, address } = await startServers(bench, gate);
  const worker = new Child('the worker', [require.resolve('../../lib/worker-main.ts'), address, ...NAMESPACES]);
  bench.cleanup.add('stopping the worker', () => worker.stop());
  await worker.says('worker running');
  const ledger = await Ledger.create(bench.servers.databaseUrl, 'ours');
  bench.cleanup.add('dropping a ledger', () => ledger.drop());
  const trigger = await startTrigger({ databaseUrl: ledger.databaseUrl, address: gate.address });
  bench.cleanup.add('stopping the trigger', () => trigger.stop());

  const every = size.everySeconds * 1_000;
  const from = Math.ceil(secondsAhead(LEAD_SECONDS) / every) * every;
  // In the middle between two occurrences, so that no start is under way.
  const refusedAt = from + (AROUND - 0.5) * every;
  const admittedAt = refusedAt + size.minutes * 60_000;
  const to = Math.floor(admittedAt / every + AROUND) * every;
  const prefix = freshName('refused');
  const scheduleIds = Array.from({ length: size.schedules }, (_, index) => `${prefix}-${index}`);
  const spec = {
    intervals: [{ every: `${size.everySeconds} seconds` as const }],
    ...{ startAt: new Date(from), endAt: new Date(to) },
  };
  const schedule = { spec, action: ACTION, policies: { overlap: 'ALLOW_ALL' as const } };
  for (const namespace of NAMESPACES) {
    const client = namespace === 'ours' ? ledger.client : new ScheduleClient({ connection, namespace });
    await inParallel(size.schedules, CREATIONS_IN_FLIGHT, (index) =>
      client.create({ scheduleId: scheduleIds[index]!, ...schedule }),
    );
  }
  if (Date.now() > from) throw new Error('creating the schedules took too long');

  await at(refusedAt);
  gate.refusesStarts = true;
  bench.progress(`starts are refused for ${size.minutes} minutes`);
  await at(admittedAt);
  gate.refusesStarts = false;
  bench.progress('starts work again');
  await at(to);
  const instants = Array.from({ length: (to - from) / every + 1 }, (_, index) => from + index * every);
  const expected = scheduleIds.flatMap((id) => instants.map((instant) => workflowIdAt(id, instant)));
  const started = await untilQuiet(connection, NAMESPACES, prefix, expected.length);
  const meanwhile = scheduleIds.flatMap((id) =>
    instants.flatMap((time) => (time > refusedAt && time < admittedAt ? [workflowIdAt(id, time)] : [])),
  );
  const ours = started.get('ours')!;
  const completed = await ledger.count(`outcome = 'completed'`);
  // After an hour of refusals a firing is abandoned: see `refusedAtMost`.
  const letters = await ledger.count(LETTERS);
  return {
    figures: NAMESPACES.flatMap((namespace) =>
      figuresOf(SERIES[namespace], started.get(namespace)!, meanwhile, admittedAt),
    ),
    verdicts: [],
    checks: [
      check(
        'starts of each contender were refused',
        NAMESPACES.every((namespace) => gate.refused.has(namespace)),
      ),
      check(
        'each firing is in the ledger, and either completed and once in Temporal, or a dead letter',
        completed + letters === expected.length && ours.length === completed && missing(ours, expected) === letters,
        `${expected.length} expected, ${completed} completed, ${ours.length} workflows, ${letters} dead letters`,
      ),
    ],
    notes: [
      'All share one server and one fault: a proxy before its frontend answers each such call with UNAVAILABLE.',
      `Start calls refused: ${NAMESPACES.map((namespace) => `${SERIES[namespace]} ${gate.refused.get(namespace) ?? 0}`).join(', ')}.`,
      `Outside of the refusal never ran: ${NAMESPACES.map((namespace) => `${SERIES[namespace]} ${missing(started.get(namespace)!, expected) - missing(started.get(namespace)!, meanwhile)}`).join(', ')}.`,
    ],
    plots: [],
  };
}

async function startServers({ servers, cleanup, progress }: Bench, gate: Gate) {
  const server = await provideTemporalCluster({
    ...{ databaseUrl: servers.databaseUrl, namespaces: NAMESPACES, onProgress: progress },
    dynamicConfig: Object.fromEntries(
      Object.entries(SECOND_SCHEDULER).map(([key, value]) => [key, [{ namespace: 'second', value }]]),
    ),
    proxy(frontend) {
      gate.leadTo(frontend);
      return gate.address;
    },
  });
  cleanup.add('stopping Temporal', () => server.stop());
  const connection = await Connection.connect({ address: server.address });
  cleanup.add('closing a connection to Temporal', () => connection.close());
  return { connection, address: server.address };
}

function figuresOf(series: string, started: Started[], meanwhile: string[], admittedAt: number): Figure[] {
  const lost = missing(started, meanwhile);
  const due = new Set(meanwhile);
  const last = Math.max(0, ...started.flatMap(({ workflowId, at }) => (due.has(workflowId) ? [at - admittedAt] : [])));
  return [
    figure(series, 'due meanwhile', 'firings', [meanwhile.length]),
    figure(series, 'ran', 'firings', [meanwhile.length - lost]),
    figure(series, 'never ran', 'firings', [lost]),
    figure(series, 'last start after the refusal', 's', [last / 1_000]),
  ];
}

function missing(started: Started[], expected: string[]): number {
  const ids = new Set(started.map(({ workflowId }) => workflowId));
  return expected.filter((workflowId) => !ids.has(workflowId)).length;
}
