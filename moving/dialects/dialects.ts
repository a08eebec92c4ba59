import { readEventBridge } from './eventbridge';
import { readQuartz } from './quartz';
import type { Translated } from './translated';

/** Schedulers whose expressions can be read, beside Temporal's. */
export const DIALECTS = ['quartz', 'eventbridge'] as const;
export type Dialect = (typeof DIALECTS)[number];

const READERS: Record<Dialect, (expression: string, timezone?: string) => Translated> = {
  quartz: readQuartz,
  eventbridge: readEventBridge,
};

/**
 * An expression of another scheduler as a spec.
 *
 * @throws {InvalidScheduleError} naming what has no counterpart
 */
export function translate(dialect: Dialect, expression: string, timezone?: string): Translated {
  return READERS[dialect](expression, timezone);
}
