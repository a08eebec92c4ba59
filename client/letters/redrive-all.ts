import type { Client } from '@temporalio/client';
import type { DeadLetter, LetterFilter } from '../../store/read-letters';
import type { ClientContext } from '../context';
import { RedriveNeedsForceError } from './errors';
import { countRefusal, openLetters, unlessRefused } from './many';
import { type RedriveOptions, redriveLetter } from './redrive';

/** How to redrive in bulk. */
export interface RedriveAllOptions extends RedriveOptions {
  /** How many are carried out in a second at most, all schedules together. @default 20 */
  perSecond?: number;
  /** Only so many, the oldest: try one first. @default all */
  atMost?: number;
  /** Called after each letter. @default nothing */
  progress?: (counts: RedriveCounts) => void;
}

/** What a redrive in bulk did so far, or would do. */
export interface RedriveCounts {
  /** Letters that matched when it began. */
  total: number;
  /** Letters that are tried again. */
  redriven: number;
  /** Letters that cannot be redriven in this way, by the name of the error. */
  refused: Record<string, number>;
}

/** A redrive in bulk goes no faster, so that what was mended is not overrun. */
const REDRIVEN_PER_SECOND = 20;

export async function redriveAll(
  context: ClientContext,
  filter: LetterFilter,
  options: RedriveAllOptions,
): Promise<RedriveCounts> {
  const { total, letters } = await openLetters(context, filter, 'redrive');
  const { perSecond = REDRIVEN_PER_SECOND, atMost = Number.POSITIVE_INFINITY } = options;
  const counts: RedriveCounts = { total: Math.min(total, atMost), redriven: 0, refused: {} };
  let { temporal } = context;
  let left = counts.total;
  if (left === 0) return counts;
  for await (const letter of letters) {
    if (left-- <= 0) break;
    const done = await unlessRefused(() => redriveOne(context, letter, { ...options, perSecond }, temporal));
    if ('refusal' in done) countRefusal(counts.refused, done.refusal);
    else {
      counts.redriven += 1;
      // Not asked again: each look could take the whole deadline.
      if (done.unanswered) temporal = undefined;
    }
    options.progress?.(counts);
  }
  return counts;
}

async function redriveOne(
  context: ClientContext,
  { letterId }: DeadLetter,
  options: RedriveOptions & { perSecond: number },
  temporal: Client | undefined,
): Promise<{ unanswered: boolean }> {
  const { mode, plan } = await redriveLetter(context, letterId, options, temporal);
  // A dry run tells what the real one would refuse.
  if (plan && plan.siblings.length > 0 && !options.force) throw new RedriveNeedsForceError(letterId, plan.siblings);
  return { unanswered: mode === 'resume' && !plan && !options.dryRun };
}
