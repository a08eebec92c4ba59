import { randomBytes } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { afterEach, beforeEach, inject } from 'vitest';
import { EscapementClient, type EscapementClientOptions, type Firing, type ScheduleOptions } from '../../index';
import { createTestDatabase } from '../../testing';
import { Trigger } from '../../trigger';
import type { TunedTriggerOptions } from '../../trigger/options';
import { grantLeast, urlFor } from './least-privilege';
import { ManualClock } from './ledger-clock';
import { MemoryLogger } from './logger';

/** How many of a failed test's last log lines are printed. */
const LINES_REPORTED = 30;

/** A ledger for one test: a new database, with a session time zone other than UTC and its own clock. */
export class TestLedger {
  readonly log = new MemoryLogger();
  readonly client: EscapementClient;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(
    readonly databaseUrl: string,
    readonly sql: Client,
    readonly clock: ManualClock,
  ) {
    this.client = this.newClient();
  }

  newClient(options: Partial<EscapementClientOptions> = {}): EscapementClient {
    const client = new EscapementClient({
      connectionString: urlFor(this.databaseUrl, 'client'),
      identity: 'test',
      now: () => new Date(this.clock.now()),
      ...options,
    });
    this.#closers.push(() => client.close());
    return client;
  }

  /** A trigger with the real Temporal server and this ledger's clock. The test calls its passes. */
  async trigger(options: Partial<TunedTriggerOptions> = {}): Promise<Trigger> {
    const trigger = await Trigger.createTuned({
      connectionString: urlFor(this.databaseUrl, 'trigger'),
      connection: { address: inject('temporalAddress'), connectTimeout: 60_000 },
      clock: this.clock,
      logger: this.log,
      ...options,
      // The server lists closed workflows by its own clock, which is not the ledger's, so each chain is polled
      // directly.
      limits: { listEndsIntervalMilliseconds: 0, ...options.limits },
    });
    this.#closers.push(() => trigger.close());
    return trigger;
  }

  /** Claims of a new trigger, one at each of these times of 1 March 2026. @returns the trigger's passes */
  async claimAt(...clocks: string[]): Promise<Trigger['passes']> {
    const { passes } = await this.trigger();
    for (const clock of clocks) {
      this.clock.set(`2026-03-01T${clock}Z`);
      await passes.claim();
    }
    return passes;
  }

  /** Add a clean-up step that runs before earlier ones when the ledger closes. */
  beforeClose(undo: () => Promise<void>): void {
    this.#closers.push(undo);
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.sql.query<Row>(text, values)).rows;
  }

  /** Firings of a schedule, newest first. */
  async firings(scheduleId: string): Promise<Firing[]> {
    const firings: Firing[] = [];
    for await (const firing of this.client.getHandle(scheduleId).firings()) firings.push(firing);
    return firings;
  }

  /** Every firing and gap of a schedule, as short texts in the order of time. */
  async answers(scheduleId: string): Promise<string[]> {
    const rows = await this.query<{ answer: string }>(
      `select answer from (
         select scheduled_time as at, concat_ws(' ', to_char(scheduled_time at time zone 'UTC', 'MM-DD"T"HH24:MI:SS.MS'),
           kind, state, outcome, reason) as answer from escapement.firings where schedule_id = $1
         union all
         select from_time, format('%s..%s gap %s %s', to_char(from_time at time zone 'UTC', 'MM-DD"T"HH24:MI:SS.MS'),
           to_char(to_time at time zone 'UTC', 'MM-DD"T"HH24:MI:SS.MS'), count, reason) from escapement.gaps
           where schedule_id = $1) x order by at, answer`,
      [scheduleId],
    );
    return rows.map((row) => row.answer.replaceAll('.000', ''));
  }

  /** Prints what a test that failed has left: its last log lines, and what its sessions do. */
  async report(): Promise<void> {
    const other = new Client({ connectionString: this.databaseUrl });
    await other.connect();
    const { rows } = await other.query(
      `select pid, application_name, state, wait_event, xact_start, left(query, 200) as query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await other.end();
    const lines = this.log.lines.slice(-LINES_REPORTED);
    process.stderr.write([...lines, ...rows].map((one) => `${JSON.stringify(one)}\n`).join(''));
  }

  async close(): Promise<void> {
    try {
      for (const close of this.#closers.reverse()) await close();
    } finally {
      await this.sql.end();
    }
  }
}

/** One {@link TestLedger} per test of the file. */
export function useLedger(start = '2026-03-01T00:00:00Z'): () => TestLedger {
  let ledger: TestLedger;
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const database = await createTestDatabase({ databaseUrl: inject('databaseUrl'), timezone: 'Asia/Kathmandu' });
    const sql = new Client({ connectionString: database.databaseUrl });
    await sql.connect();
    await grantLeast(sql);
    ledger = new TestLedger(database.databaseUrl, sql, new ManualClock(start));
    drop = () => database.drop();
  });
  afterEach(async ({ task }) => {
    try {
      if (task.result?.state === 'fail') await ledger.report();
      await ledger.close();
    } finally {
      await drop();
    }
  });
  return () => ledger;
}

/** A name that no other test uses: the Temporal server is shared. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/** Options of a schedule for tests to which the details do not matter, changed by `options`. */
export function someSchedule(options: Partial<ScheduleOptions> = {}): ScheduleOptions {
  return {
    scheduleId: uniqueName('schedule'),
    spec: { cron: '0 * * * *' },
    action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: 'nobody-polls' },
    ...options,
  };
}

/** A schedule that fires each second, even while its workflows run. */
export const everySecond = (): ScheduleOptions =>
  someSchedule({ spec: { cron: '* * * * * *' }, policies: { overlap: 'ALLOW_ALL' } });
