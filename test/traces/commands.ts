import fc from 'fast-check';
import type { FiringOutcome } from '../../core/firing';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule';
import { ExclusionError, ScheduleAlreadyRunning, ScheduleNotFoundError } from '../../index';
import type { Mishap } from './network';
import { PERIODS, type ScheduleSetup, scheduleOptions } from './setup';
import { PASSES, type PassName, type TracedSchedule, type World } from './world';

/** What a process does in one go: a pass or all passes of a trigger, or a person's change of a schedule. */
export type Task =
  | { trigger: number; pass: PassName | 'all' }
  | { schedule: number; change: 'pause' | 'unpause' | 'delete' | 'create' }
  | { schedule: number; change: 'trigger'; overlap?: OverlapPolicy }
  | {
      schedule: number;
      change: 'update';
      to: Partial<Pick<ScheduleSetup, 'everySeconds' | 'remainingActions'>> & Partial<ScheduleSetup['policies']>;
    }
  | { schedule: number; change: 'backfill'; from: number; periods: number; overlap?: OverlapPolicy }
  | { schedule: number; change: 'exclude' | 'include'; ahead: number };

/** One step of a trace, in plain JSON. */
export type Command =
  | { do: 'nothing' }
  | { do: 'advance'; milliseconds: number }
  | { do: 'advance periods'; periods: number }
  | { do: 'run'; task: Task }
  | { do: 'die'; task: Task; after: number; when: 'before' | 'after' }
  /** Beside each other, once some periods have passed. */
  | { do: 'interleave'; periods?: number; tasks: [Task, Task]; order: boolean[] }
  | { do: 'mishap'; mishap: Mishap }
  | { do: 'land' }
  | { do: 'away'; away: boolean }
  | { do: 'end'; chain: number; outcome: FiringOutcome }
  | { do: 'go on'; chain: number }
  | { do: 'reset'; chain: number };

