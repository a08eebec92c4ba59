import { type LedgerGauges, readGauges } from '../../store/reads/gauges';
import type { TriggerContext } from '../context';
import type { Activity } from '../transition-log';

/** @returns the activity since the last report */
export async function report({ logger, store, settings }: TriggerContext): Promise<Activity> {
  const activity = logger.take();
  // If the ledger does not answer, the line is still logged without the backlog.
  const backlog = await readGauges(store, settings).then(backlogOf, () => ({ ledger: 'does not answer' }));
  const { transitions, recovered, notCompleted, missed, lags, linesLeftOut } = activity;
  const { claimed, linked, closed, skipped, abandoned, adopted } = transitions;
  logger.info('in the last minute', {
    ...{ claimed, linked, closed, notCompleted, skipped, missed, recovered, adopted, abandoned },
    ...lagsOf(lags),
    ...backlog,
    ...(linesLeftOut > 0 ? { linesLeftOut } : {}),
  });
  return activity;
}

function lagsOf(lags: number[]): Record<string, number> {
  if (lags.length === 0) return {};
  const sorted = lags.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return { lagP50Milliseconds: at(0.5), lagP99Milliseconds: at(0.99), lagMaxMilliseconds: at(1) };
}

function backlogOf({ now, due, dueSince, waiting, waitingSince, running, letters }: LedgerGauges) {
  const seconds = (since: Date | null) => (since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : undefined);
  const oldestDueSeconds = seconds(dueSince);
  const oldestWaitingSeconds = seconds(waitingSince);
  return {
    due,
    ...(oldestDueSeconds === undefined ? {} : { oldestDueSeconds }),
    waiting,
    ...(oldestWaitingSeconds === undefined ? {} : { oldestWaitingSeconds }),
    ...{ running, openLetters: letters.reduce((sum, { open }) => sum + open, 0) },
  };
}
