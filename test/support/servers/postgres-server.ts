import { onTestFinished } from 'vitest';
import { type PostgresServer, type PostgresSetUp, startPrimary as start } from '../../../chaos/world/postgres-server';

export type { PostgresServer } from '../../../chaos/world/postgres-server';

/** A primary that has been set up for nothing else; it ends with the test. */
export function startPrimary(setUp: PostgresSetUp = {}): Promise<PostgresServer> {
  return start(onTestFinished, setUp);
}
