import { randomBytes } from 'node:crypto';
import type { Logger } from '@temporalio/common';
import { Client, Pool } from 'pg';
import { EscapementClient } from '../../index';
import { type OpenStore, openStore } from '../../store/connection';
import { buryStep } from '../../store/letters/park-step';
import { oneServer } from '../../temporal/temporal';
import { createTestDatabase } from '../../testing';
import { Trigger } from '../../trigger';
import type { Clock } from '../../trigger/clock';
import type { TriggerPasses } from '../../trigger/passes';
import { interleave } from './interleaving';
import { ModelSchedule } from './model';
import { Network } from './network';
import { MortalProcess, mortalPool, ProcessDiedError } from './process';
import { behaviourOf, type ScheduleSetup, scheduleOptions, type TraceSetup } from './setup';
import { NOTHING_SEEN, type Snapshot } from './snapshot';
import { memoOf, type PlayedChain, type TracedTemporal } from './temporal';

/** The database that the traces of one file share, one after the other. */
export interface TraceDatabase {
  pool: Pool;
  sql: Client;
  /** Asks Postgres who waits for whom. */
  watcher: Client;
  /** Reset the ledger to its initial state, so that the next trace's triggers find nothing of the previous one. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A connection that bounds its statements by itself spares them a transaction each, and a plan for any values the planning,
 * which takes longer than a trace's few rows.
 */
const SESSION = [
  'synchronous_commit=off',
  'statement_timeout=60s',
  'lock_timeout=60s',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
];

export async function openTraceDatabase(databaseUrl: string | undefined): Promise<TraceDatabase> {
  const database = await createTestDatabase({ ...(databaseUrl ? { databaseUrl } : {}), timezone: 'Asia/Kathmandu' });
  const settings = { connectionString: database.databaseUrl, options: SESSION.map((one) => `-c ${one}`).join(' ') };
  const pool = new Pool({ ...settings, max: 12, idleTimeoutMillis: 0 });
  // A failed trace may leave connections open, which are cut when the database is dropped. Their errors must not hide
  // the failure.
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  const sql = new Client(settings);
  const watcher = new Client(settings);
  await Promise.all([sql.connect(), watcher.connect()]);
  const clearing = await clearingOf(sql);
  return {
    pool,
    sql,
    watcher,
    clear: async () => void (await sql.query(clearing)),
    close: async () => {
      await Promise.all([pool.end(), sql.end(), watcher.end()]);
      await database.drop();
    },
  };
}

/** Statements that remove every row, and write down again what stands in `meta` by now. */
async function clearingOf(sql: Client): Promise<string> {
  const tables = await sql.query<{ name: string }>(`select format('%I.%I', relnamespace::regnamespace, relname) as name
    from pg_class where relnamespace = 'escapement'::regnamespace and relkind in ('r', 'p') and not relispartition`);
  const meta = await sql.query<{ row: string }>('select quote_literal(m) as row from escapement.meta m');
  return [
    ...tables.rows.map(({ name }) => `delete from ${name}`),
    ...meta.rows.map(({ row }) => `insert into escapement.meta select (${row}::escapement.meta).*`),
  ].join('; ');
}

const ignore = () => {};
const silent: Logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The order in which {@link World.runAll} calls the passes. */
export const PASSES = [
  'heartbeat',
  'askAway',
  'reconcile',
  'claim',
  'verify',
  'redrive',
  'dispatch',
  'interrupt',
  'observe',
  'reset',
] as const;
export type PassName = keyof TriggerPasses;

/** Makes the Temporal of a trace. */
export type TemporalOnClock = (clock: Clock) => TracedTemporal;

interface RunningTrigger {
  process: MortalProcess;
  trigger: Trigger;
}

/** One schedule of a trace, and what the model knows of it. */
export interface TracedSchedule {
  scheduleId: string;
  workflowType: string;
  setup: ScheduleSetup;
  /** The definition that an update of the present step wants. */
  wanted: ScheduleSetup | undefined;
  model: ModelSchedule;
}

/** Everything that the steps of a trace act on: one ledger, some triggers, a Temporal, and one clock for all. */
export class World {
  #now: number;
  readonly clock = { now: () => this.#now };
  readonly double: TracedTemporal;
  readonly network: Network;
  readonly schedules: TracedSchedule[];
  /** The ledger after the last step. */
  seen: Snapshot = NOTHING_SEEN;
  /** Chains that a person has ended or reset, so that Escapement is not responsible. */
  readonly endedByPerson = new Set<PlayedChain>();
  readonly reset = new Set<PlayedChain>();
  /** Of those that were reset: past every policy. A redrive of many keeps to its schedule's. */
  readonly beyondPolicy = new Set<PlayedChain>();
  /** What people did to each schedule in the present step. */
  readonly changes = new Map<string, string[]>();
  /** Whether a person discarded letters in the present step. */
  discarding = false;
  /** Whether two processes ran beside each other in the present step. */
  interleaved = false;
  readonly #triggers: RunningTrigger[] = [];
  #clientProcess = new MortalProcess();
  readonly #workersStore: OpenStore;
  client: EscapementClient;

  private constructor(
    readonly database: TraceDatabase,
    private readonly setup: TraceSetup,
    temporal: TemporalOnClock,
  ) {
    this.#now = setup.startsAt;
    this.double = temporal(this.clock);
    this.network = new Network(this.double, this.clock);
    const name = `t${randomBytes(4).toString('hex')}`;
    this.schedules = setup.schedules.map((schedule, index) => {
      const scheduleId = `${name}-${index}`;
      const workflowType = `workflow${index}`;
      this.double.play(workflowType, behaviourOf(schedule));
      if (schedule.workflow.catches) this.double.catching.add(workflowType);
      if (schedule.workflow.in === 'child') this.double.failingInChild.add(workflowType);
      return { scheduleId, workflowType, setup: schedule, wanted: undefined, model: new ModelSchedule(scheduleId) };
    });
    this.client = this.#newClient();
    this.#workersStore = openStore({ pool: database.pool });
  }

  static async create(database: TraceDatabase, setup: TraceSetup, temporal: TemporalOnClock): Promise<World> {
    const world = new World(database, setup, temporal);
    for (let index = 0; index < setup.triggers; index++) world.#triggers.push(await world.#newTrigger());
    for (const schedule of world.schedules) {
      await world.client.create(scheduleOptions(schedule.scheduleId, schedule.workflowType, schedule.setup));
      schedule.model.create(schedule.setup, world.#now);
    }
    return world;
  }

  get clientProcess(): MortalProcess {
    return this.#clientProcess;
  }

  schedule(index: number): TracedSchedule {
    return this.schedules[index % this.schedules.length]!;
  }

  trigger(index: number): RunningTrigger {
    return this.#triggers[index % this.#triggers.length]!;
  }

  /** Time passes; what is on its way to Temporal arrives meanwhile. */
  async advance(milliseconds: number): Promise<void> {
    const target = this.#now + Math.max(1, Math.round(milliseconds));
    const arrivesBy = this.network.arrivesBy;
    if (arrivesBy !== undefined && arrivesBy <= target) {
      this.#now = Math.max(this.#now, arrivesBy);
      await this.network.land();
    }
    this.#now = target;
  }

  /** Run passes of one trigger, one after the other. */
  async run(index: number, passes: readonly PassName[]): Promise<void> {
    const { trigger } = this.trigger(index);
    for (const pass of passes) await trigger.passes[pass]();
  }

  /** A worker parks a step that has failed for the last time. */
  async park(chain: PlayedChain): Promise<void> {
    const { step, letterId } = this.double.nextStep(chain);
    const { workflowId } = chain;
    const execution = { workflowId, runId: step.runId!, failedAt: this.#now };
    const burying = { ...memoOf(chain), ...execution, step, ...(letterId ? { letterId } : {}) };
    this.double.park(chain, step, await buryStep(this.#workersStore, burying));
  }

  /** Run work that may die, and replace its process if it did. */
  async survive(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#anyDead()) throw error;
      if (!(error instanceof ProcessDiedError)) {
        const cause = (error as Error).cause;
        if (!(cause instanceof ProcessDiedError)) throw error;
      }
    }
    await this.#replaceDead();
  }

  /** Run two tasks of different processes beside each other. */
  async interleave(tasks: { process: MortalProcess; run: () => Promise<void> }[], order: boolean[]): Promise<void> {
    this.interleaved = true;
    await interleave(tasks, order, this.database.watcher);
  }

  /** A step begins. */
  begin(): void {
    this.changes.clear();
    this.discarding = false;
    this.interleaved = false;
  }

  /** Note that a person changed a schedule in this step. */
  changed(scheduleId: string, what: string): void {
    this.changes.set(scheduleId, [...(this.changes.get(scheduleId) ?? []), what]);
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.#triggers.map(({ trigger }) => trigger.close()),
      this.client.close(),
      this.#workersStore.close(),
    ]);
  }

  #anyDead(): boolean {
    return this.#clientProcess.dead || this.#triggers.some(({ process }) => process.dead);
  }

  async #replaceDead(): Promise<void> {
    for (const [index, { process }] of this.#triggers.entries()) {
      process.dieAfter(Number.POSITIVE_INFINITY, 'before');
      if (process.dead) this.#triggers[index] = await this.#newTrigger();
    }
    this.#clientProcess.dieAfter(Number.POSITIVE_INFINITY, 'before');
    if (this.#clientProcess.dead) {
      this.#clientProcess = new MortalProcess();
      this.client = this.#newClient();
    }
  }

  #newClient(): EscapementClient {
    return new EscapementClient({
      pool: mortalPool(this.database.pool, this.#clientProcess),
      identity: 'trace',
      now: () => new Date(this.#now),
    });
  }

  async #newTrigger(): Promise<RunningTrigger> {
    const process = new MortalProcess();
    const trigger = await Trigger.createOn(
      {
        pool: mortalPool(this.database.pool, process),
        clock: this.clock,
        logger: silent,
        limits: this.setup.limits,
      },
      async () => oneServer(this.network.port(process)),
    );
    return { process, trigger };
  }
}
