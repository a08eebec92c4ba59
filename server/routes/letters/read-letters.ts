import { z } from 'zod';
import { readCursor, readInstant, readText, writeCursor } from '../../../client/list/cursor';
import { LETTER_STATES } from '../../../core/redrive';
import { readLettersPage } from '../../../store/letters/read-letters';
import { linkToNext } from '../../link';
import { operation } from '../../operation';
import { time } from '../../schemas/described';
import { page } from '../../schemas/query';
import { given, letterQuery, letterSchema } from './letter-schemas';

const tag = 'dead letters';
const PAGE_SIZE = 200;
const ORDER = 'newest letter';

const listLetters = operation({
  method: 'GET',
  path: '/v1/dead-letters',
  operationId: 'listDeadLetters',
  tag,
  summary: 'List dead letters, newest first',
  description: 'Failures that need a person, and those that did.',
  scope: 'read',
  query: z.strictObject({ state: z.enum(LETTER_STATES).optional(), ...letterQuery, ...page }),
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({ letters: z.array(letterSchema), nextCursor: z.string().optional() })
        .meta({ id: 'DeadLetterPage' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ query: { cursor, pageSize = PAGE_SIZE, ...asked }, caller, server, url }) => {
    const filter = { ...given(asked), tenant: caller.tenant };
    const [createdAt, letterId] = cursor === undefined ? [] : readCursor(cursor, ORDER);
    const behind =
      cursor === undefined
        ? {}
        : { cursor: { createdAt: readInstant(readText(createdAt))!, letterId: readText(letterId) } };
    const found = await readLettersPage(server.store, filter, { ...behind, size: pageSize + 1 });
    const letters = found.slice(0, pageSize);
    const last = found.length > pageSize ? letters.at(-1) : undefined;
    const nextCursor = last && writeCursor(ORDER, [last.createdAt.toISOString(), last.letterId]);
    return { body: { letters, nextCursor }, headers: linkToNext({ url, server }, nextCursor) };
  },
});

const getLetter = operation({
  method: 'GET',
  path: '/v1/dead-letters/{letterId}',
  operationId: 'getDeadLetter',
  tag,
  summary: 'Describe a dead letter',
  scope: 'read',
  params: z.strictObject({ letterId: z.string() }),
  answers: { 200: { description: 'The letter', schema: letterSchema } },
  handle: async ({ client, params }) => ({ body: await client.deadLetters.get(params.letterId) }),
});

const group = z.looseObject({
  failureType: z.string(),
  step: z.string().nullable(),
  workflowType: z.string().nullable(),
  letters: z.int(),
  schedules: z.int(),
  oldestAt: time,
  newestAt: time,
  message: z.string().nullable(),
});

const listGroups = operation({
  method: 'GET',
  path: '/v1/dead-letters/groups',
  operationId: 'listDeadLetterGroups',
  tag,
  summary: 'Dead letters by their causes, the most first',
  description: 'Those that are open unless state says otherwise.',
  scope: 'read',
  query: z.strictObject({ state: z.enum(LETTER_STATES).optional(), ...letterQuery }),
  answers: { 200: { description: 'The causes', schema: z.object({ groups: z.array(group) }) } },
  handle: async ({ client, query }) => ({ body: { groups: await client.deadLetters.groups(given(query)) } }),
});

export const readLetterRoutes = [listLetters, listGroups, getLetter];
