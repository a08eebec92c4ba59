import { z } from 'zod';
import { BULK_KINDS, BULK_OPERATION_STATES, BULK_OUTCOMES } from '../../../core/bulk';
import { scheduleId } from '../../../core/definition/shape';
import { time } from '../../schemas/described';

const IDS_AT_MOST = 10_000;

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Which schedules a request selects. */
const bulkFilter = z
  .strictObject({
    scheduleIds: z.array(scheduleId).min(1).max(IDS_AT_MOST).optional().describe('These alone'),
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
    all: z.boolean().optional().describe('Everything, where nothing else is said'),
  })
  .describe('Those that match all that is given')
  .meta({ id: 'BulkFilter' });

/** Fields of every bulk change. */
export const bulkFields = {
  filter: bulkFilter,
  dryRun: z.boolean().optional().describe('Count and show what it would be about, and change nothing'),
  expectedTotal: z
    .int()
    .min(0)
    .optional()
    .describe('What the dry run counted: 409 where another number matches by now'),
  perSecond: z.number().min(0.5).max(10_000).optional(),
};

/** An operation as the API returns it. */
export const operationSchema = z
  .object({
    operationId: z.string(),
    kind: z.enum(BULK_KINDS).describe('What is done; of one that takes another back, what that did'),
    state: z.enum(BULK_OPERATION_STATES),
    total: z.int().describe('How many matched when it was asked for: those, and no others'),
    changed: z.int(),
    unchanged: z.int().describe('Where nothing was to be done; of an undo also those that others changed since'),
    failed: z.int(),
    left: z.int().describe('How many wait'),
    errors: z
      .array(z.object({ scheduleId: z.string(), error: z.string() }))
      .optional()
      .describe('The first 100 that failed, and why; …/schedules?outcome=failed has all'),
    undoes: z.string().nullable().describe('The operation that it takes back'),
    undoneBy: z.string().nullable(),
    tenant: z.string().nullable(),
    actor: z.string().describe('Who asked for it'),
    token: z.string().nullable(),
    filter: z.record(z.string(), z.unknown()),
    change: z.record(z.string(), z.unknown()),
    perSecond: z.number().nullable(),
    createdAt: time,
    cancelledBy: z.string().nullable(),
    endedAt: time.nullable(),
  })
  .meta({ id: 'BulkOperation' });

/** The answer to a dry run. */
export const bulkPlanSchema = z
  .object({
    total: z.int().describe('How many match'),
    unchanged: z.int().describe('Of how many nothing would be changed, since they are paused already, or are not'),
    schedules: z
      .array(z.object({ scheduleId: z.string(), paused: z.boolean(), nextFireAt: time.nullable() }))
      .describe('The first 100 of them by ID'),
  })
  .meta({ id: 'BulkPlan' });

/** The result for one schedule. */
export const bulkScheduleSchema = z
  .object({
    scheduleId: z.string(),
    outcome: z.enum(BULK_OUTCOMES).nullable().describe('null while it waits'),
    error: z.string().nullable(),
  })
  .meta({ id: 'BulkSchedule' });
