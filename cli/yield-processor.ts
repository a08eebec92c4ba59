import { readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** This file contains the Linux session (autogroup) of this process and its weight, such as `/autogroup-4 nice 0`. */
const SESSION = '/proc/self/autogroup';

/**
 * Give this process a lower priority than processes with the usual one, such as triggers, Temporal and Postgres on the
 * same machine. Raising their priorities instead would need a special right.
 *
 * With autogroups, Linux first divides the processor between sessions, and compares priorities only within a session.
 * So if this process leads its session, it lowers the weight of the session too.
 */
export function yieldProcessor(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
    if (process.platform === 'linux' && leadsSession() && sessionNice() < PRIORITY_BELOW_NORMAL)
      writeFileSync(SESSION, `${PRIORITY_BELOW_NORMAL}`);
  } catch {
    // A sandbox may refuse either change, and so may a kernel without weights for sessions. If the second change is
    // refused, the first one stays.
  }
}

/**
 * Whether this process leads its session. A session that another process leads, such as a terminal's, keeps its weight.
 */
function leadsSession(): boolean {
  // The process name, in parentheses, may contain spaces. The session is the fourth field after the name.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return Number(fields[3]) === process.pid;
}

function sessionNice(): number {
  return Number(readFileSync(SESSION, 'utf8').trim().split(' ').at(-1));
}
