import type { FiringOutcome } from '../../core/firing';
import {
  CannotRestoreError,
  DeadLetterStateError,
  ExclusionError,
  RedriveModeError,
  RunAgainError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
} from '../../index';
import type { Command, Task } from './commands';
import { scheduleOptions, UNREGISTERED } from './setup';
import { PASSES, type TracedSchedule, type World } from './world';

/** Execute one step. */
export async function carryOut(world: World, step: Command): Promise<void> {
  switch (step.do) {
    case 'nothing':
      return;
    case 'advance':
      return world.advance(step.milliseconds);
    case 'advance periods':
      return world.advance(step.periods * world.schedule(0).setup.everySeconds * 1_000);
    case 'run before': {
      const { model } = world.schedule(0);
      const next = model.next(world.clock.now() + step.milliseconds);
      await world.advance(next - step.milliseconds - world.clock.now());
      return runTask(world, step.task);
    }
    case 'run':
      return runTask(world, step.task);
    case 'die': {
      processOf(world, step.task).dieAfter(step.after, step.when);
      return world.survive(() => runTask(world, step.task));
    }
    case 'interleave': {
      const [one, other] = step.tasks;
      if (step.periods) await world.advance(step.periods * world.schedule(0).setup.everySeconds * 1_000);
      if (processOf(world, one) === processOf(world, other)) return;
      return world.interleave(
        step.tasks.map((task) => ({ process: processOf(world, task), run: () => runTask(world, task) })),
        step.order,
      );
    }
    case 'mishap':
      return world.network.expect(step.mishap);
    case 'land':
      return world.network.land();
    case 'away':
      world.double.isAway = step.away;
      return;
    case 'register namespace':
      return world.double.registerNamespace(UNREGISTERED);
    case 'end':
      return endChain(world, step.chain, step.outcome);
    case 'go on': {
      const running = pick(runningOn(world), step.chain);
      if (running) world.double.continueAsNew(running.namespace, running.workflowId);
      return;
    }
    case 'park': {
      const running = pick(runningOn(world), step.chain);
      if (running && !world.double.isAway) await world.park(running);
      return;
    }
    case 'reset': {
      // A person takes more than a millisecond.
      const ended = pick(
        world.double.chains().filter((chain) => world.double.knows(chain) && chain.endsAt < world.clock.now()),
        step.chain,
      );
      if (!ended) return;
      world.double.resetChain(ended.namespace, ended.workflowId, { takes: Number.POSITIVE_INFINITY });
      world.reset.add(ended);
      world.beyondPolicy.add(ended);
    }
  }
}

function processOf(world: World, task: Task) {
  return 'trigger' in task ? world.trigger(task.trigger).process : world.clientProcess;
}

async function runTask(world: World, task: Task): Promise<void> {
  if ('trigger' in task) return world.run(task.trigger, task.pass === 'all' ? PASSES : [task.pass]);
  if (!('schedule' in task)) return changeLetters(world, task);
  const schedule = world.schedule(task.schedule);
  world.changed(schedule.scheduleId, task.change);
  try {
    await change(world, schedule, task);
  } catch (error) {
    const refused = error instanceof (task.change === 'create' ? ScheduleAlreadyRunning : ScheduleNotFoundError);
    if (!refused || schedule.model.deleted === (task.change === 'create')) throw error;
  }
}

async function change(
  world: World,
  schedule: TracedSchedule,
  task: Extract<Task, { schedule: number }>,
): Promise<void> {
  const { scheduleId, workflowType, setup, model } = schedule;
  const handle = world.client.getHandle(scheduleId);
  switch (task.change) {
    case 'pause':
      return void (await handle.pause());
    case 'unpause':
      return handle.unpause();
    case 'trigger':
      return void (await handle.trigger(task.overlap));
    case 'delete':
      return void (await handle.delete());
    case 'create':
      return void (await world.client.create(scheduleOptions(scheduleId, workflowType, setup)));
    case 'update':
      return update(world, schedule, task.to);
    case 'backfill': {
      const { every } = model.era;
      const end = world.clock.now() - task.from * every;
      const start = end - task.periods * every;
      const range = { start: new Date(start), end: new Date(end) };
      const { occurrences } = await handle.backfill(task.overlap ? { ...range, overlap: task.overlap } : range);
      const expected = model.presentCount(start, end);
      if (occurrences !== expected) throw new Error(`backfill found ${occurrences} occurrences of ${expected}`);
      return;
    }
    case 'run again':
      return runAgain(world, schedule, task);
    case 'exclude':
      return exempt(world, schedule, task.change, timeAhead(world, schedule, task.ahead));
    case 'include': {
      const excluded = world.seen.firings.filter((row) => row.schedule_id === scheduleId && row.reason === 'excluded');
      const { scheduled_time } = pick(excluded, task.ahead + 1) ?? {};
      const time = scheduled_time === undefined ? timeAhead(world, schedule, task.ahead) : new Date(scheduled_time);
      return exempt(world, schedule, task.change, time);
    }
  }
}

