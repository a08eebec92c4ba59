import { SchemaInUseError } from '../core/errors';
import { readAliveTriggers } from '../store/triggers';
import { raiseOldestProgram, readOldestProgram } from './applied';
import { type MigrationRun, patiently } from './patience';

/**
 * Raise the oldest allowed program before a migration with which older programs would fail or do harm. After this call,
 * older programs refuse to start, and older triggers stop after their next heartbeat.
 *
 * @throws {SchemaInUseError} while a trigger of an older program is alive, unless `force` is set
 */
export async function leaveBehind(run: MigrationRun, name: string, oldestProgram: number): Promise<void> {
  const current = await readOldestProgram(run.store);
  if (current === undefined || current >= oldestProgram) return;
  await patiently(run, async (transaction) => {
    const older = (await readAliveTriggers(transaction)).filter((trigger) => trigger.schemaVersion < oldestProgram);
    if (older.length > 0 && !run.force) {
      const who = older.map(({ host, version, id }) => `${id} (escapement ${version} on ${host})`).join(', ');
      throw new SchemaInUseError(
        `after ${name}, these live triggers are too old: ${who}; stop them first, or migrate with --force, which makes them stop`,
      );
    }
    await raiseOldestProgram(transaction, oldestProgram);
  });
}
