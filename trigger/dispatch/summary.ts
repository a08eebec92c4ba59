import { localTime } from '../../core/local-time';
import type { StartableFiring } from '../../store/firings/start';

/**
 * The last local time that was needed. Firings of a burst share it, and computing it costs more than the rest of the
 * summary.
 */
let last = { instant: Number.NaN, zone: '', text: '' };

/**
 * A one-line summary of the workflow for the Temporal UI, such as
 * `nightly-report · 2026-11-20 02:00 Europe/Berlin · catchup`.
 */
export function summaryOf(firing: StartableFiring, timezone?: string): string {
  const zone = timezone || 'UTC';
  const time = orInUtc(firing.scheduledTime, zone);
  const kind = firing.kind === 'schedule' ? [] : [firing.kind];
  const recovered = firing.recovery ? [`recovered ×${firing.recovery.number}`] : [];
  return [firing.scheduleId, time, ...kind, ...recovered].join(' · ');
}

/**
 * A claimed firing must start even if this process does not know the time zone of its definition. Then the text is in
 * UTC.
 */
function orInUtc(time: Date, zone: string): string {
  try {
    return localText(time, zone);
  } catch {
    return localText(time, 'UTC');
  }
}

function localText(time: Date, zone: string): string {
  const instant = time.getTime();
  if (last.instant !== instant || last.zone !== zone) {
    const { date, time: ofDay } = localTime(time, zone);
    last = { instant, zone, text: `${date} ${ofDay.replace(/:00$/, '')} ${zone}` };
  }
  return last.text;
}
