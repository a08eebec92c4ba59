import type { Bench } from '../bench';
import type { Ledger } from '../ledger';
import { countWorkflows } from '../measure/histories';
import { type Check, check } from '../result';
import { settledCount } from '../wait';

/** Counts of the firings of some schedules, after all of these firings are closed. */
export interface Account {
  expected: number;
  /** The number of rows in the ledger. */
  rows: number;
  /** The number of completed firings in the ledger. */
  completed: number;
  /** The number of workflows in Temporal; a firing that was started twice counts twice here. */
  executions: number;
}

/**
 * Counts the firings and workflows of the schedules whose IDs begin with the prefix. Their workflow IDs begin with it
 * too.
 */
export async function takeAccount(
  { connection, servers }: Bench,
  ledger: Ledger,
  { prefix, expected }: { prefix: string; expected: number },
): Promise<Account> {
  const ofPrefix = 'starts_with(schedule_id, $1)';
  return {
    expected,
    rows: await ledger.count(ofPrefix, [prefix]),
    completed: await ledger.count(`${ofPrefix} and outcome = 'completed'`, [prefix]),
    executions: await settledCount(() =>
      countWorkflows(connection, servers.namespace, `WorkflowId STARTS_WITH '${prefix}'`),
    ),
  };
}

export function eachOnce(accounts: readonly Account[]): Check {
  const wrong = accounts.filter(({ expected, ...found }) => !Object.values(found).every((count) => count === expected));
  const firings = accounts.reduce((sum, { expected }) => sum + expected, 0);
  return check(
    'each firing is once in the ledger, completed, and once in Temporal',
    wrong.length === 0,
    wrong.length === 0 ? `${firings} firings` : JSON.stringify(wrong),
  );
}
