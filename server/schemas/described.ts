import { z } from 'zod';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../../core/firing';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import { encodedArgs } from './schedule';

/** In the answers, a `Date` is a text in JSON, and infinity is null. */

export const time = z.string().meta({ format: 'date-time' });

const workflow = z.object({
  type: z.literal('startWorkflow'),
  workflow: z.object({ workflowId: z.string(), firstExecutionRunId: z.string().nullable() }),
});

const taken = z.object({ scheduledAt: time, takenAt: time, action: workflow });

const spec = z
  .looseObject({})
  .describe("When it fires, in the form of Temporal's describe: calendars as ranges, durations in milliseconds");

const action = z.looseObject({
  type: z.literal('startWorkflow'),
  workflowType: z.string(),
  taskQueue: z.string(),
  args: z
    .union([z.array(z.unknown()), encodedArgs])
    .optional()
    .describe('The arguments; in encoded form if the server cannot decode them'),
  argsError: z.string().optional().describe('Why args are still encoded'),
  memoError: z.string().optional().describe('Why memo is left out'),
  textsError: z.string().optional().describe('Why staticSummary and staticDetails are left out'),
});

const policies = z.looseObject({
  overlap: z.enum(OVERLAP_POLICIES),
  catchupWindow: z.number().describe('Milliseconds'),
  catchupLimit: z.int().nullable().describe('null means no limit'),
  pauseOnFailure: z.boolean(),
  onUncertain: z.enum(['SKIP', 'START']),
  preStart: z.union([z.boolean(), z.number()]).describe('A number is the maximum milliseconds ahead'),
  maxConcurrent: z.int().optional(),
  parkedHolds: z.boolean(),
});

const state = z.looseObject({
  paused: z.boolean(),
  pausedAt: time.optional(),
  pausedBy: z.string().optional(),
  note: z.string().optional(),
  remainingActions: z.int().optional(),
  completed: z.boolean().optional(),
  completedAt: time.optional(),
  completedBy: z.string().optional(),
  specError: z.string().optional(),
  setAsideAt: time.optional(),
  shadow: z.literal(true).optional().describe("It starts nothing: Temporal's own schedule still runs it"),
});

const info = z.looseObject({
  version: z.int().describe('Grows with each change of the definition'),
  createdAt: time,
  lastUpdatedAt: time.optional(),
  nextFireAt: time.optional(),
  lastFireAt: time.optional(),
  answeredTo: time.describe('Every occurrence up to this instant has its answer'),
  nextActionTimes: z.array(time),
  recentActions: z.array(taken),
});

const fields = {
  scheduleId: z.string(),
  namespace: z.string(),
  tenant: z.string(),
  source: z.string().optional(),
  owner: z.string().optional(),
  runbook: z.string().optional(),
  externalId: z.string().optional().describe('ID in another system'),
  spec,
  definition: z.object({ spec: z.looseObject({}).describe('When it fires, exactly as it was registered') }),
  action,
  policies,
  memo: z.record(z.string(), z.unknown()).optional(),
  searchAttributes: z.record(z.string(), z.unknown()),
  typedSearchAttributes: z.array(z.unknown()),
  state,
};

export const summarySchema = z
  .looseObject({ ...fields, memoError: z.string().optional(), info })
  .meta({ id: 'ScheduleSummary' });

export const duringFreezeSchema = z.boolean().describe('Also while a freeze holds the schedule');

export const scheduleSchema = z
  .looseObject({
    ...fields,
    info: info.extend({
      description: z.array(z.string()).describe('The spec in words'),
      heldActionTimes: z
        .array(z.object({ scheduledAt: time, by: z.enum(['frozen', 'paused']) }))
        .describe('Those of nextFireAt and nextActionTimes that a freeze or a pause holds back'),
      delayedUntil: time.optional(),
      runningActions: z.array(workflow),
      parkedActions: z.array(z.looseObject({ letterId: z.string(), workflowId: z.string() })),
      numActionsTaken: z.int(),
      numActionsMissedCatchupWindow: z.int(),
      numActionsSkippedOverlap: z.int(),
      countedFrom: time,
    }),
  })
  .meta({ id: 'Schedule' });

export const firingSchema = z
  .object({
    scheduleId: z.string(),
    scheduledTime: time.describe('Nominal time'),
    state: z.enum(FIRING_STATES),
    outcome: z.enum(FIRING_OUTCOMES).nullable(),
    reason: z.string().nullable().describe('Why it was skipped or abandoned'),
    kind: z.enum(FIRING_KINDS),
    actor: z.string().nullable(),
    namespace: z.string(),
    scheduleVersion: z.int(),
    workflowId: z.string().nullable(),
    runId: z.string().nullable(),
    startAttempts: z.int(),
    recovery: z.looseObject({ number: z.int(), recoveredAt: z.string(), reason: z.string() }).nullable(),
    again: z.looseObject({ number: z.int(), askedAt: z.string(), actor: z.string() }).nullable(),
    lastError: z.string().nullable(),
    stalled: z.string().nullable(),
    startsAt: time.nullable(),
    claimedAt: time,
    linkedAt: time.nullable(),
    closedAt: time.nullable(),
  })
  .meta({ id: 'Firing' });

/** The schema of firings that were claimed ahead before a change, and fire despite the change. */
export const handedOverSchema = z
  .object({
    handedOver: z.array(firingSchema).describe('Firings that were claimed ahead of their time, and still fire'),
  })
  .meta({ id: 'HandedOver' });

const gap = z.object({
  from: time,
  to: time,
  count: z.int(),
  reason: z.string(),
  recordedAt: time,
  freezeId: z.string().nullable(),
});

export const explanationSchema = z
  .looseObject({
    scheduleId: z.string(),
    time,
    sentence: z.string().describe('The answer in words'),
    answer: z.enum([
      'firing',
      'gap',
      'not_an_occurrence',
      'not_yet',
      'before_creation',
      'retired',
      'spec_error',
      'missing',
    ]),
    firing: firingSchema.optional(),
    gap: gap.optional(),
    cause: z.looseObject({ kind: z.string() }).optional(),
    skipped: z
      .object({ part: z.enum(['skipDays', 'onlyDays']), entries: z.array(z.string()) })
      .optional()
      .describe('If only its day keeps it from being an occurrence: the calendars and dates that exclude the day'),
    nearest: z.object({ before: time.optional(), after: time.optional() }).optional(),
  })
  .meta({ id: 'Explanation' });

export const versionSchema = z
  .looseObject({
    version: z.int(),
    namespace: z.string(),
    spec: z.looseObject({}),
    action,
    policies,
    changed: z.array(z.string()).describe('Paths of fields that differ from the previous version'),
    actor: z.string().optional(),
    createdAt: time,
  })
  .meta({ id: 'ScheduleVersion' });
