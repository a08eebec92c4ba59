import type { DeadLetter } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import type { LetterFilter } from './filter';
import { countRefusal, openLetters, unlessRefused } from './many';
import { planRedrive, type RedriveCounts } from './plan';
import { type RedriveOptions, redriveLetter } from './redrive';

/** How to redrive many letters. */
export interface RedriveAllOptions extends RedriveOptions {
  /**
   * Redrives per second of all schedules together, counted over two seconds; 0.5 to 10,000. If clients of one tenant
   * run several bulk redrives, the lowest rate among their letters whose turn has come applies to all of them together.
   * The same holds for clients without a tenant.
   *
   * @default 20
   */
  perSecond?: number;
  /** Maximum number of letters, oldest first. @default all */
  atMost?: number;
  /** Called after each letter, with that letter. @default no callback */
  progress?: (counts: RedriveCounts, letter: DeadLetter) => void;
}

/** Default pace of a bulk redrive, slow enough for a service that has just recovered. */
const REDRIVEN_PER_SECOND = 20;

export async function redriveAll(
  context: ClientContext,
  filter: LetterFilter,
  options: RedriveAllOptions,
): Promise<RedriveCounts> {
  if (options.dryRun) return countPlans(context, filter, options);
  const { total, letters } = await openLetters(context, filter, 'redrive');
  const { perSecond = REDRIVEN_PER_SECOND, atMost = Number.POSITIVE_INFINITY } = options;
  const counts: RedriveCounts = { total: Math.min(total, atMost), redriven: 0, refused: {} };
  const away = new Set<string>();
  let left = counts.total;
  if (left === 0) return counts;
  for await (const letter of letters) {
    if (left-- <= 0) break;
    const done = await unlessRefused(() => redriveLetter(context, letter.letterId, { ...options, perSecond, away }));
    if ('refusal' in done) countRefusal(counts, done.refusal);
    else counts.redriven += 1;
    options.progress?.(counts, letter);
  }
  return counts;
}

async function countPlans(
  context: ClientContext,
  filter: LetterFilter,
  { mode, force, atMost, progress }: RedriveAllOptions,
): Promise<RedriveCounts> {
  let counts: RedriveCounts = { total: 0, redriven: 0, refused: {} };
  const keep = (now: RedriveCounts, letter: DeadLetter) => {
    counts = now;
    progress?.(now, letter);
  };
  for await (const _ of planRedrive(context, filter, { mode, force, atMost, progress: keep }));
  return counts;
}
