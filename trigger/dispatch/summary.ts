import { localTime } from '../../core/local-time';
import type { StartableFiring } from '../../store/firings/start';

/** The last local time that was needed. Firings of a burst share it, and computing it costs more than the rest. */
let last = { instant: Number.NaN, zone: '', text: '' };

/**
 * A one-line summary of the workflow for the Temporal UI, such as
 * `nightly-report · 2026-11-20 02:00 Europe/Berlin · catchup`.
 */
export function summaryOf(firing: StartableFiring, timezone?: string): string {
  const zone = timezone || 'UTC';
  const kind = firing.kind === 'schedule' ? [] : [firing.kind];
  const recovered = firing.recovery ? [`recovered ×${firing.recovery.number}`] : [];
  return [firing.scheduleId, localText(firing.scheduledTime, zone), ...kind, ...recovered].join(' · ');
}

function localText(time: Date, zone: string): string {
  const instant = time.getTime();
  if (last.instant !== instant || last.zone !== zone) {
    const { date, time: ofDay } = localTime(time, zone);
    last = { instant, zone, text: `${date} ${ofDay.replace(/:00$/, '')} ${zone}` };
  }
  return last.text;
}
