import { z } from 'zod';
import { parseInstant } from '../../core/occurrences/read';
import { show } from '../../core/occurrences/show';
import { isInstant, storable } from '../../core/option-fields';

/**
 * This file has the schemas of query parameters. Each one reads a text, and returns the value for which the text
 * stands.
 */

const MOST_PAGE_SIZE = 1_000;

export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

export const count = (least: number, most: number) =>
  z
    .custom<string>(
      (value) =>
        typeof value === 'string' && /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most,
      { error: ({ input }) => `${show(input)} is not a whole number from ${least} to ${most}` },
    )
    .transform(Number)
    .meta({ type: 'integer', minimum: least, maximum: most });

/** An instant in ISO 8601, with its offset. */
export const instant = z
  .custom<string>((value) => typeof value === 'string' && readInstant(value) !== undefined, {
    error: ({ input }) => `${show(input)} is not an instant such as 2026-11-20T02:00:00Z`,
  })
  .transform((text) => readInstant(text)!)
  .meta({ type: 'string', format: 'date-time' });

/** The schema of one or several words, which are repeated or separated by commas. */
export const words = <Word extends string>(known: readonly [Word, ...Word[]]) =>
  z
    .preprocess(
      (given) => [given].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text])),
      z.array(z.enum(known)).min(1),
    )
    .meta({ type: 'array', items: { type: 'string', enum: known } });

export const text = storable;

export const page = {
  cursor: z.string().optional().describe('The nextCursor of the previous page'),
  pageSize: count(1, MOST_PAGE_SIZE).optional().describe('Items of a page; 200 unless given'),
};

function readInstant(text: string): Date | undefined {
  const time = parseInstant(text);
  return isInstant(time) ? new Date(time) : undefined;
}
