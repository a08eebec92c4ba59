import type { CompiledSpec } from '../core/occurrences';
import { showTime } from '../core/spec-zone';

export interface Nearest {
  before: Date | undefined;
  after: Date | undefined;
  /** The occurrences as the end of a sentence, such as `the nearest are … and …`. */
  inWords(zone: string): string;
}

/** The last occurrence before a time and the first one after it. */
export function nearestTo(compiled: CompiledSpec, time: Date): Nearest {
  const date = (instant: number | undefined) => (instant === undefined ? undefined : new Date(instant));
  const before = date(compiled.previous(time.getTime()));
  const after = date(compiled.next(time.getTime()));
  return {
    before,
    after,
    inWords: (zone) =>
      inWords(
        [before, after].filter((one) => one !== undefined),
        zone,
      ),
  };
}

function inWords(times: Date[], zone: string): string {
  const shown = times.map((time) => showTime(time, zone));
  if (shown.length === 0) return 'it has no occurrences';
  return shown.length === 1 ? `the nearest is ${shown[0]}` : `the nearest are ${shown[0]} and ${shown[1]}`;
}
