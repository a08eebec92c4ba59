import { readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** The session of this process and its weight, such as `/autogroup-4 nice 0`. */
const SESSION = '/proc/self/autogroup';

/**
 * Give way to the triggers, Temporal and Postgres of the same machine. Raising their priority would need a special
 * right. `bench/api-load.ts` shows the effect.
 *
 * Outside of containers, Linux first shares the processor between sessions, and only then looks at priorities within a
 * session. So a process that leads a session lowers the weight of its session too. Service managers and containers have
 * weights of their own: see `ops/`.
 */
export function yieldProcessor(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
    if (process.platform === 'linux' && leadsSession() && sessionNice() < PRIORITY_BELOW_NORMAL)
      writeFileSync(SESSION, `${PRIORITY_BELOW_NORMAL}`);
  } catch {
    // A sandbox, or a kernel without weights of sessions, may refuse either. What was set before stays.
  }
}

/** Other processes of a session, such as those of a terminal, keep their weight. */
function leadsSession(): boolean {
  // The name in parentheses may contain spaces. The session is the fourth field after it.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return Number(fields[3]) === process.pid;
}

function sessionNice(): number {
  return Number(readFileSync(SESSION, 'utf8').trim().split(' ').at(-1));
}
