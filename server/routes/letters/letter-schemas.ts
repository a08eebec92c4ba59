import { z } from 'zod';
import { LETTER_KINDS, LETTER_STATES, REDRIVE_MODES } from '../../../core/letters/redrive';
import { time } from '../../schemas/described';
import { instant, text } from '../../schemas/query';

export const letterSchema = z
  .looseObject({
    letterId: z.string(),
    scheduleId: z.string(),
    scheduledTime: time,
    kind: z.enum(LETTER_KINDS),
    state: z.enum(LETTER_STATES),
    reason: z.string(),
    namespace: z.string(),
    workflowId: z.string().nullable(),
    runId: z.string().nullable(),
    workflowType: z.string().nullable(),
    failedStep: z.looseObject({}).nullable(),
    actor: z.string().nullable(),
    note: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'DeadLetter' });

const NO_STEP = 'Empty for letters without a step';
const NO_TYPE = 'Empty for letters without a workflow type';

export const letterQuery = {
  kind: z.enum(LETTER_KINDS).optional(),
  scheduleId: text.optional(),
  failureType: text.optional().describe('Type of the failure; for an abandoned start, the reason'),
  message: text.optional().describe('Part of the message of the failure'),
  step: text.optional().describe(NO_STEP),
  workflowType: text.optional().describe(NO_TYPE),
  from: instant.optional().describe('When it was written, inclusive'),
  to: instant.optional().describe('Exclusive'),
};

export const letterChoice = z
  .strictObject({
    state: z.enum(LETTER_STATES).optional(),
    kind: z.enum(LETTER_KINDS).optional(),
    scheduleId: z.string().optional(),
    failureType: z.string().optional(),
    message: z.string().optional(),
    step: z.string().optional().describe(NO_STEP),
    workflowType: z.string().optional().describe(NO_TYPE),
  })
  .describe("At least one field; { state: 'open' } for all")
  .meta({ id: 'LetterChoice' });

export const redriveFields = {
  mode: z
    .enum(REDRIVE_MODES as [(typeof REDRIVE_MODES)[number], ...(typeof REDRIVE_MODES)[number][]])
    .optional()
    .describe('default: resume for workflows that failed, restart for starts, continue for parked steps'),
  force: z.boolean().optional().describe('Resume even if completed steps may run again'),
};

export const note = z.string().optional().describe('Note for the letter');
