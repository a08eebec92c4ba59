import type { StartableFiring } from '../store/start';

/**
 * One line that says in the Temporal UI what a workflow is, such as
 * `nightly-report · 2026-11-20 02:00 Europe/Berlin · catchup`.
 */
export function summaryOf(firing: StartableFiring, timezone?: string): string {
  const zone = timezone || 'UTC';
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(firing.scheduledTime);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)!.value;
  const seconds = part('second') === '00' ? '' : `:${part('second')}`;
  const time = `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}${seconds} ${zone}`;
  const kind = firing.kind === 'schedule' ? [] : [firing.kind];
  const recovered = firing.recovery ? [`recovered ×${firing.recovery.number}`] : [];
  return [firing.scheduleId, time, ...kind, ...recovered].join(' · ');
}
