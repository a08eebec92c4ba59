import type { DiscardCounts, LetterCounts, RedriveCounts } from '../index';

const WIDTH = 30;

/** `Redriving 3 of 4, 1 refused (DeadLetterStateError).` */
export function summaryOf(verb: string, { total, refused }: LetterCounts, done: number): string {
  const reasons = Object.entries(refused).map(([name, count]) => `, ${count} refused (${name})`);
  return `${verb} ${done} of ${total}${reasons.join('')}.`;
}

/** A bar for a person who looks on; nothing on a pipe. */
export function showProgress(): ((counts: LetterCounts & Partial<RedriveCounts & DiscardCounts>) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return ({ total, refused, redriven = 0, discarded = 0 }) => {
    const done = redriven + discarded + Object.values(refused).reduce((sum, count) => sum + count, 0);
    const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.round((done / total) * WIDTH));
    process.stderr.write(
      `\r[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}${done >= total ? '\n' : ''}`,
    );
  };
}