async function update(
  world: World,
  schedule: TracedSchedule,
  to: Extract<Task, { change: 'update' }>['to'],
): Promise<void> {
  const { everySeconds = schedule.setup.everySeconds, remainingActions, mended, ...policies } = to;
  const as = everySeconds === schedule.setup.everySeconds ? schedule.setup.as : 'intervals';
  const wanted = { ...schedule.setup, everySeconds, as, policies: { ...schedule.setup.policies, ...policies } };
  // A schedule keeps its namespace.
  if (mended && wanted.refused === 'searchAttribute') delete wanted.refused;
  schedule.wanted = wanted;
  const options = scheduleOptions(schedule.scheduleId, schedule.workflowType, wanted);
  await world.client.getHandle(schedule.scheduleId).update(({ state, action }) => ({
    spec: options.spec,
    action: mended ? options.action : action,
    policies: options.policies!,
    state: remainingActions === undefined ? state : { ...state, remainingActions },
  }));
}

/** A finished firing can be run again. If it may already have done its work, a confirmation is required. */
async function runAgain(
  world: World,
  { scheduleId }: TracedSchedule,
  { firing: index, confirm, overlap }: Extract<Task, { change: 'run again' }>,
): Promise<void> {
  const of = <Row extends { schedule_id: string }>(rows: Row[]) => rows.filter((row) => row.schedule_id === scheduleId);
  const firings = of(world.seen.firings);
  const gaps = of(world.seen.gaps).map(({ from_time }) => ({ scheduled_time: from_time }));
  const time = pick([...firings, ...gaps], index)?.scheduled_time;
  if (time === undefined) return;
  const state = firings.find(({ scheduled_time }) => scheduled_time === time)?.state;
  const options = { confirm, ...(overlap === undefined ? {} : { overlap }) };
  try {
    await world.client.getHandle(scheduleId).runAgain(new Date(time), options);
  } catch (error) {
    if (!(error instanceof RunAgainError)) throw error;
    const isOpen = state === 'buffered' || state === 'claimed' || state === 'linked';
    const expected = { under_way: isOpen, needs_confirmation: !confirm, not_yet: state === 'skipped' };
    const isExpected = expected[error.problem as keyof typeof expected] ?? false;
    // It may have changed meanwhile, if a pass runs in parallel.
    if (!isExpected && !world.interleaved) throw error;
  }
}

/** If a letter has changed meanwhile, or cannot be changed in this way, a typed error says so. */
async function changeLetters(
  world: World,
  task: Extract<Task, { letter: number } | { letters: string }>,
): Promise<void> {
  const { deadLetters } = world.client;
  const force = task.force ?? false;
  world.discarding ||= 'letters' in task ? task.letters === 'discard' : task.change === 'discard';
  if ('letters' in task) {
    const filter = { state: 'open' as const };
    if (task.letters === 'discard') await deadLetters.discardAll(filter, { note: 'trace' });
    else await deadLetters.redriveAll(filter, task.letters === 'restart' ? { mode: 'restart' } : { force });
    return;
  }
  const chosen = pick(world.seen.letters, task.letter);
  if (!chosen) return;
  const { letter_id: letterId, kind } = chosen;
  try {
    if (task.change === 'discard') await deadLetters.discard(letterId, { note: 'trace' });
    else if (task.change === 'complete') await deadLetters.complete(letterId, { ok: true });
    else if (task.change === 'restore') await deadLetters.restore(letterId);
    else await deadLetters.redrive(letterId, kind === 'workflow' ? { mode: task.change, force } : {});
  } catch (error) {
    const isRefusal = [DeadLetterStateError, RedriveModeError, CannotRestoreError].some((one) => error instanceof one);
    if (!isRefusal) throw error;
  }
}

/** Only future times can be excluded, and only excluded future times can be included. */
async function exempt(
  world: World,
  { scheduleId, model }: TracedSchedule,
  change: 'exclude' | 'include',
  time: Date,
): Promise<void> {
  const isExcluded = world.seen.firings.some(
    (row) => row.schedule_id === scheduleId && row.scheduled_time === time.getTime() && row.reason === 'excluded',
  );
  const { answered_to = 0 } = world.seen.schedules.find((row) => row.schedule_id === scheduleId) ?? {};
  const isAhead = time.getTime() > Math.max(world.clock.now(), answered_to);
  // Excluding what was excluded does nothing, whenever.
  const isPossible = !model.deleted && (change === 'include' ? isExcluded && isAhead : isExcluded || isAhead);
  try {
    await world.client.getHandle(scheduleId)[change](time);
  } catch (error) {
    // If a pass runs in parallel, it may have been handed over ahead.
    if (!(error instanceof ExclusionError) || (isPossible && !world.interleaved)) throw error;
    return;
  }
  if (!isPossible && !world.interleaved) throw new Error(`${change} of ${time.toISOString()} was not refused`);
}

function timeAhead(world: World, { model }: TracedSchedule, ahead: number): Date {
  return new Date(model.next(world.clock.now()) + ahead * model.era.every);
}

/** Running chains that nothing ends by itself, without a parked step. */
function runningOn({ double, clock }: World) {
  return double
    .running()
    .filter(
      (chain) => chain.beginsAt <= clock.now() && chain.endsAt === Number.POSITIVE_INFINITY && !double.isParked(chain),
    );
}

function endChain(world: World, index: number, outcome: FiringOutcome): void {
  const begun = world.double.running().filter((chain) => chain.beginsAt <= world.clock.now());
  const running = pick(begun, index);
  if (!running) return;
  world.double.finish(running.namespace, running.workflowId, outcome);
  world.endedByPerson.add(running);
}

function pick<Item>(items: Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}