const trigger = fc.nat({ max: 2 });
const schedule = fc.nat({ max: 1 });
const passTask: fc.Arbitrary<Task> = fc.record({
  trigger,
  pass: fc.oneof(fc.constant('all' as const), fc.constantFrom(...PASSES, 'adopt' as const)),
});
const overlap = fc.constantFrom(...OVERLAP_POLICIES);
const changeTask: fc.Arbitrary<Task> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ schedule, change: fc.constantFrom('pause' as const, 'unpause' as const) }) },
  { weight: 2, arbitrary: fc.record({ schedule, change: fc.constantFrom('create' as const, 'delete' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { schedule, change: fc.constant('trigger' as const), overlap },
      { requiredKeys: ['schedule', 'change'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      schedule,
      change: fc.constant('update' as const),
      to: fc.record(
        {
          everySeconds: fc.constantFrom(...PERIODS),
          remainingActions: fc.constantFrom(2, 0),
          overlap,
          maxConcurrent: fc.constantFrom(1, 2),
          catchupLimit: fc.constantFrom(0, 2),
          catchupWindowSeconds: fc.constantFrom(10, 600),
          pauseOnFailure: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        schedule,
        change: fc.constant('backfill' as const),
        from: fc.nat({ max: 12 }),
        periods: fc.nat({ max: 4 }),
        overlap,
      },
      { requiredKeys: ['schedule', 'change', 'from', 'periods'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      schedule,
      change: fc.constantFrom('exclude' as const, 'include' as const),
      ahead: fc.constantFrom(0, 1, -1, 2),
    }),
  },
);
const task = fc.oneof({ weight: 3, arbitrary: passTask }, { weight: 1, arbitrary: changeTask });
const chain = fc.nat({ max: 5 });
const order = fc.array(fc.boolean(), { minLength: 1, maxLength: 24 });

export const command: fc.Arbitrary<Command> = fc.oneof(
  // First, so that what does not matter shrinks to nothing.
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ do: 'nothing' as const }) },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      task: fc.record({ trigger, pass: fc.constant('all' as const) }),
    }),
  },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('run' as const), task: passTask }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('run' as const), task: changeTask }) },
  {
    weight: 18,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      milliseconds: fc.oneof(fc.integer({ min: 1, max: 15_000 }), fc.integer({ min: 15_000, max: 120_000 })),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constant('advance periods' as const),
      periods: fc.integer({ min: 1, max: 40 }).map((tenths) => tenths / 10),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      milliseconds: fc.integer({ min: 600_000, max: 4 * 3_600_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      milliseconds: fc.integer({ min: 20 * 3_600_000, max: 30 * 3_600_000 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('die' as const),
      task,
      after: fc.nat({ max: 24 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('interleave' as const), tasks: fc.tuple(passTask, task), order }),
  },
  // Those that settle a schedule beside those that open or close its firings: what its lock is for.
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('interleave' as const),
      periods: fc.constantFrom(1, 0, 3),
      tasks: fc.tuple(
        fc.record({
          trigger: fc.constant(0),
          pass: fc.constantFrom('claim' as const, 'claim' as const, 'verify' as const),
        }),
        fc.oneof(
          { weight: 3, arbitrary: fc.record({ trigger: fc.constant(1), pass: fc.constant('observe' as const) }) },
          {
            weight: 2,
            arbitrary: fc.record({
              trigger: fc.constant(1),
              pass: fc.constantFrom('reset' as const, 'claim' as const, 'interrupt' as const),
            }),
          },
          { weight: 3, arbitrary: changeTask },
        ),
      ),
      order,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('mishap' as const),
      mishap: fc.constantFrom('answer' as const, 'late' as const, 'never' as const, 'rejected' as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'land' as const }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('away' as const), away: fc.boolean() }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      chain,
      outcome: fc.constantFrom(
        'completed' as const,
        'failed' as const,
        'timed_out' as const,
        'canceled' as const,
        'terminated' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('go on' as const), chain }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reset' as const), chain }) },
);

/** Carry out one step. */
export async function carryOut(world: World, step: Command): Promise<void> {
  switch (step.do) {
    case 'nothing':
      return;
    case 'advance':
      return world.advance(step.milliseconds);
    case 'advance periods':
      return world.advance(step.periods * world.schedule(0).setup.everySeconds * 1_000);
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
    case 'end':
      return endChain(world, step.chain, step.outcome);
    case 'go on': {
      const running = pick(world.double.running(), step.chain);
      if (running) world.double.continueAsNew(running.namespace, running.workflowId);
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
    }
  }
}

function processOf(world: World, task: Task) {
  return 'trigger' in task ? world.trigger(task.trigger).process : world.clientProcess;
}

async function runTask(world: World, task: Task): Promise<void> {
  if ('trigger' in task) return world.run(task.trigger, task.pass === 'all' ? PASSES : [task.pass]);
  const schedule = world.schedule(task.schedule);
  world.changed(schedule.scheduleId, task.change);
  try {
    await change(world, schedule, task);
  } catch (error) {
    const refused = error instanceof (task.change === 'create' ? ScheduleAlreadyRunning : ScheduleNotFoundError);
    if (!refused || schedule.model.deleted === (task.change === 'create')) throw error;
  }
}

async function change(world: World, schedule: TracedSchedule, task: Exclude<Task, { trigger: number }>): Promise<void> {
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
  const { everySeconds = schedule.setup.everySeconds, remainingActions, ...policies } = to;
  const as = everySeconds === schedule.setup.everySeconds ? schedule.setup.as : 'intervals';
  const wanted = { ...schedule.setup, everySeconds, as, policies: { ...schedule.setup.policies, ...policies } };
  schedule.wanted = wanted;
  const options = scheduleOptions(schedule.scheduleId, schedule.workflowType, wanted);
  await world.client.getHandle(schedule.scheduleId).update(({ state, action }) => ({
    spec: options.spec,
    action,
    policies: options.policies!,
    state: remainingActions === undefined ? state : { ...state, remainingActions },
  }));
}

/** What is ahead can be excluded, and what is excluded and ahead included; nothing else. */
async function exempt(
  world: World,
  { scheduleId, model }: TracedSchedule,
  change: 'exclude' | 'include',
  time: Date,
): Promise<void> {
  const isExcluded = world.seen.firings.some(
    (row) => row.schedule_id === scheduleId && row.scheduled_time === time.getTime() && row.reason === 'excluded',
  );
  const isAhead = time.getTime() > world.clock.now();
  // Excluding what was excluded does nothing, whenever.
  const isPossible = !model.deleted && (change === 'include' ? isExcluded && isAhead : isExcluded || isAhead);
  try {
    await world.client.getHandle(scheduleId)[change](time);
  } catch (error) {
    if (!(error instanceof ExclusionError) || isPossible) throw error;
    return;
  }
  if (!isPossible) throw new Error(`${change} of ${time.toISOString()} was not refused`);
}

function timeAhead(world: World, { model }: TracedSchedule, ahead: number): Date {
  return new Date(model.next(world.clock.now()) + ahead * model.era.every);
}

function endChain(world: World, index: number, outcome: FiringOutcome): void {
  const running = pick(world.double.running(), index);
  if (!running) return;
  world.double.finish(running.namespace, running.workflowId, outcome);
  world.endedByPerson.add(running);
}

function pick<Item>(items: Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}
