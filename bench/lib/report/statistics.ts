/** Summary of the repeated measurements of one quantity. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/**
 * The value below which this share (0 to 1) of the values lies, by the nearest rank. The result is NaN if there are no
 * values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median, or the mean of the two middle values. The result is NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: percentile(values, 0), max: percentile(values, 1) };
}

/** Rounds to this many significant digits, since more digits would suggest a precision that the value does not have. */
export function significant(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}
