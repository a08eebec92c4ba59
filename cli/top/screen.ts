import ms from 'ms';
import { counted } from '../../core/counted';
import type { Overview } from '../../index';
import { print, printTable, printTime, write } from '../output/output';
import { toned } from '../output/style';

/** The current state on one screen. Problems come first. */
export function printOverview({ at, triggers, namespaces, lag, backlog, letters, next }: Overview): void {
  const since = (instant: Date | null) => (instant ? `, the first for ${lasted(at, instant)}` : '');
  print(`escapement top, ${printTime(at)}\n`);
  if (triggers.length === 0) write([toned('No trigger is alive: nothing fires.', 'red')]);
  print(`Backlog: ${counted(backlog.schedules, 'schedule')} due and not claimed${since(backlog.oldestAt)}`);
  print(`Lag of the last five minutes: ${lagInWords(lag)}`);
  print(`Dead letters: ${letters.open} open${since(letters.oldestAt)}\n`);
  printTable(
    ['NAMESPACE', 'STATE', 'WAITING', 'OLDEST', 'RUNNING', 'WHY'],
    namespaces.map(({ namespace, awaySince, waiting, waitingSince, running, error }) => [
      namespace,
      awaySince ? 'away' : 'answers',
      String(waiting),
      waitingSince ? lasted(at, waitingSince) : undefined,
      String(running),
      awaySince ? `for ${lasted(at, awaySince)}: ${error}` : undefined,
    ]),
  );
  print('');
  printTable(
    ['TRIGGER', 'HOST', 'VERSION', 'LAST HEARTBEAT'],
    triggers.map(({ id, host, version, heartbeatAt }) => [id, host, version, `${lasted(at, heartbeatAt)} ago`]),
  );
  print('');
  printTable(
    ['NEXT', 'SCHEDULE'],
    next.map(({ scheduleId, nextFireAt }) => [printTime(nextFireAt), scheduleId]),
  );
}

/** How late the firings of the last minutes were. */
export function lagInWords({ firings, p50Milliseconds, p99Milliseconds, maxMilliseconds }: Overview['lag']): string {
  if (firings === 0) return 'nothing was started';
  const [p50, p99, most] = [p50Milliseconds, p99Milliseconds, maxMilliseconds].map((one) => inSeconds(one!));
  return `p50 ${p50}, p99 ${p99}, most ${most}, of ${counted(firings, 'firing')}`;
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** How long ago, such as `3s`. */
export function lasted(at: Date, since: Date): string {
  return ms(Math.max(0, at.getTime() - since.getTime()));
}
