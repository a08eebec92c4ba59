import { z } from 'zod';
import { NO_DURATION } from '../../core/definition/shape';

export const duration = z
  .union([z.string(), z.number()], { error: NO_DURATION })
  .describe("Milliseconds, or a text such as '90 minutes'")
  .meta({ id: 'Duration' });
const instant = z.string().meta({ format: 'date-time' });
const oneOrMore = (text: z.ZodType) =>
  z.union([text, z.array(text)], { error: 'is neither a text nor a list of texts' });

const calendarField = z
  .unknown()
  .describe("A number, a name, '*', { start, end, step }, or a list of these, as Temporal's CalendarSpec has it");

const calendar = z
  .strictObject({
    second: calendarField.optional(),
    minute: calendarField.optional(),
    hour: calendarField.optional(),
    dayOfMonth: calendarField.optional(),
    month: calendarField.optional(),
    year: calendarField.optional(),
    dayOfWeek: calendarField.optional(),
    comment: z.string().optional(),
  })
  .meta({ id: 'CalendarSpec' });

const interval = z
  .strictObject({ every: duration, offset: duration.optional(), anchor: instant.optional() })
  .meta({ id: 'IntervalSpec' });

export const specSchema = z
  .strictObject({
    cron: oneOrMore(z.string()).optional().describe('5 fields; 6 with leading seconds; 7 with trailing year'),
    timezone: z.string().optional().describe("Such as Europe/Berlin; 'UTC' unless given"),
    dst: z.enum(['ONCE', 'LITERAL']).optional().describe('What cron does when the clock changes; ONCE unless given'),
    at: oneOrMore(instant).optional().describe('Single instants'),
    intervals: z.array(interval).optional(),
    calendars: z.array(calendar).optional().describe("As Temporal's own"),
    cronExpressions: z.array(z.string()).optional().describe("Cron as Temporal's server reads it"),
    skip: z.array(calendar).optional().describe('Times that are left out'),
    skipDays: z
      .array(z.string())
      .optional()
      .describe('Days on which nothing occurs: names of calendars of days, and dates such as 2026-12-31'),
    onlyDays: z.array(z.string()).optional().describe('The only days on which it fires, named like those of skipDays'),
    calendarDays: z
      .record(z.string(), z.string())
      .optional()
      .describe('Current days of the named calendars; ignored in a request'),
    startAt: instant.optional(),
    endAt: instant.optional(),
    jitter: duration.optional(),
  })
  .describe('When it fires: the union of all parts, without skip. {} fires only by hand')
  .meta({ id: 'ScheduleSpec' });
