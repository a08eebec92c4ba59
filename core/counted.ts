export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
}

/** The limit of counts that could take too long in a large ledger. */
export const COUNTED_AT_MOST = 100_000;

/** `100,000 or more` for a count that was cut; `5m or more` for the age of the oldest row that was counted. */
export function orMore(what: number | string, isCut: boolean): string {
  return `${what.toLocaleString('en')}${isCut ? ' or more' : ''}`;
}
