import type { Bench } from '../../lib/bench';
import { workflowIdAt } from '../../lib/calendar';
import type { Child } from '../../lib/child';
import { type Load, loadEachSecond } from '../../lib/fill/load';
import type { Ledger } from '../../lib/ledger';
import { allClosed } from '../../lib/measure/closed';
import { firstTaskTimes } from '../../lib/measure/histories';
import { startTrigger } from '../../lib/trigger-process';
import { type Account, takeAccount } from '../../lib/usage/account';
import { at, seconds } from '../../lib/wait';

export interface KillSize {
  /** The number of schedules that fire each second. */
  schedules: number;
  forSeconds: number;
  /**
   * The earliest and latest time from which the kill waits for held claims, for at most ten seconds. It is random, so
   * that the age of the last heartbeat varies.
   */
  killBetweenSeconds: readonly [number, number];
  /** Whether it is an error if the killed trigger held no claims. */
  holds: boolean;
  rounds: number;
}

/** The lag of one firing under load. */
export interface Lag {
  /** The firing's nominal time, in seconds since the load began. */
  second: number;
  milliseconds: number;
  /** Whether the firing was recovered from the killed trigger. */
  recovered: boolean;
}

/** For how long the kill waits until the trigger holds claims. */
export const BUSY_WITHIN_MILLISECONDS = 10_000;
/** The time in which statements that were sent before the freeze take effect. */
const IN_FLIGHT_SECONDS = 0.05;

/**
 * Measures the lag of every firing of two triggers under load, one of which may be killed, and counts the results of
 * the firings.
 */
export function lagsUnderLoad(
  bench: Bench,
  size: KillSize,
  kills: boolean,
): Promise<{ lags: Lag[]; account: Account }> {
  const { address } = bench.servers;
  return bench.withLedger(async (ledger) => {
    const { databaseUrl } = ledger;
    return bench.during(await startTrigger({ databaseUrl, address }), async (victim) =>
      bench.during(await startTrigger({ databaseUrl, address }), async () => {
        const load = await loadEachSecond(ledger, { schedules: size.schedules, forSeconds: size.forSeconds });
        const [earliest, latest] = size.killBetweenSeconds;
        await at(load.from + (earliest + Math.random() * (latest - earliest)) * 1_000);
        if (kills) await killWhileBusy(victim, ledger);
        const expected = size.schedules * size.forSeconds;
        await allClosed(ledger, load.prefix, expected);
        const account = await takeAccount(bench, ledger, { prefix: load.prefix, expected });
        return { lags: await lagsOf(bench, ledger, load), account };
      }),
    );
  });
}

/** Kills the trigger when it holds claims that it has not linked, or after some time in any case. */
async function killWhileBusy(victim: Child, ledger: Ledger): Promise<void> {
  const id = /"triggerId":"([^"]+)"/.exec(victim.log())![1];
  const isBusy = async () => (await ledger.count(`state = 'claimed' and owner = $1`, [id])) > 0;
  const deadline = Date.now() + BUSY_WITHIN_MILLISECONDS;
  while (Date.now() < deadline) {
    if (!(await isBusy())) continue;
    // Claims are linked within milliseconds, so the trigger is first frozen, and killed only if it then holds claims.
    victim.freeze();
    await seconds(IN_FLIGHT_SECONDS);
    if (await isBusy()) break;
    victim.thaw();
  }
  await victim.kill();
}

async function lagsOf({ connection, servers }: Bench, ledger: Ledger, load: Load): Promise<Lag[]> {
  const rows = await ledger.query<{ schedule_id: string; scheduled_time: Date; recovered: boolean }>(
    `select schedule_id, scheduled_time, recovery is not null as recovered from escapement.firings
     where starts_with(schedule_id, $1)`,
    [load.prefix],
  );
  const workflowIds = rows.map((row) => workflowIdAt(row.schedule_id, row.scheduled_time.getTime()));
  const times = await firstTaskTimes(connection, servers.namespace, workflowIds);
  return rows.map((row, index) => ({
    second: (row.scheduled_time.getTime() - load.from) / 1_000,
    milliseconds: times[index]! - row.scheduled_time.getTime(),
    recovered: row.recovered,
  }));
}
