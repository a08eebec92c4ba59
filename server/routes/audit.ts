import { z } from 'zod';
import { readAudit } from '../../store/api/audit';
import { linkToNext } from '../link';
import { operation } from '../operation';
import { time } from '../schemas/described';
import { count } from '../schemas/query';

const MOST_ENTRIES = 1_000;
const ENTRIES = 200;

const listAudit = operation({
  method: 'GET',
  path: '/v1/audit',
  operationId: 'listAudit',
  tag: 'access',
  summary: 'Requests for changes over HTTP: who, the address of the peer, and the status of the answer',
  description:
    'Newest first. Requests that were refused before they reached their operation, such as without a valid token, are not in it. Dry runs are not in it either. A definition that its operation refuses is in it. A token of one tenant sees only the requests of that tenant.',
  scope: 'admin',
  query: z.strictObject({
    pageSize: count(1, MOST_ENTRIES).optional().describe(`${ENTRIES} unless given`),
    cursor: count(1, Number.MAX_SAFE_INTEGER).optional().describe('The nextCursor of the previous page'),
  }),
  answers: {
    200: {
      description: 'One page',
      schema: z
        .object({
          entries: z.array(
            z
              .object({
                auditId: z.string(),
                at: time,
                tenant: z.string().nullable(),
                actor: z.string(),
                token: z.string().nullable(),
                address: z.string(),
                operation: z.string(),
                target: z.string(),
                status: z.int().nullable().describe('null while it is in progress, or if it was never written'),
              })
              .meta({ id: 'AuditEntry' }),
          ),
          nextCursor: z.string().optional(),
        })
        .meta({ id: 'AuditPage' }),
      headers: { link: 'The next page, as rel="next"' },
    },
  },
  handle: async ({ query: { pageSize = ENTRIES, cursor }, caller, ...call }) => {
    const before = cursor === undefined ? undefined : String(cursor);
    const { store } = call.server;
    const found = await readAudit(store, { tenant: caller.tenant, before, size: pageSize + 1 });
    const entries = found.slice(0, pageSize);
    const nextCursor = found.length > pageSize ? entries.at(-1)!.auditId : undefined;
    return { body: { entries, nextCursor }, headers: linkToNext(call, nextCursor) };
  },
});

export const auditRoutes = [listAudit];
