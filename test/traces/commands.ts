import fc from 'fast-check';
import type { FiringOutcome } from '../../core/firing';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import type { Mishap } from './network';
import { PERIODS, type ScheduleSetup } from './setup';
import { PASSES, type PassName } from './world';

/** An action of one process: one pass or all passes of a trigger, or a person's change of a schedule. */
export type Task =
  | { trigger: number; pass: PassName | 'all' }
  | { schedule: number; change: 'pause' | 'unpause' | 'delete' | 'create' }
  | { schedule: number; change: 'trigger'; overlap?: OverlapPolicy }
  | {
      schedule: number;
      change: 'update';
      to: Partial<Pick<ScheduleSetup, 'everySeconds' | 'remainingActions'>> &
        Partial<ScheduleSetup['policies']> & { mended?: boolean };
    }
  | { schedule: number; change: 'backfill'; from: number; periods: number; overlap?: OverlapPolicy }
  | { schedule: number; change: 'exclude' | 'include'; ahead: number }
  | { schedule: number; change: 'run again'; firing: number; confirm: boolean; overlap?: OverlapPolicy }
  | { letter: number; change: 'resume' | 'restart' | 'complete' | 'discard' | 'restore'; force?: boolean }
  /** All that are open. */
  | { letters: 'redrive' | 'restart' | 'discard'; force?: boolean };

/** One step of a trace, in plain JSON. */
export type Command =
  | { do: 'nothing' }
  | { do: 'advance'; milliseconds: number }
  | { do: 'advance periods'; periods: number }
  /** This long before the next occurrence of the first schedule, which may be handed over ahead. */
  | { do: 'run before'; milliseconds: number; task: Task }
  | { do: 'run'; task: Task }
  | { do: 'die'; task: Task; after: number; when: 'before' | 'after' }
  /** Several actions in parallel, after some periods have passed. */
  | { do: 'interleave'; periods?: number; tasks: [Task, Task]; order: boolean[] }
  | { do: 'mishap'; mishap: Mishap }
  | { do: 'land' }
  | { do: 'away'; away: boolean }
  | { do: 'end'; chain: number; outcome: FiringOutcome }
  | { do: 'register namespace' }
  | { do: 'go on'; chain: number }
  | { do: 'park'; chain: number }
  | { do: 'reset'; chain: number };

const trigger = fc.nat({ max: 2 });
const schedule = fc.nat({ max: 1 });
const passTask: fc.Arbitrary<Task> = fc.record({
  trigger,
  pass: fc.oneof(fc.constant('all' as const), fc.constantFrom(...PASSES, 'adopt' as const, 'sweep' as const)),
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
          mended: fc.constant(true),
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
  {
    weight: 2,
    arbitrary: fc.record(
      {
        schedule,
        change: fc.constant('run again' as const),
        firing: fc.nat({ max: 8 }),
        confirm: fc.boolean(),
        overlap,
      },
      { requiredKeys: ['schedule', 'change', 'firing', 'confirm'] },
    ),
  },
);
const letterTask: fc.Arbitrary<Task> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        letter: fc.nat({ max: 4 }),
        change: fc.constantFrom(
          'resume' as const,
          'restart' as const,
          'complete' as const,
          'discard' as const,
          'restore' as const,
        ),
        force: fc.boolean(),
      },
      { requiredKeys: ['letter', 'change'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        letters: fc.constantFrom('redrive' as const, 'restart' as const, 'discard' as const),
        force: fc.boolean(),
      },
      { requiredKeys: ['letters'] },
    ),
  },
);
const task = fc.oneof(
  { weight: 6, arbitrary: passTask },
  { weight: 2, arbitrary: changeTask },
  { weight: 1, arbitrary: letterTask },
);
const chain = fc.nat({ max: 5 });
const order = fc.array(fc.boolean(), { minLength: 1, maxLength: 24 });

export const command: fc.Arbitrary<Command> = fc.oneof(
  // Comes first, so that irrelevant steps shrink to nothing.
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
  { weight: 10, arbitrary: fc.record({ do: fc.constant('run' as const), task: letterTask }) },
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
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('run before' as const),
      milliseconds: fc.integer({ min: 1, max: 9_999 }),
      task: fc.record({ trigger, pass: fc.constantFrom('all' as const, 'claim' as const) }),
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
  // Actions that settle a schedule, in parallel with those that open or close its firings. The schedule's lock must
  // separate them.
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
  { weight: 1, arbitrary: fc.constant({ do: 'register namespace' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('go on' as const), chain }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('park' as const), chain }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reset' as const), chain }) },
);
