import { setTimeout } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { secondsAhead } from '../bench/lib/calendar';
import { listRuns } from '../bench/lib/measure/list-runs';
import { check } from './check/check';
import type { Facts, FiringFact, Violation } from './check/facts';
import { readEffects, readLedger, readMessages } from './check/read-ledger';
import { type KnownRun, readChains } from './check/read-temporal';
import { saveEvidence } from './evidence';
import { Journal } from './journal';
import { NEMESES } from './nemesis';
import { deploy } from './nemesis/deploy';
import { type PlannedFault, triggersAmong } from './nemesis/nemesis';
import type { Plan } from './plan';
import { untilListed, untilSettled } from './settled';
import { type Result, resultOf } from './summary';
import { Turns } from './turns';
import { Asker } from './workload/ask';
import { NAMESPACE } from './workload/definitions';
import type { AtEnd } from './world/at-end';
import type { Program } from './world/program';
import { World } from './world/world';

export interface RunOptions {
  plan: Plan;
  /** The program as it is shipped, or a mutant of it. */
  program: Program;
  /** The file for the log; without it nothing is logged. */
  log?: string | undefined;
  /** The time limit for finishing all work after the faults. */
  settleMilliseconds: number;
  onProgress: (line: string) => void;
}

/** The time between the beginning of the creation of the schedules and the first occurrence. */
const LEAD_SECONDS = 8;
const SUPERVISE_EVERY_MILLISECONDS = 500;
const SETTLE_LETTERS_EVERY_MILLISECONDS = 2_000;
/** How long Temporal's list may lag behind after all work is finished. */
const LISTED_WITHIN_MILLISECONDS = 60_000;

/** Starts the servers and processes, carries out the plan, waits until all work is finished, and checks the result. */
export async function run(options: RunOptions, atEnd: AtEnd): Promise<{ result: Result; facts: Facts }> {
  const { plan, settleMilliseconds, onProgress } = options;
  const world = await World.start(options, atEnd);
  const journal = new Journal(options.log, plan);
  const from = secondsAhead(LEAD_SECONDS);
  const due = { from, to: from + plan.milliseconds };
  const asker = new Asker(world, journal, plan.schedules, due);
  await asker.create();
  journal.write({ line: 'began', at: Date.now(), ...due });
  const background = new Background();
  atEnd(() => background.stop());
  background.repeat(SUPERVISE_EVERY_MILLISECONDS, () => supervise(world, journal));
  background.repeat(SETTLE_LETTERS_EVERY_MILLISECONDS, () => asker.settleLetters());

  onProgress(
    `${plan.schedules.length} schedules are due; ${plan.faults.length} faults and ${plan.asks.length} changes are to come`,
  );
  const turns = new Turns();
  const fault = (planned: PlannedFault) =>
    turns.take(planned.targets, () => doFault(world, journal, planned, onProgress));
  await Promise.all([
    ...plan.asks.map((ask) => at(from + ask.at).then(() => asker.ask(ask))),
    ...plan.faults.map((planned) => at(from + planned.at).then(() => fault(planned))),
    at(due.to),
  ]);
  const since = Date.now();
  onProgress('the faults are over');
  const finished = await untilSettled(world, {
    ...{ since, atMost: settleMilliseconds },
    tell: (left) => journal.note(`left: ${left}`),
  });
  const unlisted = finished === undefined ? 0 : await unlistedEnds(world);
  const facts = await readFacts(world, plan, journal, due);
  const checked = check(facts);
  const settled = unlisted === 0 ? finished : undefined;
  if (settled === undefined) checked.violations.push(notSettled(settleMilliseconds, unlisted));
  for (const violation of checked.violations) journal.write({ line: 'violation', ...violation });
  if (options.log && checked.violations.length > 0) {
    await saveEvidence(world.temporal.address, options.log, facts, checked.violations);
  }
  return { result: resultOf({ plan, checked, facts, faults: journal.faults, settled }), facts };
}

function notSettled(milliseconds: number, unlisted: number): Violation {
  const text =
    unlisted === 0
      ? `not settled ${milliseconds / 1_000} s after the faults`
      : `Temporal does not list the ends of ${unlisted} runs ${LISTED_WITHIN_MILLISECONDS / 1_000} s after all was settled`;
  return { kind: 'never closed', text };
}

async function at(instant: number): Promise<void> {
  await setTimeout(Math.max(0, instant - Date.now()));
}

async function doFault(world: World, journal: Journal, fault: PlannedFault, onProgress: (line: string) => void) {
  const { name, targets, detail } = fault;
  const began = Date.now();
  onProgress(`${name}: ${targets.join(', ')} ${Object.values(detail).join(' ')} for ${fault.milliseconds} ms`);
  const nemesis = NEMESES.find((one) => one.name === name)!;
  const lost = await nemesis.run(world, fault);
  journal.write({ line: 'fault', fault: { name, targets, detail, began, ended: Date.now(), ...(lost && { lost }) } });
}

async function supervise(world: World, journal: Journal): Promise<void> {
  for (const member of world.members) {
    const last = await member.startAgainIfEnded();
    if (last !== undefined) journal.note(`${member.name} had ended: ${last}`);
  }
}

/** How many runs that the ledger names Temporal does not list as ended in time. */
async function unlistedEnds(world: World): Promise<number> {
  const { firings } = await readLedger(world.query.bind(world));
  const connection = await Connection.connect({ address: world.temporal.address });
  try {
    const runIds = knownRuns(firings).map(({ runId }) => runId);
    return await untilListed(() => listRuns(connection, NAMESPACE, ''), runIds, LISTED_WITHIN_MILLISECONDS);
  } finally {
    await connection.close();
  }
}

function knownRuns(firings: FiringFact[]): KnownRun[] {
  return firings.flatMap(({ runId, workflowId }) => (runId && workflowId ? [{ workflowId, runId }] : []));
}

async function readFacts(world: World, plan: Plan, journal: Journal, due: Facts['due']): Promise<Facts> {
  const query = world.query.bind(world);
  const { firings, gaps } = await readLedger(query);
  const connection = await Connection.connect({ address: world.temporal.address });
  try {
    return {
      ...{ schedules: plan.schedules, due, asked: journal.asked, abandoned: journal.abandoned, firings, gaps },
      lost: journal.faults.flatMap(({ lost }) => (lost ? [lost] : [])),
      versionBefore: journal.faults
        .filter(({ name, targets }) => name === deploy.name && triggersAmong(targets).length > 0)
        .map(({ began, ended }) => ({ from: began, to: ended })),
      chains: await readChains(connection, NAMESPACE, knownRuns(firings)),
      effects: await readEffects(query),
      messages: await readMessages(query),
      received: world.webhook.received.map(({ id }) => id),
      secrets: world.secrets,
      logs: [...world.members.map((member) => ({ member: member.name, text: member.log() })), ...world.outputs],
      readAt: Date.now(),
    };
  } finally {
    await connection.close();
  }
}

/** Work that is repeated in the background. Its errors are ignored, since a server may be away. */
class Background {
  #isOver = false;
  readonly #running: Promise<void>[] = [];

  repeat(everyMilliseconds: number, work: () => Promise<void>): void {
    const loop = async () => {
      while (!this.#isOver) {
        await work().catch(() => {});
        await setTimeout(everyMilliseconds);
      }
    };
    this.#running.push(loop());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }
}
