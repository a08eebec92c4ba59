import type { Bench } from '../../lib/bench';
import { secondsAhead, workflowIdAt } from '../../lib/calendar';
import { Ledger } from '../../lib/ledger';
import { freshName } from '../../lib/names';
import { check, type Figure, figure } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { type Run, runsWhenQuiet } from '../../lib/schedulers/runs-when-quiet';
import { createForEach, NAMESPACES, SCHEDULERS, startSchedulers, startWorker } from '../../lib/schedulers/schedulers';
import { startTrigger } from '../../lib/trigger-process';
import { at } from '../../lib/wait';
import { Gate } from './gate';

interface Size {
  /** How long starts are refused. */
  minutes: number;
  /** The number of schedules of each contender. */
  schedules: number;
  everySeconds: number;
}

/** Firings that were given up, each with a letter that somebody can redrive. */
const LETTERS = `state = 'abandoned' and exists (select from escapement.dead_letters l
  where l.schedule_id = firings.schedule_id and l.scheduled_time = firings.scheduled_time)`;
const LEAD_SECONDS = 10;
/** The number of occurrences before the refusal, and after it. */
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
  const { server, connection } = await startSchedulers(bench, {
    proxy(frontend) {
      gate.leadTo(frontend);
      return gate.address;
    },
  });
  await startWorker(bench.cleanup, server.address);
  const ledger = await Ledger.create(bench.servers.databaseUrl, 'ours');
  bench.cleanup.add('dropping a ledger', () => ledger.drop());
  const trigger = await startTrigger({ databaseUrl: ledger.databaseUrl, address: gate.address });
  bench.cleanup.add('stopping the trigger', () => trigger.stop());

  const every = size.everySeconds * 1_000;
  const from = Math.ceil(secondsAhead(LEAD_SECONDS) / every) * every;
  // Starts are refused from halfway between two occurrences on, when no start is under way.
  const refusedAt = from + (AROUND - 0.5) * every;
  const admittedAt = refusedAt + size.minutes * 60_000;
  const to = Math.floor(admittedAt / every + AROUND) * every;
  const prefix = freshName('refused');
  const scheduleIds = Array.from({ length: size.schedules }, (_, index) => `${prefix}-${index}`);
  await createForEach(connection, ledger, { scheduleIds, everySeconds: size.everySeconds, from, to });

  await at(refusedAt);
  gate.refusesStarts = true;
  bench.progress(`starts are refused for ${size.minutes} minutes`);
  await at(admittedAt);
  gate.refusesStarts = false;
  bench.progress('starts work again');
  await at(to);
  const instants = Array.from({ length: (to - from) / every + 1 }, (_, index) => from + index * every);
  const expected = scheduleIds.flatMap((id) => instants.map((instant) => workflowIdAt(id, instant)));
  const started = await runsWhenQuiet(connection, prefix, expected.length);
  const meanwhile = scheduleIds.flatMap((id) =>
    instants.flatMap((time) => (time > refusedAt && time < admittedAt ? [workflowIdAt(id, time)] : [])),
  );
  const ours = started.get('ours')!;
  await ledger.untilNoneIsOpen();
  const completed = await ledger.count(`outcome = 'completed'`);
  // After an hour of refusals a firing is abandoned: see `refusedAtMost`.
  const letters = await ledger.count(LETTERS);
  return {
    figures: NAMESPACES.flatMap((namespace) =>
      figuresOf(SCHEDULERS[namespace], started.get(namespace)!, meanwhile, admittedAt),
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
      `Start calls refused: ${NAMESPACES.map((namespace) => `${SCHEDULERS[namespace]} ${gate.refused.get(namespace) ?? 0}`).join(', ')}.`,
      `Outside of the refusal never ran: ${NAMESPACES.map((namespace) => `${SCHEDULERS[namespace]} ${missing(started.get(namespace)!, expected) - missing(started.get(namespace)!, meanwhile)}`).join(', ')}.`,
      '"Never ran" means not within two minutes in which no further workflow ended.',
    ],
    plots: [],
  };
}

function figuresOf(series: string, started: Run[], meanwhile: string[], admittedAt: number): Figure[] {
  const lost = missing(started, meanwhile);
  const due = new Set(meanwhile);
  const last = Math.max(
    0,
    ...started.flatMap(({ workflowId, startedAt }) => (due.has(workflowId) ? [startedAt - admittedAt] : [])),
  );
  return [
    figure(series, 'due meanwhile', 'firings', [meanwhile.length]),
    figure(series, 'ran', 'firings', [meanwhile.length - lost]),
    figure(series, 'never ran', 'firings', [lost]),
    figure(series, 'last start after the refusal', 's', [last / 1_000]),
  ];
}

function missing(started: Run[], expected: string[]): number {
  const ids = new Set(started.map(({ workflowId }) => workflowId));
  return expected.filter((workflowId) => !ids.has(workflowId)).length;
}
