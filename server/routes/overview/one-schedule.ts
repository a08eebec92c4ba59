import { z } from 'zod';
import { describeWhatCan } from '../../../client/describe/describe-live';
import { readLive } from '../../../client/update/change';
import { zoneOf } from '../../../core/spec-zone';
import { readFiringLife } from '../../../store/reads/firing-life';
import { operation } from '../../operation';
import { calendarOf } from '../../overview/calendar';
import { invalid, ProblemError } from '../../problems/problem';
import { time } from '../../schemas/described';
import { text } from '../../schemas/query';
import { scheduleParams } from '../schedules/params';

const day = z.looseObject({
  day: z.string(),
  completed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  other: z.int(),
  gap: z.string().optional().describe('Why occurrences of the day have no firing'),
  ahead: z.int().describe('Firings to come'),
});

const getCalendar = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/calendar',
  operationId: 'getScheduleCalendar',
  tag: 'overview',
  summary: 'Twelve months of a schedule, day by day',
  description: 'This month, three before it, and eight to come.',
  scope: 'read',
  params: scheduleParams,
  query: z.strictObject({ timezone: text.optional().describe("The schedule's own unless given") }),
  answers: {
    200: {
      description: 'Its days',
      schema: z.object({ from: z.string(), zone: z.string(), today: z.string(), days: z.array(day) }),
    },
  },
  handle: async ({ params, query, server, caller }) => {
    const context = server.contextOf(caller);
    const { definition, state } = await describeWhatCan(context, await readLive(context, params.scheduleId));
    const zone = query.timezone ?? zoneOf(definition.spec);
    refuseUnknownZone(zone);
    const { paused, pausedUntil, completed, specError } = state;
    const sleeps = (paused && !pausedUntil) || completed || specError !== undefined;
    const spec = sleeps ? undefined : definition.spec;
    return { body: await calendarOf(server.store, { ...params, spec, zone, now: server.now(), pausedUntil }) };
  },
});

function refuseUnknownZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    throw new ProblemError(invalid([{ path: 'timezone', message: `'${zone}' is not a time zone` }]));
  }
}

const firingLife = z.looseObject({
  firstAttemptedAt: time.nullable().describe('When its start was first announced'),
  startAttemptedAt: time.nullable(),
  owner: z.string().nullable().describe('The trigger that starts it, or did'),
  ownerHost: z.string().nullable(),
  epoch: z.int(),
});

const getLife = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/firings/{time}/life',
  operationId: 'getFiringLife',
  tag: 'overview',
  summary: 'A firing, its answer in words, and the instants of its life',
  description:
    "The time is the nominal one: ISO 8601, or without an offset local time in the schedule's zone. `life` is null for an occurrence without a firing.",
  scope: 'read',
  params: scheduleParams.extend({ time: z.string() }),
  answers: {
    200: {
      description: 'What became of it',
      schema: z.object({
        explanation: z.looseObject({ answer: z.string(), sentence: z.string() }),
        life: firingLife.nullable(),
      }),
    },
  },
  handle: async ({ params, client, server, caller }) => {
    const explanation = await client.getHandle(params.scheduleId).explain(params.time);
    const key = { scheduleId: params.scheduleId, scheduledTime: explanation.time };
    const life = await readFiringLife(server.store, key, caller.tenant);
    return { body: { explanation, life: life ?? null } };
  },
});

export const oneScheduleOverviewRoutes = [getCalendar, getLife];
