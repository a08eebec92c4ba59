import { type AlertResult, raiseAlerts } from '../../alerts/open-and-resolve';
import type { Alert } from '../../store/alerts/read-alerts';
import type { TriggerContext } from '../context';

export async function alert(context: TriggerContext): Promise<AlertResult> {
  const { store, clock, settings, webhooks, logger, outage } = context;
  // After an outage, no alert opens before the next heartbeat, since only the heartbeat shows how long this trigger was
  // away.
  if (outage.isUnderWay) return NOTHING();
  const { ended } = outage;
  const result = await raiseAlerts(store, {
    clock: () => new Date(clock.now()),
    webhooks,
    rules: settings.alerts,
    outage: ended,
  });
  if (!result) return NOTHING();
  if (ended) outage.recorded(ended);
  for (const one of result.opened) logger.warn('alert opened', { ...fieldsOf(one), count: one.count, text: one.text });
  for (const one of result.reminded) {
    logger.warn('alert is still open', { ...fieldsOf(one), openedAt: one.openedAt, text: one.text });
  }
  for (const one of result.resolved) logger.info('alert resolved', fieldsOf(one));
  return result;
}

const NOTHING = (): AlertResult => ({ opened: [], reminded: [], resolved: [] });

function fieldsOf({ alertId, condition, scheduleId }: Alert) {
  return { alertId, condition, ...(scheduleId === null ? {} : { scheduleId }) };
}
