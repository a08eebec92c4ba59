import type { Servers } from './servers';
import { cpuMilliseconds } from './usage/process-usage';
import { seconds } from './wait';

const QUIET_SHARE_OF_A_CORE = 0.25;
const SAMPLE_SECONDS = 2;
const AT_MOST_SECONDS = 600;

/**
 * Waits at least `leastSeconds`, and until the Temporal server uses little CPU, if its usage can be measured.
 *
 * @throws {Error} if the server is still busy after minutes
 */
export async function settle({ temporalProcessId }: Servers, leastSeconds: number): Promise<void> {
  await seconds(leastSeconds);
  if (temporalProcessId === undefined) return;
  for (let spent = 0; spent < AT_MOST_SECONDS; spent += SAMPLE_SECONDS) {
    const before = cpuMilliseconds(temporalProcessId);
    await seconds(SAMPLE_SECONDS);
    if (cpuMilliseconds(temporalProcessId) - before < QUIET_SHARE_OF_A_CORE * SAMPLE_SECONDS * 1_000) return;
  }
  throw new Error(`the Temporal server did not come to rest within ${AT_MOST_SECONDS} s`);
}
