import type { Store } from '../store/connection';
import { readStepsDone, recordApplied, recordStep } from './applied';
import { buildIndexStep, dropIndexStep } from './index-steps';
import { leaveBehind } from './leave-behind';
import type { LedgerMigration, Step } from './migration';
import { type MigrationRun, patiently } from './patience';

export async function applyMigration(run: MigrationRun, name: string, migration: LedgerMigration): Promise<void> {
  const { steps, oldestProgram } = migration;
  run.onProgress(`Applying ${name}.`);
  await leaveBehind(run, name, oldestProgram);
  for (let done = await readStepsDone(run.store, name); done < steps.length; done++) {
    await applyStep(run, steps[done]!, (transaction) => recordStep(transaction, name, done + 1));
  }
  await patiently(run, (transaction) => recordApplied(transaction, name));
}

async function applyStep(run: MigrationRun, step: Step, record: (transaction: Store) => Promise<void>): Promise<void> {
  if ('statements' in step) {
    return patiently(run, async (transaction) => {
      for (const statement of step.statements) await statement.execute(transaction.db);
      await record(transaction);
    });
  }
  // An index step runs outside a transaction: if it is killed before it is recorded, the next run finds its work.
  if ('buildIndex' in step) await buildIndexStep(run, step);
  else await dropIndexStep(run, step);
  await patiently(run, record);
}
