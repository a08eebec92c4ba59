import { z } from 'zod';
import { agendaOf } from '../../agenda/agenda';
import { whatIf } from '../../agenda/what-if';
import { operation } from '../../operation';
import { invalid, ProblemError } from '../../problems/problem';
import { time } from '../../schemas/described';
import { instant, text } from '../../schemas/query';

const DAYS_AT_MOST = 32;

const agenda = z
  .object({
    from: time,
    to: time,
    firings: z.int().describe('How many firings there will be'),
    schedules: z.int().describe('How many schedules fire'),
    minutes: z.array(z.int()).describe('Firings in each minute, the first from `from` on'),
    forms: z
      .array(
        z.object({
          words: z.array(z.string()).describe('When these schedules fire'),
          schedules: z.int(),
          jittered: z.int().describe('How many of them have a jitter'),
          firings: z.int(),
          first: time,
          last: time,
          scheduleIds: z.array(z.string()).describe('Some of them'),
        }),
      )
      .describe('Schedules of one spec together, the most firings first; 100 at most'),
    entries: z.array(z.object({ at: time, scheduleId: z.string() })).describe('The first firings, 500 at most'),
    leftOut: z
      .int()
      .describe(
        'Schedules that are not counted: their specs cannot be evaluated, or too many times were computed before',
      ),
  })
  .meta({ id: 'Agenda' });

const getAgenda = operation({
  method: 'GET',
  path: '/v1/agenda',
  operationId: 'getAgenda',
  tag: 'overview',
  summary: 'What will fire between two instants',
  description:
    'Counts the nominal times of schedules that are not completed, after the end of their pause. Those that are set aside, or paused without an end, are not counted. Times that are excluded, frozen or skipped by overlap are counted too, and those of schedules in shadow. At most 32 days.',
  scope: 'read',
  query: z.strictObject({
    from: instant.describe('Inclusive'),
    to: instant.describe('Exclusive'),
    text: text.optional().describe('Part of the ID or of the note, in upper or lower case'),
    namespace: text.optional(),
    taskQueue: text.optional(),
  }),
  answers: { 200: { description: 'What will fire', schema: agenda } },
  handle: async ({ server, caller, query: { from, to, text, namespace, taskQueue } }) => {
    const days = (to.getTime() - from.getTime()) / 86_400_000;
    if (days <= 0) throw new ProblemError(invalid([{ path: 'to', message: 'is not after from' }]));
    if (days > DAYS_AT_MOST) {
      throw new ProblemError(invalid([{ path: 'to', message: `is more than ${DAYS_AT_MOST} days after from` }]));
    }
    return { body: await agendaOf(server, { from, to, text, namespace, taskQueue, tenant: caller.tenant }) };
  },
});

const getWhatIf = operation({
  method: 'GET',
  path: '/v1/agenda/what-if',
  operationId: 'getWhatIf',
  tag: 'overview',
  summary: 'How H and jitter would spread the firings of one minute, and how far ahead they may be handed over',
  description: 'Computed for each schedule by its own ID; more than 5,000 firings are sampled.',
  scope: 'read',
  query: z.strictObject({ at: instant.describe('When the minute begins') }),
  answers: {
    200: {
      description: 'What it would be',
      schema: z
        .object({
          firings: z.int(),
          looked: z.int().describe('Firings that were evaluated'),
          hashed: z.int().describe('Firings of the fullest minute of an hour, if the minute fields were H'),
          jittered: z.int().describe('Starts in the fullest second, if each schedule had five minutes of jitter'),
          preStart: z
            .array(
              z.object({
                milliseconds: z
                  .number()
                  .nullable()
                  .describe("null: as far ahead as the trigger's cap allows; 0: not at all"),
                schedules: z.int(),
              }),
            )
            .describe('How far ahead the firings may be handed over, by the settings of their schedules'),
        })
        .meta({ id: 'WhatIf' }),
    },
  },
  handle: async ({ server, caller, query: { at } }) => ({ body: await whatIf(server, { at, tenant: caller.tenant }) }),
});

export const agendaRoutes = [getAgenda, getWhatIf];
