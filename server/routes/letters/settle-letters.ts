import { z } from 'zod';
import type { PlannedRedrive, RedriveCounts } from '../../../client/letters/plan';
import { given } from '../../../core/given';
import { operation } from '../../operation';
import { letterChoice, letterSchema, note, redriveFields } from './letter-schemas';

const tag = 'dead letters';
const scope = 'operate' as const;
const params = z.strictObject({ letterId: z.string() });
const PLANNED_AT_MOST = 1_000;

const counts = {
  total: z.int().describe('How many match'),
  refused: z
    .record(z.string(), z.int())
    .describe(
      'How many stayed as they are, or would, by the name of the error; in a plan also `trigger`: a trigger would reopen them',
    ),
};
const redriveCounts = z
  .object({ ...counts, total: z.int().describe('How many matched, up to atMost'), redriven: z.int() })
  .meta({ id: 'RedriveCounts' });

const redriveOne = operation({
  method: 'POST',
  path: '/v1/dead-letters/{letterId}/redrive',
  operationId: 'redriveDeadLetter',
  tag,
  summary: 'Redrive a dead letter',
  description: 'The request is recorded, and a trigger carries it out, usually within about two seconds.',
  scope,
  params,
  body: z
    .strictObject({ ...redriveFields, note, dryRun: z.boolean().optional().describe('Only say what would be done') })
    .meta({ id: 'Redrive' }),
  bodyIsOptional: true,
  answers: {
    200: {
      description:
        'Requested, or for a dry run would be; for a resume, if Temporal answers, `plan` names the steps that run again',
      schema: z.looseObject({ letter: letterSchema, mode: z.string() }),
    },
  },
  handle: async ({ client, params: { letterId }, body }) => ({
    body: await client.deadLetters.redrive(letterId, given(body)),
  }),
});

const redriveMany = operation({
  method: 'POST',
  path: '/v1/dead-letters/redrive',
  operationId: 'redriveDeadLetters',
  tag,
  summary: 'Redrive every open dead letter that matches, oldest first',
  description:
    'Triggers carry out a limited number per second. If the call was interrupted, call it again; `atMost` counts from zero then.',
  scope,
  body: z
    .strictObject({
      filter: letterChoice,
      ...redriveFields,
      note,
      atMost: z.int().min(1).optional().describe('Maximum number of letters, oldest first; all unless given'),
      perSecond: z.number().positive().optional().describe('Maximum number of redrives per second; 20 unless given'),
    })
    .meta({ id: 'RedriveMany' }),
  answers: { 200: { description: 'The requested redrives', schema: redriveCounts } },
  handle: async ({ client, body: { filter, ...how } }) => ({
    body: await client.deadLetters.redriveAll(given(filter), given(how)),
  }),
});

const planMany = operation({
  method: 'POST',
  path: '/v1/dead-letters/redrive-plan',
  operationId: 'planRedrive',
  tag,
  summary: 'What a redrive would do to each open letter that matches, oldest first',
  description: 'Writes nothing. Only a limited number of letters is checked; `total` counts all that match.',
  scope: 'read',
  body: z
    .strictObject({
      filter: letterChoice,
      ...redriveFields,
      atMost: z.int().min(1).max(PLANNED_AT_MOST).optional().describe('100 unless given'),
    })
    .meta({ id: 'RedrivePlanRequest' }),
  answers: {
    200: {
      description: 'What would be done',
      schema: z
        .object({
          ...counts,
          redriven: z.int().describe('How many of the checked letters would be redriven'),
          planned: z.array(z.looseObject({ letter: letterSchema, mode: z.string().optional() })),
        })
        .meta({ id: 'RedrivePlan' }),
    },
  },
  handle: async ({ client, body: { filter, atMost = 100, ...how } }) => {
    const planned: PlannedRedrive[] = [];
    let last: RedriveCounts = { total: 0, redriven: 0, refused: {} };
    const choice = given(filter);
    const progress = (done: RedriveCounts) => {
      last = { ...done, refused: { ...done.refused } };
    };
    for await (const one of client.deadLetters.plan(choice, { ...given(how), atMost, progress })) planned.push(one);
    const selectsOpen = choice.state === undefined || choice.state === 'open';
    const groups = selectsOpen ? await client.deadLetters.groups({ ...choice, state: 'open' }) : [];
    const total = groups.reduce((sum, { letters }) => sum + letters, 0);
    return { body: { ...last, total, planned } };
  },
});

const discardOne = operation({
  method: 'POST',
  path: '/v1/dead-letters/{letterId}/discard',
  operationId: 'discardDeadLetter',
  tag,
  summary: 'Discard a dead letter, with a reason',
  scope,
  params,
  body: z.strictObject({ note: z.string().describe('Why') }).meta({ id: 'Reason' }),
  answers: { 200: { description: 'The letter as it is now', schema: letterSchema } },
  handle: async ({ client, params: { letterId }, body }) => ({
    body: await client.deadLetters.discard(letterId, body),
  }),
});

const discardMany = operation({
  method: 'POST',
  path: '/v1/dead-letters/discard',
  operationId: 'discardDeadLetters',
  tag,
  summary: 'Discard every open dead letter that matches, with one reason for all',
  scope,
  body: z
    .strictObject({ filter: letterChoice, note: z.string().describe('Why'), dryRun: z.boolean().optional() })
    .meta({ id: 'DiscardMany' }),
  answers: {
    200: {
      description: 'How many letters were discarded, or would be',
      schema: z.object({ ...counts, discarded: z.int() }).meta({ id: 'DiscardCounts' }),
    },
  },
  handle: async ({ client, body: { filter, note: reason, dryRun = false } }) => ({
    body: await client.deadLetters.discardAll(given(filter), { note: reason, dryRun }),
  }),
});

const completeOne = operation({
  method: 'POST',
  path: '/v1/dead-letters/{letterId}/complete',
  operationId: 'completeDeadLetter',
  tag,
  summary: 'Give a parked step its result, as if the step had returned it',
  scope,
  params,
  body: z
    .strictObject({ result: z.unknown().describe('The result that the step would have returned'), note })
    .meta({ id: 'Complete' }),
  answers: { 200: { description: 'The letter as it is now', schema: letterSchema } },
  handle: async ({ client, params: { letterId }, body: { result, note: why } }) => ({
    body: await client.deadLetters.complete(letterId, result, given({ note: why })),
  }),
});

export const settleLetterRoutes = [redriveMany, planMany, discardMany, redriveOne, discardOne, completeOne];
