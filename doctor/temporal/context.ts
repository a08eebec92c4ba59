import type { Connection, ConnectionOptions } from '@temporalio/client';
import type { AttributeInUse, RouteInUse } from '../../store/doctor/schedules';

/** A namespace of Temporal, and what starts workflows there. */
export interface NamespaceContext {
  namespace: string;
  connection: Connection;
  /** What it was made of. */
  options: ConnectionOptions;
  /** By task queue. */
  routes: RouteInUse[];
  /** Search attributes that are set on them. */
  attributes: AttributeInUse[];
}

/** One call takes no longer. */
export const CALL_MILLISECONDS = 5_000;

/** Call the server, with a deadline. */
export function call<Response>({ connection }: NamespaceContext, rpc: () => Promise<Response>): Promise<Response> {
  return connection.withDeadline(Date.now() + CALL_MILLISECONDS, rpc);
}
