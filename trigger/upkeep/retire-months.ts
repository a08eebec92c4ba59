import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import { heldMonth } from '../../core/held-month';
import { readMonthsPast } from '../../store/archive/restored';
import { endOfMonth } from '../../store/firings/counts';
import { readMonthHolder, readRetentionFloor, retireMonth } from '../../store/firings/retire-month';
import type { TriggerProblem } from '../../store/table-values';
import type { TriggerContext } from '../context';

/**
 * Retire the months that ended longer ago than the retention, oldest first. If a month cannot be retired, for example
 * since a firing in it is open, the months after it are not retired either. So every month before the floor is retired,
 * except months that were restored, or made again for a backfill or a cut-over.
 *
 * @param countedTo months that end after this time are not counted yet, and stay until they are
 */
export async function retireMonths(context: TriggerContext, countedTo: Date | undefined): Promise<void> {
  const { store, clock, settings, logger } = context;
  const now = clock.now();
  const endedBefore = now - settings.retentionMilliseconds;
  // If the ledger archives first, `escapement archive` also retires the archived months.
  const past = settings.archiveFirst ? [] : await readMonthsPast(store, { endedBefore, now: new Date(now) });
  let problem: TriggerProblem | undefined;
  for (const [index, month] of past.entries()) {
    const name = month.toISOString().slice(0, 7);
    const result =
      countedTo && endOfMonth(month) <= countedTo.getTime() ? await retireMonth(store, month) : 'not counted';
    if (result !== 'retired') {
      logger.debug('month not retired yet', { month: name, because: result });
      if (result === 'open') problem = await sayHolder(context, month, past.length - index);
      break;
    }
    logger.info('month retired', { month: name });
  }
  context.retention.problem = problem;
  context.retentionFloor = await readRetentionFloor(store);
}

const DAY_MILLISECONDS = 86_400_000;

/**
 * Logs that a month with an open letter or firing is not retired, which also delays all later months. While the same
 * letter or firing holds the month, it is logged once a day.
 *
 * @returns the problem to report, once the month could not be retired for long
 */
async function sayHolder(context: TriggerContext, month: Date, months: number): Promise<TriggerProblem | undefined> {
  const { store, clock, settings, logger } = context;
  const held = await readMonthHolder(store, month);
  if (!held) return undefined;
  const subject = month.toISOString().slice(0, 7);
  const since = new Date(endOfMonth(month) + settings.retentionMilliseconds);
  const isLong = clock.now() - since.getTime() >= ALERT_DEFAULTS.retentionHeldMilliseconds;
  const problem: TriggerProblem | undefined = isLong
    ? { condition: 'retention_held', subject, since: since.toISOString(), ...heldMonth(subject, held) }
    : undefined;
  const name = held.letterId ?? `${held.scheduleId} ${held.scheduledTime.toISOString()}`;
  const { said } = context.retention;
  if (said?.name === name && clock.now() - said.at < DAY_MILLISECONDS) return problem;
  context.retention.said = { name, at: clock.now() };
  logger.warn(
    held.letterId
      ? 'months past retention stay: a dead letter is open; redrive or discard it'
      : 'months past retention stay: a firing is still open',
    {
      month: subject,
      months,
      ...(held.letterId && { letterId: held.letterId }),
      scheduleId: held.scheduleId,
      scheduledTime: held.scheduledTime.toISOString(),
      open: held.open,
    },
  );
  return problem;
}
