import { onTestFinished } from 'vitest';
import { type PostgresServer, type PostgresSetUp, startPrimary as start } from '../../../chaos/world/postgres-server';

export type { PostgresServer } from '../../../chaos/world/postgres-server';

/** A primary for one test alone; it ends with the test. */
export function startPrimary(setUp: PostgresSetUp = {}): Promise<PostgresServer> {
  return start(onTestFinished, setUp);
}
