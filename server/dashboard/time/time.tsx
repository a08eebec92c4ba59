import { exactOf, relativeTo } from './format';
import { useSettings } from './settings';
import { useNow } from './use-now';

/**
 * Shows the relative time with the exact time as tooltip, or the other way round, by the reader's setting or `exact`.
 */
export function Time({ at, zone, exact = false }: { at: string; zone?: string; exact?: boolean }) {
  const settings = useSettings();
  const now = useNow();
  const precise = exactOf(at, zone ?? settings.zone);
  const relative = relativeTo(now, Date.parse(at));
  const isExact = exact || settings.times === 'exact';
  return (
    <time dateTime={at} title={isExact ? relative : precise} class="nowrap">
      {isExact ? precise : relative}
    </time>
  );
}

export function BothTimes({ at, zone }: { at: string; zone?: string }) {
  const settings = useSettings();
  const now = useNow();
  return (
    <time dateTime={at}>
      <span class="nowrap">{exactOf(at, zone ?? settings.zone)}</span>{' '}
      <span class="quiet nowrap">({relativeTo(now, Date.parse(at))})</span>
    </time>
  );
}
