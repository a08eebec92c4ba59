import type { Connection, ConnectionOptions } from '@temporalio/client';
import type { AttributeInUse, RouteInUse } from '../../store/doctor/schedules';

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
