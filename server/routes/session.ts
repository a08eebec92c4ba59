import { z } from 'zod';
import { version } from '../../version';
import { operation } from '../operation';

const getSession = operation({
  method: 'GET',
  path: '/v1/session',
  operationId: 'getSession',
  tag: 'overview',
  summary: 'The caller, their rights, and where Temporal shows its workflows',
  scope: 'read',
  answers: {
    200: {
      description: 'The caller and the server',
      schema: z
        .object({
          actor: z.string().describe('Recorded with each change of the caller'),
          tenant: z.string().optional().describe('The one tenant that the caller sees; all without it'),
          scopes: z.array(z.string()),
          version: z.string(),
          temporalUi: z.string().optional().describe("Address of Temporal's UI, if the server knows it"),
        })
        .meta({ id: 'Session' }),
    },
  },
  handle: ({ caller: { actor, tenant, scopes }, server: { temporalUi } }) => ({
    body: { actor, tenant, scopes: [...scopes], version, temporalUi },
  }),
});

export const sessionRoutes = [getSession];
