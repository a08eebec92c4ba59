import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inject } from 'vitest';
import { commandIn, unpackVersionBefore } from '../../../chaos/world/version-before';
import type * as client from '../../../index';
import type * as migrations from '../../../migrations';
import type * as trigger from '../../../trigger';
import type { TestLedger } from '../ledger';
import { MemoryLogger } from '../logger';

/** Escapement as packed at the previous version, with today's dependencies. */
export interface PreviousVersion {
  client: typeof client;
  migrations: typeof migrations;
  trigger: typeof trigger;
  /** Path of the script of its command `escapement`. */
  command: string;
  remove(): void;
}

/** That version's pass that starts claimed firings. */
export function startPass(old: trigger.Trigger): Promise<{ linked: number }> {
  return (old.passes as unknown as { start(): Promise<{ linked: number }> }).start();
}

/** A trigger of that version, on the ledger's clock. */
export async function triggerOf(previous: PreviousVersion, ledger: TestLedger) {
  const trigger = await previous.trigger.Trigger.create({
    connectionString: ledger.databaseUrl,
    connection: { address: inject('temporalAddress') },
    clock: ledger.clock,
    logger: new MemoryLogger(),
  } as Parameters<typeof previous.trigger.Trigger.create>[0]);
  ledger.beforeClose(() => trigger.close());
  return trigger;
}

/** Schema version of that program. */
export const PREVIOUS_SCHEMA_VERSION = 9;

/** Unpack and load the previous version. */
export function previousVersion(): PreviousVersion {
  const directory = unpackVersionBefore();
  const load = createRequire(join(directory, 'package.json'));
  return {
    client: load('./dist/index.js'),
    migrations: load('./dist/migrations/index.js'),
    trigger: load('./dist/trigger/index.js'),
    command: commandIn(directory),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
