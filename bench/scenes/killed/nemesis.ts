import { at, seconds } from '../../lib/wait';

/** Kills of one process, each followed by a new start. */
export interface Kills {
  count: number;
  /** The time between two kills. */
  everySeconds: number;
  /** The shortest and the longest time between a kill and the new start. */
  awaySeconds: readonly [number, number];
}

/** The time from a kill until the killed processes run again, in milliseconds since 1970. */
export interface Outage {
  from: number;
  to: number;
}

/**
 * Starts are made within about this time after an occurrence is due. A kill within this time hits some starts that are
 * under way.
 */
const WITHIN_SECONDS = 0.6;

/**
 * Kills and starts again, `count` times. The first kill comes at a random moment within 0.6 s after `from`, at which an
 * occurrence is due.
 */
export async function killAgainAndAgain(
  { count, everySeconds, awaySeconds: [shortest, longest] }: Kills,
  from: number,
  { kill, startAgain }: { kill(): Promise<unknown>; startAgain(): Promise<unknown> },
): Promise<Outage[]> {
  const outages: Outage[] = [];
  for (let index = 0; index < count; index++) {
    await at(from + (index * everySeconds + Math.random() * WITHIN_SECONDS) * 1_000);
    const killedAt = Date.now();
    await kill();
    await seconds(shortest + Math.random() * (longest - shortest));
    await startAgain();
    outages.push({ from: killedAt, to: Date.now() });
  }
  return outages;
}
