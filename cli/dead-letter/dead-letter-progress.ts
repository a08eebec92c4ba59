import type { DiscardCounts, LetterCounts, RedriveCounts } from '../../index';
import { showProgress } from '../output/progress';

/** A line such as `Redriving 3 of 4, 1 refused (DeadLetterStateError).` */
export function summaryOf(verb: string, { total, refused }: LetterCounts, done: number): string {
  const reasons = Object.entries(refused).map(([name, count]) => `, ${count} refused (${name})`);
  return `${verb} ${done} of ${total}${reasons.join('')}.`;
}

export function showLetterProgress(counts: LetterCounts & Partial<RedriveCounts & DiscardCounts>): void {
  const { total, refused, redriven = 0, discarded = 0 } = counts;
  showProgress(redriven + discarded + Object.values(refused).reduce((sum, count) => sum + count, 0), total);
}
