import type { FreezeStretch } from '../../core/decisions/freeze';
import { readFreezesOf } from '../../store/freezes/matching';
import type { DueTimer } from '../../store/schedules/due';
import type { TriggerContext } from '../context';

/** The freezes that hold these schedules. A freeze with a filter that this program cannot read is logged once. */
export function readFreezes(
  { store, logger, unreadableFreezes }: Pick<TriggerContext, 'store' | 'logger' | 'unreadableFreezes'>,
  timers: DueTimer[],
  until: Date,
): Promise<Map<string, FreezeStretch[]>> {
  return readFreezesOf(store, timers, until, (freezeId, problem) => {
    if (unreadableFreezes.has(freezeId)) return;
    unreadableFreezes.add(freezeId);
    logger.error(
      "a freeze has a filter that this version cannot read, so it holds all schedules of its tenant, source and IDs; upgrade this trigger, or end the freeze: 'escapement freeze end ID'",
      { freezeId, problem },
    );
  });
}
