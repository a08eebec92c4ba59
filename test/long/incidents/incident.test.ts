import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { type Incident, writeIncident } from '../../../bench/lib/fill/incident';
import type { RedriveCounts } from '../../../index';
import type { TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { TemporalDouble } from '../../../testing';
import { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';
import { blocksOf } from '../../support/scenes/many';
import { MortalProcess, mortalPool } from '../../traces/process';

const ledger = useLedger('2026-03-01T12:00:00Z');
const [SCHEDULES, EACH] = [40, 250];
/** The rate is held over this time. */
const ROUND_MILLISECONDS = 2_000;
const PER_SECOND = 20;
const PASSES = ['heartbeat', 'observe', 'reconcile', 'redrive', 'dispatch'] as const;

/** Played in this process: ten thousand workflows on a real server would take an hour. */
function playedTemporal(): TemporalDouble {
  const double = new TemporalDouble(ledger().clock);
  double.play('fulfils', { takes: '1 second' });
  return double;
}

/** Triggers of which one may die at any statement or call; a new one then replaces it. */
class Fleet {
  readonly #running: { trigger: Trigger; process: MortalProcess }[] = [];
  readonly #pool: Pool;
  deaths = 0;

  constructor(
    private readonly double: TemporalDouble,
    private readonly size: number,
  ) {
    this.#pool = new Pool({ connectionString: ledger().databaseUrl, max: 20 });
    // What a dead trigger left open is cut when the database is dropped.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    ledger().beforeClose(() => this.#pool.end());
  }

  /** One round of every pass of each trigger, at the current instant of the clock. */
  async look(): Promise<void> {
    for (let index = 0; index < this.size; index++) {
      this.#running[index] ??= await this.#start();
      const { trigger, process } = this.#running[index]!;
      try {
        for (const pass of PASSES) await trigger.passes[pass]();
      } catch (error) {
        if (!process.dead) throw error;
      }
      if (!process.dead) continue;
      this.deaths += 1;
      delete this.#running[index];
    }
  }

  /** The first of them dies within its next round. */
  kill(operations: number, when: 'before' | 'after'): void {
    this.#running[0]!.process.dieAfter(operations, when);
  }

  async #start() {
    const process = new MortalProcess();
    const { clock, log: logger } = ledger();
    const port = new Proxy(this.double, {
      get: (double, name) => {
        const call = double[name as keyof TemporalPort] as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => process.do(() => call.apply(double, args));
      },
    });
    const options = { pool: mortalPool(this.#pool, process), clock, logger };
    return { trigger: await Trigger.createOn(options, async () => oneServer(port)), process };
  }
}

/** Runs rounds until no request is left; `at` is called before each round. */
async function untilDone(fleet: Fleet, at: (look: number) => void = () => {}): Promise<void> {
  for (let look = 0; look < 1_000; look++) {
    at(look);
    await fleet.look();
    const waiting = await ledger().query(`select 1 from escapement.dead_letters where state = 'redriving' limit 1`);
    if (waiting.length === 0) return;
    ledger().clock.advance(ROUND_MILLISECONDS);
  }
  throw new Error('something that was asked for is never done');
}

/** How many letters are in each state. */
async function states(): Promise<Record<string, number>> {
  const rows = await ledger().query<{ state: string; letters: number }>(
    `select state, count(*)::int as letters from escapement.dead_letters group by 1`,
  );
  return Object.fromEntries(rows.map(({ state, letters }) => [state, letters]));
}

function expectOneAtATime(double: TemporalDouble, { scheduleIds }: Incident): void {
  const bySchedule = new Map<string, { from: number; to: number }[]>();
  for (const chain of double.chains()) {
    const { scheduleId } = chain.start.memo!;
    bySchedule.set(scheduleId, [...(bySchedule.get(scheduleId) ?? []), { from: chain.startedAt, to: chain.endsAt }]);
  }
  for (const scheduleId of [...scheduleIds.SKIP, ...scheduleIds.BUFFER_ALL]) {
    const runs = bySchedule.get(scheduleId)!.sort((one, other) => one.from - other.from);
    const beside = runs.filter(({ from }, index) => index > 0 && from < runs[index - 1]!.to);
    expect(beside, scheduleId).toEqual([]);
  }
}

async function expectRateHeld(): Promise<void> {
  const rows = await ledger().query<{ letters: number }>(
    `select count(*)::int as letters from escapement.dead_letters where redrive ? 'carriedOutAt'
     group by redrive ->> 'carriedOutAt' order by 1 desc`,
  );
  expect(rows[0]!.letters).toBeLessThanOrEqual((PER_SECOND * ROUND_MILLISECONDS) / 1_000);
}

it('10,000 letters of 40 schedules and five causes: grouped by reading each once, tried one first, discarded and restored in bulk, the rest redriven at 20 a second over two deaths, none lost, none twice', {
  timeout: 1_800_000,
}, async () => {
  const incident = await writeIncident(ledger(), {
    ...{ schedules: SCHEDULES, each: EACH, from: new Date('2026-03-01T00:00:00Z') },
    action: { type: 'startWorkflow', workflowType: 'fulfils', taskQueue: 'orders' },
  });
  const double = playedTemporal();
  const fleet = new Fleet(double, 2);
  const read: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), {
    before: (text, values) => text.includes('"dead_letters" l') && read.push([text, values]),
  });
  const { deadLetters } = ledger().newClient({ pool });

  // Ten times as many settled letters must not cost anything.
  await ledger().query(`insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
      failed_step, created_at, updated_at)
    select gen_random_uuid(), schedule_id, scheduled_time - n * interval '1 day', 0, kind, 'resolved', reason, namespace, failed_step,
      created_at - n * interval '1 day', updated_at - n * interval '1 day' from escapement.letters, generate_series(1, 10) n`);
  await ledger().query('vacuum analyze escapement.letters');
  const groups = await deadLetters.groups();
  expect(groups.map(({ failureType, step, letters, schedules }) => [failureType, step, letters, schedules])).toEqual([
    ['BankAway', 'chargeCard', 4_120, 40],
    ['NoSuchAddress', 'ship', 2_520, 40],
    ['TIMEOUT_START_TO_CLOSE', 'pack', 1_920, 40],
    ['TypeError', null, 960, 40],
    ['CardDeclined', 'chargeCard', 480, 40],
  ]);
  expect(await blocksOf(ledger(), ...read.pop()!)).toBeLessThan(incident.letters);
  for await (const letter of deadLetters.list({ state: 'open', step: 'ship', pageSize: 50 })) {
    expect(letter.failedStep).toMatchObject({ failure: { type: 'NoSuchAddress' } });
    break;
  }
  expect(await blocksOf(ledger(), ...read.pop()!)).toBeLessThan(1_000);

  const restart = { mode: 'restart' as const, perSecond: PER_SECOND };
  const first = { total: 1, redriven: 1, refused: {} };
  expect(await deadLetters.redriveAll({ failureType: 'BankAway' }, { ...restart, atMost: 1 })).toEqual(first);
  await untilDone(fleet);
  expect(await states()).toMatchObject({ open: 9_999, resolved: 100_001 });

  const note = 'these customers have left';
  expect(await deadLetters.discardAll({ failureType: 'CardDeclined' }, { note })).toMatchObject({ discarded: 480 });
  for await (const { letterId } of deadLetters.list({ state: 'discarded', order: 'oldest' })) {
    expect(await deadLetters.restore(letterId, { note: 'this one has not' })).toMatchObject({ state: 'open' });
    break;
  }

  // The caller dies as well, and makes the request again.
  const interrupted = deadLetters.redriveAll(
    { state: 'open' },
    {
      ...restart,
      progress: ({ redriven }: RedriveCounts) => {
        if (redriven === 3_000) throw new Error('the connection is gone');
      },
    },
  );
  await expect(interrupted).rejects.toThrow('the connection is gone');
  const rest = { total: 6_520, redriven: 6_520, refused: {} };
  expect(await deadLetters.redriveAll({ state: 'open' }, restart)).toEqual(rest);

  ledger().clock.advance(ROUND_MILLISECONDS);
  await untilDone(fleet, (look) => {
    if (look === 60) fleet.kill(40, 'after');
    if (look === 120) fleet.kill(75, 'before');
  });
  expect(fleet.deaths).toBe(2);
  expect(await states()).toEqual({ resolved: 100_000 + 9_521, discarded: 479 });
  expect(double.chains()).toHaveLength(9_521);
  expect(new Set(double.chains().map(({ workflowId }) => workflowId)).size).toBe(9_521);
  expect(
    await ledger().query(
      `select outcome, epoch, count(*)::int as firings from escapement.firings group by 1, 2 order by 1`,
    ),
  ).toEqual([
    { outcome: 'completed', epoch: 1, firings: 9_521 },
    { outcome: 'failed', epoch: 0, firings: 479 },
  ]);
  expectOneAtATime(double, incident);
  await expectRateHeld();
});
