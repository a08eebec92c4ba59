import { InvalidArgumentError } from 'commander';

/** An instant in ISO 8601. */
export function parseTime(value: string): Date {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('use ISO 8601, such as 2026-11-20T02:00:00Z.');
  return time;
}

/** A whole number from 1 to 10,000. */
export function parseCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > 10_000) {
    throw new InvalidArgumentError('use a whole number from 1 to 10000.');
  }
  return count;
}

/** A whole number from 0. */
export function parseWhole(value: string): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(count))
    throw new InvalidArgumentError('use a whole number from 0.');
  return count;
}
