import { z } from 'zod';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../../../core/firing';
import { linkToNext } from '../../link';
import { operation } from '../../operation';
import { explanationSchema, firingSchema, time, versionSchema } from '../../schemas/described';
import { count, instant, page, text, words } from '../../schemas/query';
import { scheduleParams } from './params';

const tag = 'schedules';
const MOST_NEXT_TIMES = 1_000;
const MOST_VERSIONS = 200;
/** How many versions are read at once. Each may have arguments of 2 MiB. */
const VERSIONS_AT_ONCE = 22;
/**
 * A page ends early after this many characters, so that versions with long arguments do not fill the server's memory.
 */
const MOST_CHARACTERS = 8 * 1024 * 1024;

const next = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/next',
  operationId: 'nextTimes',
  tag,
  summary: "The spec's next times, without those that are excluded",
  scope: 'read',
  params: scheduleParams,
  query: z.strictObject({ count: count(1, MOST_NEXT_TIMES).optional().describe('5 unless given') }),
  answers: { 200: { description: 'The times', schema: z.object({ times: z.array(time) }).meta({ id: 'NextTimes' }) } },
  handle: async ({ client, params, query }) => ({
    body: { times: await client.getHandle(params.scheduleId).nextTimes(query.count) },
  }),
});

const firings = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/firings',
  operationId: 'listScheduleFirings',
  tag,
  summary: 'List firings of a schedule',
  description: 'Also for a deleted schedule. Newest first unless order says otherwise.',
  scope: 'read',
  params: scheduleParams,
  query: z.strictObject({
    from: instant.optional().describe('Earliest nominal time, inclusive'),
    to: instant.optional().describe('Latest nominal time, exclusive'),
    state: words(FIRING_STATES).optional(),
    outcome: words(FIRING_OUTCOMES).optional(),
    kind: words(FIRING_KINDS).optional(),
    order: z.enum(['newest', 'oldest']).optional(),
    ...page,
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({ firings: z.array(firingSchema), nextCursor: z.string().optional() })
        .meta({ id: 'FiringPage' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ client, params, query, ...call }) => {
    const found = await client.getHandle(params.scheduleId).firingsPage(query);
    return { body: found, headers: linkToNext(call, found.nextCursor) };
  },
});

const explain = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/explain',
  operationId: 'explainTime',
  tag,
  summary: 'Explain what happened at an instant, and why',
  description: 'Also for a deleted schedule.',
  scope: 'read',
  params: scheduleParams,
  query: z.strictObject({
    time: text.describe("An instant in ISO 8601, or without an offset local time in the schedule's zone"),
  }),
  answers: { 200: { description: 'The answer', schema: explanationSchema } },
  handle: async ({ client, params, query }) => ({
    body: await client.getHandle(params.scheduleId).explain(query.time),
  }),
});

const versions = operation({
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/versions',
  operationId: 'listScheduleVersions',
  tag,
  summary: 'The definitions that a schedule has had',
  description: 'Newest first; also for a deleted schedule. Versions with long arguments make a page shorter.',
  scope: 'read',
  params: scheduleParams,
  query: z.strictObject({
    pageSize: count(1, MOST_VERSIONS).optional().describe('20 unless given'),
    cursor: count(1, 2 ** 31 - 1)
      .optional()
      .describe('The nextCursor of the previous page'),
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({ versions: z.array(versionSchema), nextCursor: z.string().optional() })
        .meta({ id: 'VersionPage' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ client, params, query: { pageSize = 20, cursor }, ...call }) => {
    const shown = [];
    let characters = 0;
    let isMore = false;
    // Two versions more than requested are read: one shows that there is a next page. A version is returned only after
    // the one before it was read, so the second saves another read.
    const readAtOnce = Math.min(pageSize + 2, VERSIONS_AT_ONCE);
    const read = { pageSize: readAtOnce, ...(cursor === undefined ? {} : { before: cursor }) };
    for await (const version of client.getHandle(params.scheduleId).versions(read)) {
      isMore = shown.length === pageSize || characters > MOST_CHARACTERS;
      if (isMore) break;
      shown.push(version);
      characters += JSON.stringify(version).length;
    }
    const nextCursor = isMore ? String(shown.at(-1)!.version) : undefined;
    return { body: { versions: shown, nextCursor }, headers: linkToNext(call, nextCursor) };
  },
});

export const scheduleHistoryRoutes = [next, firings, explain, versions];
