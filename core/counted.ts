export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
}

/** Counts stop at this number, since counting on could take too long in a large ledger. */
export const COUNTED_AT_MOST = 100_000;

/**
 * If the count was cut, adds `or more` to it, as in `100,000 or more`, or to the age of the oldest counted row, as in
 * `5m or more`.
 */
export function orMore(what: number | string, isCut: boolean): string {
  return `${what.toLocaleString('en')}${isCut ? ' or more' : ''}`;
}
