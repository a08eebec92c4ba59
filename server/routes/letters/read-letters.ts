import { z } from 'zod';
import { given } from '../../../core/given';
import { LETTER_STATES } from '../../../core/letters/redrive';
import { linkToNext } from '../../link';
import { operation } from '../../operation';
import { time } from '../../schemas/described';
import { page } from '../../schemas/query';
import { letterQuery, letterSchema } from './letter-schemas';

const tag = 'dead letters';

const listLetters = operation({
  method: 'GET',
  path: '/v1/dead-letters',
  operationId: 'listDeadLetters',
  tag,
  summary: 'List dead letters, newest first',
  description: 'In every state, unless `state` is given.',
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
  handle: async ({ query: { cursor, pageSize, ...asked }, client, server, url }) => {
    const filter = { ...given(asked), ...(pageSize === undefined ? {} : { pageSize }) };
    const page = await client.deadLetters.listPage({ ...filter, cursor });
    return { body: page, headers: linkToNext({ url, server }, page.nextCursor) };
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
  summary: 'Count dead letters by cause, the largest group first',
  description: 'Only open letters unless state says otherwise.',
  scope: 'read',
  query: z.strictObject({ state: z.enum(LETTER_STATES).optional(), ...letterQuery }),
  answers: { 200: { description: 'The causes', schema: z.object({ groups: z.array(group) }) } },
  handle: async ({ client, query }) => ({ body: { groups: await client.deadLetters.groups(given(query)) } }),
});

export const readLetterRoutes = [listLetters, listGroups, getLetter];
