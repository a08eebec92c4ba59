import { z } from 'zod';
import { instant, name } from '../option-fields';
import { checkOptions, type FieldsOf } from '../options';
import type { ScheduleSpec } from '../schedule/spec';
import { compileSpec } from './compile';
import { readField } from './cron/cron-field';
import { MINUTE } from './fields';
import { foundOne, withinSteps } from './steps';

export { type CompiledSpec, type CompileOptions, canFire, compileSpec } from './compile';
export { formOf } from './form';
export { jitterOf } from './jitter';
export { SharedSpecs } from './shared';
export { foundOne, newSteps, withinSteps, withOwnSteps } from './steps';

/** Options of {@link nextOccurrences}. */
export interface NextOccurrencesOptions {
  /** Only times later than this are returned. */
  after: Date;
  /** The maximum number of times to return; fewer are returned if the spec ends. */
  count: number;
  /**
   * The schedule's ID, which is needed if `spec.cron` contains `H`, since `H` spreads schedules by their ID. @default
   * none: `H` is refused
   */
  scheduleId?: string;
}

/** The minute of a schedule whose minute field is `H`. */
export function hashedMinute(scheduleId: string): number {
  return readField(MINUTE, 'H', { path: 'spec.cron', scheduleId }).values[0]!;
}

const nextOptions = z.strictObject({
  after: instant,
  count: z.int().min(0),
  scheduleId: name.optional(),
} satisfies FieldsOf<NextOccurrencesOptions>);

/**
 * The next nominal times of a spec, in strictly rising order. The result depends only on the arguments and on the time
 * zone data of the process.
 *
 * @throws {InvalidScheduleError} if the spec is not valid, or takes too long to evaluate, with the path of the bad
 *   field
 * @throws {InvalidOptionError} for unknown, missing or invalid options
 * @see `docs/time.md`
 */
export function nextOccurrences(spec: ScheduleSpec, options: NextOccurrencesOptions): Date[] {
  checkOptions(nextOptions, options);
  return withinSteps('spec', () => {
    const compiled = compileSpec(spec, { scheduleId: options.scheduleId });
    const occurrences: Date[] = [];
    let cursor: number | undefined = options.after.getTime();
    // What follows the last wanted occurrence is not searched: that could take too long.
    while (occurrences.length < options.count) {
      cursor = compiled.next(cursor);
      if (cursor === undefined) break;
      occurrences.push(new Date(cursor));
      foundOne();
    }
    return occurrences;
  });
}
