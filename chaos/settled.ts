import { setTimeout } from 'node:timers/promises';
import type { listRuns } from '../bench/lib/measure/list-runs';
import type { World } from './world/world';

const LOOK_EVERY_MILLISECONDS = 500;
/** How often the log names the work for which the run waits. */
const TELL_EVERY_MILLISECONDS = 15_000;
/**
 * A minute after the adoption that follows a failover, triggers read Temporal's list of runs once more, since it lags
 * behind. Until then the ledger may lack rows (L1 of `docs/guarantees.md`), so the run waits for this second adoption,
 * but at most this long.
 */
const SECOND_ADOPTION_MILLISECONDS = 120_000;

/**
 * SQL that counts unfinished work in the ledger. It also says whether triggers have yet to adopt, or to ask parked
 * runs, for the second time after a failover.
 */
const LEFT = `select (select count(*)::int from escapement.firings where state in ('buffered', 'claimed', 'linked'))
  + (select count(*)::int from escapement.timers where wake_at <> 'infinity')
  + (select count(*)::int from escapement.dead_letters where state in ('open', 'redriving'))
  + (select count(*)::int from escapement.alert_messages where delivered_at is null) as left,
  exists (select from escapement.meta where key = 'parked_round' and value <> 'null') as "isToAdopt"`;

/** SQL that reads unfinished work in the ledger; rows of firings come first. */
const WHAT_IS_LEFT = `(select to_jsonb(f) as row from escapement.firings f where state in ('buffered', 'claimed', 'linked') order by scheduled_time limit 20)
  union all (select to_jsonb(t) from escapement.timers t where wake_at <> 'infinity' limit 10)
  union all (select to_jsonb(l) from escapement.dead_letters l where state in ('open', 'redriving') limit 10)
  union all (select to_jsonb(m) - 'body' from escapement.alert_messages m where delivered_at is null limit 10)
  union all (select to_jsonb(m) from escapement.meta m where key = 'parked_round' and value <> 'null')`;

/**
 * Waits until no unfinished work is left. After a failover it also waits until the triggers have adopted and asked
 * parked runs a second time, and have finished what they adopted.
 *
 * @param tell receives the remaining work from time to time
 * @returns when nothing was left for the first time, in milliseconds after `since`; undefined if that took longer than
 * `atMost`, or if work or the second adoption was left at the end
 */
export async function untilSettled(
  world: Pick<World, 'query'>,
  { since, atMost, tell }: { since: number; atMost: number; tell: (left: string) => void },
): Promise<number | undefined> {
  let toldAt = since;
  let settled: number | undefined;
  for (;;) {
    const passed = Date.now() - since;
    const [row] = await world.query<{ left: number; isToAdopt: boolean }>(LEFT).catch(() => []);
    if (row?.left === 0) {
      settled ??= passed;
      if (!row.isToAdopt) return settled;
    }
    if (passed > (settled === undefined ? atMost : settled + SECOND_ADOPTION_MILLISECONDS)) return undefined;
    if (Date.now() - toldAt > TELL_EVERY_MILLISECONDS) {
      const rows = await world.query<{ row: object }>(WHAT_IS_LEFT).catch(() => []);
      for (const { row } of rows) tell(JSON.stringify(row));
      toldAt = Date.now();
    }
    await setTimeout(LOOK_EVERY_MILLISECONDS);
  }
}

/**
 * Waits until Temporal lists the end of each run that the ledger names. Workflows of which the ledger knows nothing are
 * found only in that list, and it lags behind.
 *
 * @returns how many of these runs are not listed as ended after `atMost` milliseconds
 */
export async function untilListed(
  list: () => ReturnType<typeof listRuns>,
  runIds: readonly string[],
  atMost: number,
): Promise<number> {
  const deadline = Date.now() + atMost;
  for (;;) {
    const ended = new Set((await list()).flatMap((one) => (one.closeTime ? [one.execution!.runId] : [])));
    const left = runIds.filter((runId) => !ended.has(runId)).length;
    if (left === 0 || Date.now() > deadline) return left;
    await setTimeout(LOOK_EVERY_MILLISECONDS);
  }
}
