import { compileSpec } from '../../core/occurrences';

export const MINUTE = 60_000;
const EPOCH = Date.parse('2026-03-01T00:00:00Z');

export const everyMinute = compileSpec({ cron: '* * * * *' });

/** The instant of a minute of the test, in epoch milliseconds. */
export const at = (minute: number) => EPOCH + minute * MINUTE;
export const minuteOf = (time: number) => (time - EPOCH) / MINUTE;

/** The whole numbers from one to another one, both included. */
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
