import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { POLICIES, SCHEDULE, START } from './plain';
import { play, type Trace } from './play';
import type { ScheduleSetup } from './setup';
import { openTraceDatabase, type TraceDatabase } from './world';

let database: TraceDatabase;
beforeAll(async () => {
  database = await openTraceDatabase(inject('databaseUrl'));
});
afterAll(() => database.close());

const ALL = { do: 'run', task: { trigger: 0, pass: 'all' } } as const;
const MINUTE = { do: 'advance', milliseconds: 60_000 } as const;
const TRIGGER = { do: 'run', task: { schedule: 0, change: 'trigger' } } as const;
const FAIL = { do: 'end', chain: 0, outcome: 'failed' } as const;
const PARK = { do: 'park', chain: 0 } as const;

/** Paused, so that only requested firings run. */
function traceOf(commands: Trace['commands'], changes: Partial<ScheduleSetup> = {}): Trace {
  const workflow = { ...SCHEDULE.workflow, takesSeconds: null, ...changes.workflow };
  return { setup: { ...START, schedules: [{ ...SCHEDULE, paused: true, ...changes, workflow }] }, commands };
}

const letter = (change: 'resume' | 'restart' | 'complete' | 'discard' | 'restore') =>
  ({ do: 'run', task: { letter: 0, change } }) as const;

/** Short traces in which each kind of letter matters once, since random traces rarely reach them. */
const LIVES: Record<string, Trace> = {
  'opens a letter of its own for what fails after a step that was given up': traceOf(
    [TRIGGER, ALL, PARK, letter('discard'), ALL, MINUTE, FAIL, MINUTE, ALL],
    { workflow: { ...SCHEDULE.workflow, takesSeconds: null, catches: true } },
  ),
  'fails by the step that was given up, which needs no other letter': traceOf([
    ...[TRIGGER, ALL, PARK, letter('discard'), ALL, MINUTE, ALL],
  ]),
  'tries a parked step again, which parks again under the same letter, and takes a result for it': traceOf([
    ...[TRIGGER, ALL, PARK, letter('resume'), ALL, PARK, letter('complete'), ALL, MINUTE],
    { do: 'end', chain: 0, outcome: 'completed' },
    ...[MINUTE, ALL],
  ]),
  'leaves the letter of a parked step open where a machine ends its workflow': traceOf([
    ...[TRIGGER, ALL, PARK, MINUTE],
    { do: 'run', task: { schedule: 0, change: 'trigger', overlap: 'TERMINATE_OTHER' } },
    ...[ALL, MINUTE, ALL, MINUTE, ALL],
  ]),
  'leaves it open also where a person has had the step tried again before': traceOf([
    ...[TRIGGER, ALL, PARK, letter('resume'), ALL, PARK, MINUTE],
    { do: 'run', task: { schedule: 0, change: 'trigger', overlap: 'TERMINATE_OTHER' } },
    ...[ALL, MINUTE, ALL, MINUTE, ALL],
  ]),
  'resolves what is redriven once its workflow completes, also by a run that a person began': traceOf([
    ...[TRIGGER, ALL, FAIL, MINUTE, ALL, letter('resume'), ALL, MINUTE],
    { do: 'end', chain: 0, outcome: 'completed' },
    ...[MINUTE, ALL],
  ]),
  'runs a firing that failed again under another workflow ID, and has a letter of each failure': traceOf([
    ...[TRIGGER, ALL, FAIL, MINUTE, ALL],
    { do: 'run', task: { schedule: 0, change: 'run again', firing: 0, confirm: false } },
    ...[ALL, MINUTE, FAIL, MINUTE, ALL],
  ]),
  'resumes many letters of a schedule one after the other': traceOf([
    ...[TRIGGER, ALL, FAIL, MINUTE, ALL, TRIGGER, ALL, FAIL, MINUTE, ALL],
    { do: 'run', task: { letters: 'redrive' } },
    ...[ALL, MINUTE, ALL, MINUTE, ALL],
  ]),
  'resumes no letter beside a firing that runs': traceOf([
    ...[TRIGGER, ALL, FAIL, MINUTE, ALL, TRIGGER, ALL],
    { do: 'run', task: { letters: 'redrive' } },
    ...[ALL, MINUTE, ALL, MINUTE, ALL],
  ]),
  'polls a redrive again that Temporal did not answer': traceOf([
    ...[TRIGGER, ALL, FAIL, MINUTE, ALL, letter('resume')],
    { do: 'away', away: true },
    { do: 'run', task: { trigger: 0, pass: 'redrive' } },
    { do: 'away', away: false },
    ...[MINUTE, ALL],
  ]),
  'names the child that failed, and resumes only where it may run again': traceOf(
    [TRIGGER, ALL, FAIL, MINUTE, ALL, letter('resume'), ALL, MINUTE, ALL],
    { workflow: { ...SCHEDULE.workflow, takesSeconds: null, in: 'child' } },
  ),
  'gives up what Temporal refuses for good, and starts it again once its schedule is mended': traceOf(
    [
      ...[TRIGGER, ALL, MINUTE, ALL, MINUTE, ALL, MINUTE, ALL],
      { do: 'run', task: { schedule: 0, change: 'update', to: { mended: true } } },
      ...[letter('restart'), ALL, MINUTE, ALL],
    ],
    { refused: 'searchAttribute' },
  ),
  'ends what waits behind starts that Temporal refuses once their schedule is mended': {
    setup: {
      ...START,
      schedules: [{ ...SCHEDULE, policies: { ...POLICIES, overlap: 'ALLOW_ALL' }, refused: 'searchAttribute' }],
    },
    commands: [
      { do: 'advance', milliseconds: 4_000 },
      { do: 'run', task: { trigger: 0, pass: 'claim' } },
      { do: 'run', task: { schedule: 0, change: 'trigger', overlap: 'TERMINATE_OTHER' } },
    ],
  },
  'begins what was handed over ahead at its time, also once its schedule is changed and deleted': {
    setup: {
      ...START,
      limits: { ...START.limits, preStartAfterMilliseconds: 0, startsPerSecondAssumed: 0.1 },
      schedules: [{ ...SCHEDULE, everySeconds: 60 }],
    },
    commands: [
      ALL,
      { do: 'run before', milliseconds: 9_000, task: { trigger: 0, pass: 'all' } },
      { do: 'run', task: { schedule: 0, change: 'update', to: { everySeconds: 7 } } },
      { do: 'run', task: { schedule: 0, change: 'delete' } },
      ...[MINUTE, ALL, MINUTE, ALL],
    ],
  },
  'waits for a namespace that nobody has registered yet': traceOf(
    [TRIGGER, ALL, MINUTE, ALL, { do: 'register namespace' }, MINUTE, ALL],
    { refused: 'namespace' },
  ),
  'ends a chain by its last retry': traceOf([TRIGGER, ALL, MINUTE, ALL], {
    runsAtMost: 3,
    workflow: { ...SCHEDULE.workflow, takesSeconds: 3, fails: 2 },
  }),
};

describe('what a person, a worker and a server do to firings', () => {
  for (const [promise, trace] of Object.entries(LIVES)) it(promise, () => play(database, trace));
});
