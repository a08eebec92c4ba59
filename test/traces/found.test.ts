import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { POLICIES, SCHEDULE, START } from './plain';
import { play, type Trace } from './play';
import { openTraceDatabase, type TraceDatabase } from './world';

let database: TraceDatabase;
beforeAll(async () => {
  database = await openTraceDatabase(inject('databaseUrl'));
});
afterAll(() => database.close());

/** The smallest traces that have once broken a promise. */
const FOUND: Record<string, Trace> = {
  'does not begin what was excluded, and passed in a burst that was handed over ahead, when it is run again before its time':
    {
      setup: {
        ...START,
        schedules: [SCHEDULE, { ...SCHEDULE, everySeconds: 60 }].map((schedule) => ({
          ...schedule,
          workflow: { ...SCHEDULE.workflow, takesSeconds: 0 },
        })),
        limits: { ...START.limits, preStartAfterMilliseconds: 0, startsPerSecondAssumed: 0.1 },
      },
      commands: [
        { do: 'run', task: { schedule: 1, change: 'exclude', ahead: 0 } },
        { do: 'advance', milliseconds: 47_500 },
        { do: 'run', task: { trigger: 0, pass: 'claim' } },
        { do: 'advance', milliseconds: 1_500 },
        { do: 'run', task: { trigger: 0, pass: 'claim' } },
        { do: 'run', task: { schedule: 1, change: 'run again', firing: 0, confirm: false } },
        { do: 'run', task: { trigger: 0, pass: 'all' } },
      ],
    },
  'takes no more actions than remain where the last one would have been replaced': {
    setup: {
      ...START,
      schedules: [
        { ...SCHEDULE, policies: { ...POLICIES, overlap: 'CANCEL_OTHER', maxConcurrent: 2 }, remainingActions: 1 },
      ],
    },
    commands: [
      { do: 'advance', milliseconds: 15_000 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
    ],
  },
  'replaces firings that have not begun only where that makes room': {
    setup: { ...START, schedules: [{ ...SCHEDULE, workflow: { ...SCHEDULE.workflow, takesSeconds: null } }] },
    commands: [
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 1, periods: 1, overlap: 'ALLOW_ALL' } },
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 0, periods: 1, overlap: 'TERMINATE_OTHER' } },
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 0, periods: 3 } },
    ],
  },
  'remembers a call that was made in the very millisecond of one that never left': {
    setup: { ...START, schedules: [{ ...SCHEDULE, policies: { ...POLICIES, catchupWindowSeconds: 10 } }] },
    commands: [
      { do: 'run', task: { trigger: 0, pass: 'heartbeat' } },
      { do: 'advance', milliseconds: 11_000 },
      { do: 'run', task: { trigger: 0, pass: 'claim' } },
      { do: 'mishap', mishap: 'late' },
      { do: 'run', task: { trigger: 0, pass: 'dispatch' } },
      { do: 'run', task: { trigger: 1, pass: 'reconcile' } },
      { do: 'run', task: { trigger: 1, pass: 'reconcile' } },
      { do: 'away', away: true },
      { do: 'run', task: { trigger: 1, pass: 'dispatch' } },
      { do: 'away', away: false },
      { do: 'advance', milliseconds: 13_000 },
      { do: 'run', task: { trigger: 1, pass: 'reconcile' } },
    ],
  },
  'does not call again what it called before a freeze that lasts longer than Temporal remembers': {
    setup: { ...START, schedules: [{ ...SCHEDULE, paused: true }] },
    commands: [
      { do: 'run', task: { schedule: 0, change: 'trigger' } },
      { do: 'run', task: { trigger: 0, pass: 'claim' } },
      { do: 'mishap', mishap: 'answer' },
      { do: 'run', task: { trigger: 0, pass: 'dispatch' } },
      { do: 'advance', milliseconds: 60_000 },
      { do: 'run', task: { trigger: 0, pass: 'reconcile' } },
      { do: 'advance', milliseconds: 25 * 3_600_000 },
      { do: 'run', task: { trigger: 0, pass: 'heartbeat' } },
      { do: 'run', task: { trigger: 0, pass: 'dispatch' } },
    ],
  },
  'does not call after a freeze what another trigger has called meanwhile': {
    setup: { ...START, schedules: [{ ...SCHEDULE, paused: true }] },
    commands: [
      { do: 'run', task: { schedule: 0, change: 'trigger' } },
      { do: 'run', task: { trigger: 0, pass: 'claim' } },
      { do: 'advance', milliseconds: 60_000 },
      { do: 'run', task: { trigger: 1, pass: 'reconcile' } },
      { do: 'mishap', mishap: 'answer' },
      { do: 'run', task: { trigger: 1, pass: 'dispatch' } },
      { do: 'advance', milliseconds: 25 * 3_600_000 },
      { do: 'away', away: true },
      { do: 'run', task: { trigger: 0, pass: 'reconcile' } },
      { do: 'away', away: false },
      { do: 'advance', milliseconds: 60_000 },
      { do: 'run', task: { trigger: 0, pass: 'dispatch' } },
    ],
  },
  'settles the letter of a step that parks after a person has reset a workflow that had completed': {
    setup: { ...START, schedules: [SCHEDULE] },
    commands: [
      { do: 'advance', milliseconds: 4_000 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'advance', milliseconds: 15_000 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'reset', chain: 0 },
      { do: 'park', chain: 0 },
      { do: 'run', task: { letter: 0, change: 'resume' } },
    ],
  },
  'claims the next occurrence in time while firings that wait for the answer of Temporal are put off': {
    setup: {
      ...START,
      limits: { ...START.limits, startsInFlight: 1 },
      schedules: [
        {
          ...SCHEDULE,
          policies: { ...POLICIES, overlap: 'TERMINATE_OTHER', maxConcurrent: 3, catchupWindowSeconds: 10 },
        },
      ],
    },
    commands: [
      { do: 'mishap', mishap: 'answer' },
      { do: 'advance', milliseconds: 72_000_000 },
      { do: 'run before', milliseconds: 1, task: { trigger: 0, pass: 'claim' } },
      { do: 'advance periods', periods: 2.1 },
      { do: 'away', away: true },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'advance', milliseconds: 15_000 },
      { do: 'run before', milliseconds: 1, task: { trigger: 0, pass: 'all' } },
      { do: 'advance periods', periods: 0.1 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
    ],
  },
  'drops an exclusion that another definition has no occurrence at, though a burst was handed over ahead of it': {
    setup: {
      ...START,
      limits: { ...START.limits, preStartAfterMilliseconds: 0, startsPerSecondAssumed: 0.1 },
      schedules: [SCHEDULE],
    },
    commands: [
      { do: 'run', task: { schedule: 0, change: 'exclude', ahead: 0 } },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'run', task: { schedule: 0, change: 'update', to: { everySeconds: 60 } } },
    ],
  },
};

describe('traces that once broke a promise', () => {
  for (const [promise, trace] of Object.entries(FOUND)) it(promise, () => play(database, trace));
});
