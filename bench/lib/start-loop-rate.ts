import type { Bench } from './bench';
import { type Starts, startAll } from './fill/starts';
import { allCompleted, lastCloseTime } from './measure/histories';
import { freshName } from './names';

export interface StartLoopRates {
  /** The rate of starts, measured until the last call is answered. */
  startedPerSecond: number;
  /** The rate of completions, measured until the last workflow ends, by the server's clock. */
  completedPerSecond: number;
}

/** Runs the plain start loop for this many workflows; the time counts from its first call. */
export async function startLoopRates(
  { connection, servers }: Bench,
  loop: Pick<Starts, 'count' | 'inFlight' | 'fieldsOf'>,
): Promise<StartLoopRates> {
  const starts = { namespace: servers.namespace, prefix: freshName('loop'), ...loop };
  const begun = Date.now();
  const { perSecond } = await startAll(connection, starts);
  await allCompleted(connection, starts);
  const ended = await lastCloseTime(connection, starts.namespace, starts.prefix);
  return { startedPerSecond: perSecond, completedPerSecond: (loop.count / (ended - begun)) * 1_000 };
}
