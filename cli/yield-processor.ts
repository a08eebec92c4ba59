import { readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Give way to the triggers, Temporal and Postgres of the same machine. Raising their priority would need a special
 * right. `bench/api-load.ts` shows the effect.
 *
 * Linux first shares the processor between sessions, and only then looks at priorities within a session. So a process
 * that leads a session, as one started by a service manager does, lowers the weight of its session too.
 */
export function yieldProcessor(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
    if (process.platform === 'linux' && leadsSession())
      writeFileSync('/proc/self/autogroup', `${PRIORITY_BELOW_NORMAL}`);
  } catch {
    // A sandbox or a kernel without sessions may refuse it. The process then runs with normal priority.
  }
}

/** Other processes of a session, such as those of a terminal, keep their weight. */
function leadsSession(): boolean {
  // The name in parentheses may contain spaces. The session is the fourth field after it.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return Number(fields[3]) === process.pid;
}
