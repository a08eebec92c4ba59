import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { type ClientOptions, type Environment, withTenant } from '../environment';

export type MovingFlags = ClientOptions & { json?: boolean };

export function withMoving(command: Command, each = 'a schedule'): Command {
  return withTenant(command).option('--json', `print JSON, one line ${each}`);
}

export async function withTemporalClient<Result>(
  environment: Environment,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { connectionOptions, namespace } = environment.temporal();
  const connection = Connection.lazy(connectionOptions);
  try {
    return await work(new Client({ connection, ...(namespace ? { namespace } : {}) }));
  } finally {
    await connection.close();
  }
}
