import type { Connection, ConnectionOptions } from '@temporalio/client';
import type { AttributeInUse, RouteInUse } from '../../store/doctor/schedules';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';

/** A namespace of Temporal, with the schedules that start workflows in it. */
export interface NamespaceContext {
  namespace: string;
  connection: Connection;
  /** The address and credentials of the connection. */
  options: ConnectionOptions;
  routes: RouteInUse[];
  attributes: AttributeInUse[];
}

export const CALL_MILLISECONDS = 5_000;

export function call<Response>({ connection }: NamespaceContext, rpc: () => Promise<Response>): Promise<Response> {
  return connection.withDeadline(Date.now() + CALL_MILLISECONDS, rpc);
}

const NOT_SAID: (number | undefined)[] = [grpcStatus.PERMISSION_DENIED, grpcStatus.UNIMPLEMENTED];

/** Whether the server does not have a call, or does not allow it. */
export function isNotSaid(error: unknown): boolean {
  return NOT_SAID.includes(grpcCodeOf(error));
}
