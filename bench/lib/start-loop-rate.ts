import type { Bench } from './bench';
import { allCompleted, lastCloseTime } from './histories';
import { freshName } from './names';
import { startAll } from './starts';

export interface StartLoopRates {
  /** Until the last call is answered. */
  startedPerSecond: number;
  /** Until the last workflow's end, by the server's clock. */
  completedPerSecond: number;
}

/** The plain start loop over so many workflows, from its first call. */
export async function startLoopRates(
  { connection, servers }: Bench,
  { count, inFlight }: { count: number; inFlight: number },
): Promise<StartLoopRates> {
  const starts = { namespace: servers.namespace, prefix: freshName('loop'), count, inFlight };
  const begun = Date.now();
  const { perSecond } = await startAll(connection, starts);
  await allCompleted(connection, starts);
  const ended = await lastCloseTime(connection, starts.namespace, starts.prefix);
  return { startedPerSecond: perSecond, completedPerSecond: (count / (ended - begun)) * 1_000 };
}
