import { localTime } from '../../core/local-time';
import type { StartableFiring } from '../../store/firings/start';

/**
 * A one-line summary of the workflow for the Temporal UI, such as
 * `nightly-report · 2026-11-20 02:00 Europe/Berlin · catchup`.
 */
export function summaryOf(firing: StartableFiring, timezone?: string): string {
  const zone = timezone || 'UTC';
  const { date, time } = localTime(firing.scheduledTime, zone);
  const at = `${date} ${time.replace(/:00$/, '')} ${zone}`;
  const kind = firing.kind === 'schedule' ? [] : [firing.kind];
  const recovered = firing.recovery ? [`recovered ×${firing.recovery.number}`] : [];
  return [firing.scheduleId, at, ...kind, ...recovered].join(' · ');
}
