import { readEventBridge } from './eventbridge';
import { readQuartz } from './quartz';
import type { Translated } from './translated';

export const DIALECTS = ['quartz', 'eventbridge'] as const;
export type Dialect = (typeof DIALECTS)[number];

const READERS: Record<Dialect, (expression: string, timezone?: string) => Translated> = {
  quartz: readQuartz,
  eventbridge: readEventBridge,
};

/** @throws {InvalidScheduleError} that names the part without a counterpart */
export function translate(dialect: Dialect, expression: string, timezone?: string): Translated {
  return READERS[dialect](expression, timezone);
}
