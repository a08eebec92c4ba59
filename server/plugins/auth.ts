import type { FastifyRequest } from 'fastify';
import { type Caller, SCOPES } from '../caller';
import type { ServerContext } from '../context';
import type { AnyOperation } from '../operation';

const ALL = new Set(SCOPES);

/** Who calls, and that they may. Without tokens the server listens on loopback alone, and whoever reaches it may do all. */
export function authorize(request: FastifyRequest, _operation: AnyOperation, context: ServerContext): Caller {
  return { actor: context.identity, token: undefined, tenant: context.tenant, scopes: ALL, address: request.ip };
}
