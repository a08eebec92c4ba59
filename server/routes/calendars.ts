import { z } from 'zod';
import { noDay } from '../../client/calendars/calendar-options';
import type { PutCalendarOptions } from '../../index';
import { operation } from '../operation';
import { time } from '../schemas/described';

const tag = 'calendars';
const tenant = z.string().optional().describe("Tenant of the calendar; the caller's tenant, or none, unless given");
const params = z.strictObject({ calendar: z.string().describe('Name under which specs refer to it') });
const ofTenant = z.strictObject({ tenant });
const listed = z.strictObject({
  tenant: z.string().optional().describe('Only calendars of this tenant; all that the caller sees unless given'),
});

const putFields = { name: z.string(), tenant: z.string(), actor: z.string(), createdAt: time, updatedAt: time };
const date = z.string().meta({ format: 'date' });

const listCalendars = operation({
  method: 'GET',
  path: '/v1/calendars',
  operationId: 'listCalendars',
  tag,
  summary: 'List the calendars, and how many schedules name each',
  scope: 'read',
  query: listed,
  answers: {
    200: {
      description: 'The calendars, by name',
      schema: z.object({
        calendars: z.array(
          z
            .object({
              ...putFields,
              count: z.int(),
              first: date.optional(),
              last: date.optional(),
              schedules: z.int(),
              behind: z.int().describe('How many of these schedules still use the former days'),
            })
            .meta({ id: 'CalendarSummary' }),
        ),
      }),
    },
  },
  handle: async ({ client, query }) => ({ body: { calendars: await client.calendars.list(query) } }),
});

const getCalendar = operation({
  method: 'GET',
  path: '/v1/calendars/{calendar}',
  operationId: 'getCalendar',
  tag,
  summary: 'A calendar with its days',
  scope: 'read',
  params,
  query: ofTenant,
  answers: {
    200: {
      description: 'The calendar',
      schema: z
        .object({ ...putFields, days: z.array(z.object({ day: date, label: z.string().optional() })) })
        .meta({ id: 'Calendar' }),
    },
  },
  handle: async ({ client, params: { calendar }, query }) => ({ body: await client.calendars.get(calendar, query) }),
});

const putCalendar = operation({
  method: 'PUT',
  path: '/v1/calendars/{calendar}',
  operationId: 'putCalendar',
  tag,
  summary: 'Create a calendar, or replace its days',
  description:
    'Give days or ics. The call also gives the new days to the schedules that name the calendar; `failed` lists those that keep the former ones. With dryRun nothing is written.',
  scope: 'write',
  params,
  query: ofTenant,
  body: z
    .strictObject({
      days: z
        .array(z.union([z.string(), z.strictObject({ day: date, label: z.string().optional() })], { error: noDay }))
        .max(10_000)
        .optional()
        .describe('Dates such as 2026-12-25'),
      ics: z.string().optional().describe('An iCalendar file, whose whole-day events are the days'),
      from: date.optional().describe('Recurring events count from this day on'),
      through: date.optional().describe('Recurring events count up to and including this day'),
      ignoreTimed: z.boolean().optional().describe('Leave out events that begin at a time of day'),
      dryRun: z.boolean().optional(),
    })
    .meta({ id: 'NewCalendar' }),
  answers: {
    200: {
      description: 'What was done, or would be',
      schema: z
        .object({
          name: z.string(),
          tenant: z.string(),
          status: z.enum(['created', 'changed', 'unchanged']),
          days: z.int(),
          added: z.array(date),
          removed: z.array(date),
          schedules: z.int().describe('Schedules that follow the change; for a dry run, schedules that name it'),
          failed: z.array(z.object({ scheduleId: z.string(), problem: z.string() })),
          changes: z
            .array(
              z.object({
                scheduleId: z.string(),
                fewer: z.int(),
                more: z.int(),
                nextBefore: time.optional(),
                nextAfter: time.optional(),
              }),
            )
            .optional()
            .describe('For a dry run: schedules whose times would change, over the next two years'),
        })
        .meta({ id: 'PutCalendarResult' }),
    },
  },
  handle: async ({ client, params: { calendar }, query, body }) => {
    const given = Object.entries({ ...body, ...query }).filter(([, value]) => value !== undefined);
    return { body: await client.calendars.put(calendar, Object.fromEntries(given) as PutCalendarOptions) };
  },
});

const deleteCalendar = operation({
  method: 'DELETE',
  path: '/v1/calendars/{calendar}',
  operationId: 'deleteCalendar',
  tag,
  summary: 'Delete a calendar that no schedule names',
  scope: 'write',
  params,
  query: ofTenant,
  answers: { 204: { description: 'It is deleted' } },
  handle: async ({ client, params: { calendar }, query }) => {
    await client.calendars.delete(calendar, query);
    return { status: 204 };
  },
});

export const calendarRoutes = [listCalendars, getCalendar, putCalendar, deleteCalendar];
