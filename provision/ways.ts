import { type CacheEntry, cached, cachedOrBuilt } from './cache';
import { messageOf, NoWayFoundError } from './errors';

export interface Way {
  /** Name of the way in messages, such as `go install`. */
  source: string;
  /** Returns the reason why the way is not available; undefined if it is. */
  isClosed(): Promise<string | undefined>;
  entry(onProgress: (message: string) => void): CacheEntry;
}

/**
 * Uses the first way that an earlier run completed; otherwise the ways are tried one after the other. So a second run
 * is quick even if the first ways are not available on this machine.
 *
 * @throws {NoWayFoundError} if no way works
 */
export async function firstWay(
  what: string,
  ways: readonly Way[],
  instructions: readonly string[],
  triedBefore: readonly string[],
  onProgress: (message: string) => void,
): Promise<{ executablePath: string; source: string }> {
  for (const way of ways) {
    const executablePath = await cached(way.entry(onProgress));
    if (executablePath !== undefined) return { executablePath, source: way.source };
  }
  const tried = [...triedBefore];
  for (const way of ways) {
    const reason = await way.isClosed();
    if (reason !== undefined) {
      tried.push(reason);
      continue;
    }
    onProgress(`${what}: trying ${way.source}`);
    const report = (message: string) => onProgress(`${what}: ${way.source}: ${message}`);
    try {
      return { executablePath: await cachedOrBuilt(way.entry(report), report), source: way.source };
    } catch (error) {
      tried.push(`${way.source}: ${messageOf(error)}`);
      report(`failed (${messageOf(error)})`);
    }
  }
  throw new NoWayFoundError(what, tried, instructions);
}

/** Calls `report` with the elapsed seconds every 10 s, until the returned function is called. */
export function tick(report: (seconds: number) => void): () => void {
  const startedAt = Date.now();
  const timer = setInterval(() => report(Math.round((Date.now() - startedAt) / 1_000)), 10_000);
  return () => clearInterval(timer);
}
