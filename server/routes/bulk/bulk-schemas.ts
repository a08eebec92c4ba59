import { z } from 'zod';
import { BULK_KINDS, BULK_OPERATION_STATES, BULK_OUTCOMES, BULK_WAITS } from '../../../core/bulk';
import { scheduleId } from '../../../core/definition/shape';
import { time } from '../../schemas/described';

const IDS_AT_MOST = 10_000;

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const bulkFilter = z
  .strictObject({
    scheduleIds: z.array(scheduleId).min(1).max(IDS_AT_MOST).optional().describe('Only these schedules'),
    query: z.string().optional().describe("A filter in the grammar of Temporal's list filters"),
    text: z.string().optional().describe('Part of the ID or of the note, in upper or lower case'),
    tenant: z.string().optional(),
    source: z.string().optional(),
    owner: z.string().optional(),
    externalId: z.string().optional(),
    namespace: z.string().optional(),
    taskQueue: z.string().optional(),
    workflowType: z.string().optional(),
    paused: z.boolean().optional(),
    completed: z.boolean().optional(),
    from: instant.optional().meta({ type: 'string', format: 'date-time', description: 'Earliest next fire time' }),
    to: instant
      .optional()
      .meta({ type: 'string', format: 'date-time', description: 'Latest next fire time, exclusive' }),
    all: z.boolean().optional().describe('All schedules; only without other fields'),
  })
  .describe('Schedules that match all given fields')
  .meta({ id: 'BulkFilter' });

export const bulkFields = {
  filter: bulkFilter,
  dryRun: z.boolean().optional().describe('Change nothing, and show which schedules would be affected'),
  expectedTotal: z
    .int()
    .min(0)
    .optional()
    .describe('How many schedules matched in the dry run: answers 409 if another number matches now'),
  perSecond: z.number().min(0.5).max(10_000).optional(),
};

export const operationSchema = z
  .object({
    operationId: z.string(),
    kind: z.enum(BULK_KINDS).describe('The kind of change; for an undo, the kind of the original change'),
    state: z.enum(BULK_OPERATION_STATES),
    waitsFor: z
      .enum(BULK_WAITS)
      .nullable()
      .describe(
        'process: no process carries it out; turn: ten others of its tenant are carried out; null while it is carried out, and once it has ended',
      ),
    total: z.int().describe('How many schedules matched when it was requested; only these are affected'),
    changed: z.int(),
    unchanged: z
      .int()
      .describe(
        'Schedules that needed no change; for an undo also those whose definition or state (for a tag: labels) somebody has changed since',
      ),
    failed: z.int(),
    left: z.int().describe('How many schedules still wait'),
    errors: z
      .array(z.object({ scheduleId: z.string(), error: z.string() }))
      .optional()
      .describe('The first 100 failures, with reasons; …/schedules?outcome=failed lists all'),
    undoes: z.string().nullable().describe('The operation that it undoes'),
    undoneBy: z.string().nullable(),
    tenant: z.string().nullable(),
    actor: z.string().describe('Who requested it'),
    token: z.string().nullable(),
    filter: z.record(z.string(), z.unknown()),
    change: z.record(z.string(), z.unknown()),
    perSecond: z.number().nullable(),
    createdAt: time,
    cancelledBy: z.string().nullable(),
    endedAt: time.nullable(),
  })
  .meta({ id: 'BulkOperation' });

export const bulkPlanSchema = z
  .object({
    total: z.int().describe('How many match'),
    unchanged: z
      .int()
      .describe('For a pause: how many are already paused; for an unpause: how many are not; otherwise 0'),
    schedules: z
      .array(z.object({ scheduleId: z.string(), paused: z.boolean(), nextFireAt: time.nullable() }))
      .describe('The first 100 that match, by ID'),
  })
  .meta({ id: 'BulkPlan' });

export const bulkScheduleSchema = z
  .object({
    scheduleId: z.string(),
    outcome: z.enum(BULK_OUTCOMES).nullable().describe('null if it was not changed yet'),
    error: z.string().nullable(),
  })
  .meta({ id: 'BulkSchedule' });
