import ms from 'ms';
import { COUNTED_AT_MOST, counted, orMore } from '../../core/counted';
import type { Overview } from '../../index';
import { print, printTable, printTime, write } from '../output/output';
import { toned } from '../output/style';

export function printOverview({ at, triggers, namespaces, lag, backlog, letters, next }: Overview): void {
  // The limit of the count applies to all namespaces together. If they reach it, each of them may have more.
  const isCut = (of: 'waiting' | 'running') => namespaces.reduce((sum, one) => sum + one[of], 0) >= COUNTED_AT_MOST;
  const isBacklogCut = backlog.schedules >= COUNTED_AT_MOST;
  const [isWaitingCut, isRunningCut] = [isCut('waiting'), isCut('running')];
  print(`escapement top, ${printTime(at)}\n`);
  if (triggers.length === 0) write([toned('No trigger is alive: nothing fires.', 'red')]);
  const due = schedulesInWords(backlog.schedules, isBacklogCut);
  print(`Backlog: ${due} due and not claimed${firstFor(at, backlog.oldestAt, isBacklogCut)}`);
  print(`Lag of the last five minutes: ${lagInWords(lag)}`);
  print(`Dead letters: ${letters.open} open${firstFor(at, letters.oldestAt)}\n`);
  printTable(
    ['NAMESPACE', 'STATE', 'WAITING', 'OLDEST', 'RUNNING', 'WHY'],
    namespaces.map(({ namespace, awaySince, waiting, waitingSince, running, error }) => [
      namespace,
      awaySince ? 'away' : 'answers',
      orMore(waiting, isWaitingCut),
      waitingSince ? orMore(lasted(at, waitingSince), isWaitingCut) : undefined,
      orMore(running, isRunningCut),
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

/** The number of schedules in words, such as `100 schedules` or `100 or more schedules`. */
export function schedulesInWords(count: number, isCut: boolean): string {
  return isCut ? `${orMore(count, true)} schedules` : counted(count, 'schedule');
}

/** How long the first of several has waited, such as `, the first for 3s`. */
export function firstFor(at: Date, since: Date | null, isCut = false): string {
  return since ? `, the first for ${orMore(lasted(at, since), isCut)}` : '';
}

/** How late firings were started, in words: the median, the 99th percentile and the maximum. */
export function lagInWords({ firings, p50Milliseconds, p99Milliseconds, maxMilliseconds }: Overview['lag']): string {
  if (firings === 0) return 'nothing was started';
  const [p50, p99, most] = [p50Milliseconds, p99Milliseconds, maxMilliseconds].map((one) => inSeconds(one!));
  return `p50 ${p50}, p99 ${p99}, most ${most}, of ${counted(firings, 'firing')}`;
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

export function lasted(at: Date, since: Date): string {
  return ms(Math.max(0, at.getTime() - since.getTime()));
}
