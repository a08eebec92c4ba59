import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, vi } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { createTestDatabase } from '../../../testing';
import type { Trigger } from '../../../trigger';
import { grantLeastAt } from '../../support/least-privilege';
import { someSchedule, TestLedger, uniqueName } from '../../support/ledger';
import { ManualClock } from '../../support/ledger-clock';
import { useWorker } from '../../support/temporal';

// Long before Temporal’s own clock, whose times are compared with the ledger’s.
export const START = '2020-03-01T00:30:00Z';

export const DUE = '2020-03-01T01:00:00Z';

/** What a test has done, to be undone after it. */
export const undo: (() => Promise<void>)[] = [];

/** Work on a ledger, and leave no connection to it behind. */
export async function on<Result>(databaseUrl: string, work: (ledger: TestLedger) => Promise<Result>, at = START) {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  const ledger = new TestLedger(databaseUrl, sql, new ManualClock(at));
  return work(ledger).finally(() => ledger.close());
}

/** The database after the failover: what the standby had received, or the last backup. */
export async function copyOf(databaseUrl: string): Promise<string> {
  const name = uniqueName('copy').replaceAll('-', '_');
  const copy = new URL(databaseUrl);
  const admin = async (text: string) => {
    const client = new Client({ connectionString: inject('databaseUrl') });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await admin(`create database ${name} template ${copy.pathname.slice(1)}`);
  undo.push(() => admin(`drop database ${name} with (force)`));
  copy.pathname = `/${name}`;
  return copy.href;
}

/** Swap the names of two databases, as when a backup replaces the former database. */
export async function swap(one: string, other: string): Promise<void> {
  const [name, otherName] = [one, other].map((url) => new URL(url).pathname.slice(1));
  const admin = new Client({ connectionString: inject('databaseUrl') });
  await admin.connect();
  try {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [
      [name, otherName],
    ]);
    await admin.query(`alter database ${name} rename to ${name}_was`);
    await admin.query(`alter database ${otherName} rename to ${name}`);
    await admin.query(`alter database ${name}_was rename to ${otherName}`);
  } finally {
    await admin.end();
  }
}

/** Claim and start what is due at these instants. */
export async function fireAt(ledger: TestLedger, ...instants: string[]): Promise<Trigger> {
  const trigger = await ledger.trigger();
  for (const instant of instants) {
    ledger.clock.set(instant);
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    await trigger.passes.dispatch();
  }
  return trigger;
}

/** Workflow and first run of each firing, in the order of time. */
export async function runsOf(ledger: TestLedger, scheduleId: string): Promise<[string, string][]> {
  const firings = (await ledger.firings(scheduleId)).filter((firing) => firing.runId != null);
  return firings.reverse().map((firing) => [firing.workflowId!, firing.runId!]);
}

/** Adopt until every namespace has answered: Temporal allows few lists a second, and other tests take some. */
export async function adoptAll(ledger: TestLedger, trigger: Trigger): Promise<{ adopted: number; reopened: number }> {
  const sum = { adopted: 0, reopened: 0 };
  for (;;) {
    const { adopted, reopened, complete } = await trigger.passes.adopt();
    sum.adopted += adopted;
    sum.reopened += reopened;
    if (complete) return sum;
    ledger.clock.advance(2_000);
  }
}

/** A ledger whose database fails over, and a namespace of its own. */
export function useFailover() {
  // What is adopted is found among all that the namespace has.
  const worker = useWorker({ ownNamespace: true });

  let original: string;

  function schedule(workflowType: string, options: Partial<ScheduleOptions> = {}): ScheduleOptions {
    return someSchedule({
      action: { type: 'startWorkflow', workflowType, taskQueue: worker().taskQueue },
      namespace: worker().namespace,
      ...options,
    });
  }

  /** Temporal's list shows as many runs of a schedule; it lags behind. */
  async function listed(scheduleId: string, count: number): Promise<string[]> {
    return vi.waitFor(
      async () => {
        const runs: string[] = [];
        for await (const run of worker().client.workflow.list({ query: `WorkflowId STARTS_WITH '${scheduleId}-'` })) {
          runs.push(run.runId);
        }
        expect(runs).toHaveLength(count);
        return runs;
      },
      // Temporal allows few lists a second.
      { timeout: 60_000, interval: 500 },
    );
  }

  beforeEach(async () => {
    const database = await createTestDatabase({ databaseUrl: inject('databaseUrl') });
    original = database.databaseUrl;
    undo.push(database.drop);
    await grantLeastAt(original);
  });

  afterEach(async () => {
    for (const one of undo.splice(0).reverse()) await one();
  });

  return { worker, original: () => original, schedule, listed };
}
