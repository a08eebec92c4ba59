import { type AlertResult, lookForAlerts } from '../../alerts/look';
import { targetOf } from '../../alerts/webhooks';
import type { TriggerContext } from '../context';

/** Open alerts for what people must be told, and resolve those that are over. */
export async function alert({ store, clock, webhooks, logger }: TriggerContext): Promise<AlertResult> {
  const result = await lookForAlerts(store, { now: new Date(clock.now()), targets: webhooks.map(targetOf) });
  for (const { alertId, condition, scheduleId, count, text } of result.opened) {
    logger.warn('alert opened', { alertId, condition, ...(scheduleId === null ? {} : { scheduleId }), count, text });
  }
  for (const { alertId, condition, scheduleId } of result.resolved) {
    logger.info('alert resolved', { alertId, condition, ...(scheduleId === null ? {} : { scheduleId }) });
  }
  return result;
}
