import { z } from 'zod';
import { NO_ARGS } from '../../core/definition/encoded-args';
import { NO_PRE_START, scheduleId } from '../../core/definition/shape';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import { duration, specSchema } from './spec';

/*
 * This file has the schema of a schedule in a request. The client validates a schedule by `core/definition/shape.ts`.
 * The schemas here describe the same fields for readers and generators; test/server/schemas.test.ts compares the names.
 */

const retry = z
  .strictObject({
    initialInterval: duration.optional(),
    backoffCoefficient: z.number().optional(),
    maximumInterval: duration.optional(),
    maximumAttempts: z.int().nullable().optional().describe('null means no limit'),
    nonRetryableErrorTypes: z.array(z.string()).optional(),
  })
  .meta({ id: 'RetryPolicy' });

const memo = z.record(z.string(), z.unknown());
const untypedAttributes = z.record(z.string(), z.array(z.unknown()));
const typedAttributes = z.array(
  z.strictObject({
    key: z.strictObject({
      name: z.string(),
      type: z.enum(['TEXT', 'KEYWORD', 'INT', 'DOUBLE', 'BOOL', 'DATETIME', 'KEYWORD_LIST']),
    }),
    value: z.unknown(),
  }),
);

/** Arguments that are already encoded. */
export const encodedArgs = z
  .strictObject({
    payloads: z.array(
      z.strictObject({
        metadata: z.record(z.string(), z.string()).describe('encoding and more, in base64'),
        data: z.string().optional().describe('In base64'),
      }),
    ),
  })
  .describe('Payloads, such as of a codec that the server does not have; they are passed on unchanged')
  .meta({ id: 'EncodedArgs' });

const actionFields = {
  type: z.literal('startWorkflow'),
  workflowType: z.string().describe('Name of the workflow'),
  taskQueue: z.string().describe('Task queue of its workers'),
  args: z
    .union([z.array(z.unknown()), encodedArgs], { error: NO_ARGS })
    .optional()
    .describe("Arguments, encoded by the server's data converter; or encoded payloads"),
  workflowId: z.string().optional().describe('Beginning of the workflow IDs; <scheduleId>-workflow unless given'),
  retry: retry.optional(),
  workflowExecutionTimeout: duration.optional(),
  workflowRunTimeout: duration.optional(),
  workflowTaskTimeout: duration.optional(),
  softTimeout: duration.optional().describe('How long after its start a workflow is sent a cancellation request'),
  memo: memo.optional(),
  searchAttributes: untypedAttributes.optional(),
  typedSearchAttributes: typedAttributes.optional(),
  staticSummary: z.string().optional(),
  staticDetails: z.string().optional(),
  priority: z
    .strictObject({
      priorityKey: z.int().optional(),
      fairnessKey: z.string().optional(),
      fairnessWeight: z.number().optional(),
    })
    .optional(),
};

const alertRules = z
  .record(z.string(), z.unknown())
  .describe('late, notDone, runningLong, failing, skipped, startedOften, parked, resolvedAfter');

const policyFields = {
  overlap: z
    .enum(OVERLAP_POLICIES)
    .optional()
    .describe('What an occurrence does while an earlier firing is open; SKIP unless given'),
  catchupWindow: duration.optional(),
  catchupLimit: z.int().min(0).nullable().optional().describe('null means no limit; 100 unless given'),
  pauseOnFailure: z.boolean().optional(),
  onUncertain: z.enum(['SKIP', 'START']).optional(),
  preStart: z.union([z.boolean(), duration], { error: NO_PRE_START }).optional(),
  maxConcurrent: z.int().positive().optional(),
  parkedHolds: z.boolean().optional(),
  parkedAtMost: duration.optional(),
  alerts: alertRules.optional(),
};

const writtenState = {
  paused: z.boolean().optional(),
  note: z.string().optional(),
  remainingActions: z.int().min(0).optional().describe('How many more firings it takes; no limit unless given'),
};

const initialState = z.strictObject({
  ...writtenState,
  triggerImmediately: z.boolean().optional(),
  backfill: z
    .array(z.strictObject({ start: z.string(), end: z.string(), overlap: z.enum(OVERLAP_POLICIES).optional() }))
    .optional(),
});

const labels = {
  owner: z.string().optional().describe('Its owner'),
  runbook: z.string().optional().describe('Link to the instructions for a problem'),
  externalId: z.string().optional().describe('ID in another system; unique among the live schedules of a tenant'),
  memo: memo.optional(),
  searchAttributes: untypedAttributes.optional(),
  typedSearchAttributes: typedAttributes.optional(),
};

/** Fields that GET adds. A request may contain them, so that clients can send back what they got. */
const described = {
  definition: z.unknown().optional(),
  info: z.unknown().optional(),
  source: z.unknown().optional(),
  memoError: z.unknown().optional(),
};

/** Fields that GET adds for parts of an action that cannot be decoded. */
const undecoded = {
  argsError: z.unknown().optional(),
  memoError: z.unknown().optional(),
  textsError: z.unknown().optional(),
};

const action = z.strictObject({ ...actionFields, ...undecoded }).meta({ id: 'ScheduleAction' });
const policies = z.strictObject(policyFields).meta({ id: 'SchedulePolicies' });

/** The body of POST: a new schedule. */
export const newSchedule = z
  .strictObject({
    scheduleId: scheduleId.describe('Name and identity, 1 to 255 bytes'),
    spec: specSchema,
    action,
    policies: policies.optional(),
    state: initialState.optional(),
    ...labels,
    namespace: z.string().optional().describe("Temporal namespace; the server's unless given"),
    tenant: z.string().optional().describe("Its tenant; the token's tenant unless given"),
    ...described,
  })
  .meta({ id: 'NewSchedule' });

const describedState = z.looseObject(writtenState).describe('Fields that only GET adds, such as pausedBy, are ignored');

/** The body of PUT: a whole definition. The tenant and the namespace may be left out, and stay as they are. */
export const wholeSchedule = newSchedule
  .extend({ scheduleId: z.string().optional(), state: describedState.optional() })
  .meta({ id: 'ScheduleDefinition' });

/** The body of PATCH: a JSON merge patch of the registered definition. */
export const schedulePatch = z
  .strictObject({
    spec: z.record(z.string(), z.unknown()).optional(),
    action: z.record(z.string(), z.unknown()).optional(),
    policies: z.record(z.string(), z.unknown()).nullable().optional(),
    state: z.record(z.string(), z.unknown()).nullable().optional(),
    owner: z.string().nullable().optional(),
    runbook: z.string().nullable().optional(),
    externalId: z.string().nullable().optional(),
    memo: z.record(z.string(), z.unknown()).nullable().optional(),
    searchAttributes: z.record(z.string(), z.unknown()).nullable().optional(),
    typedSearchAttributes: z.array(z.unknown()).nullable().optional(),
  })
  .meta({ id: 'SchedulePatch' });

/** Field names of the schemas, for the test that compares them with the client's. */
export const WIRE_FIELDS = {
  options: Object.keys(newSchedule.shape),
  action: Object.keys(actionFields),
  policies: Object.keys(policyFields),
  state: Object.keys(initialState.shape),
};
