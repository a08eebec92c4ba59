import { setTimeout } from 'node:timers/promises';
import type { World } from './world/world';

const LOOK_EVERY_MILLISECONDS = 500;
/** How often the log names the work for which the run waits. */
const TELL_EVERY_MILLISECONDS = 15_000;

/** SQL that counts unfinished work in the ledger. */
const LEFT = `select (select count(*)::int from escapement.firings where state in ('buffered', 'claimed', 'linked'))
  + (select count(*)::int from escapement.timers where wake_at <> 'infinity')
  + (select count(*)::int from escapement.dead_letters where state in ('open', 'redriving'))
  + (select count(*)::int from escapement.alert_messages where delivered_at is null) as left`;

/** SQL that reads unfinished work in the ledger; rows of firings come first. */
const WHAT_IS_LEFT = `(select to_jsonb(f) as row from escapement.firings f where state in ('buffered', 'claimed', 'linked') order by scheduled_time limit 20)
  union all (select to_jsonb(t) from escapement.timers t where wake_at <> 'infinity' limit 10)
  union all (select to_jsonb(l) from escapement.dead_letters l where state in ('open', 'redriving') limit 10)
  union all (select to_jsonb(m) - 'body' from escapement.alert_messages m where delivered_at is null limit 10)`;

/**
 * Waits until no unfinished work is left.
 *
 * @param tell receives the remaining work from time to time
 * @returns how long this took, in milliseconds; undefined if it took longer than `atMost`
 */
export async function untilSettled(
  world: World,
  { since, atMost, tell }: { since: number; atMost: number; tell: (left: string) => void },
): Promise<number | undefined> {
  let toldAt = since;
  while (Date.now() - since < atMost) {
    const left = await world.query<{ left: number }>(LEFT).catch(() => undefined);
    if (left?.[0]?.left === 0) return Date.now() - since;
    if (Date.now() - toldAt > TELL_EVERY_MILLISECONDS) {
      const rows = await world.query<{ row: object }>(WHAT_IS_LEFT).catch(() => []);
      for (const { row } of rows) tell(JSON.stringify(row));
      toldAt = Date.now();
    }
    await setTimeout(LOOK_EVERY_MILLISECONDS);
  }
  return undefined;
}
