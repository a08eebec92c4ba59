import { checkOptions } from '../../core/options';
import { type LetterGroup, readLetterGroups } from '../../store/letters/groups';
import type { DeadLetter } from '../../store/letters/read-letters';
import {
  completeOptions,
  discardAllOptions,
  discardOptions,
  planRedriveOptions,
  redriveAllOptions,
  redriveOptions,
  restoreOptions,
} from '../call-options';
import type { ClientContext } from '../context';
import { getLetter } from './change';
import { type CompleteOptions, complete } from './complete';
import {
  type DiscardAllOptions,
  type DiscardCounts,
  type DiscardOptions,
  discard,
  discardAll,
  type RestoreOptions,
  restore,
} from './discard';
import { type LetterFilter, letterFilter, letterQuery } from './filter';
import { type DeadLetterPage, type ListLettersOptions, listLetters, listLettersPage } from './list';
import { type PlannedRedrive, type PlanRedriveOptions, planRedrive, type RedriveCounts } from './plan';
import { type Redrive, type RedriveOptions, redriveLetter } from './redrive';
import { type RedriveAllOptions, redriveAll } from './redrive-all';
import { groupWithText } from './text';

/**
 * Firings that need a person: reading them, trying them again, giving them up.
 *
 * @see `docs/dead-letters.md`
 */
export class DeadLetters {
  constructor(private readonly context: ClientContext) {}

  /** Letters, newest first unless `order` is `oldest`, read page by page. @throws {InvalidOptionError} for a filter that cannot be */
  list(options: ListLettersOptions = {}): AsyncIterable<DeadLetter> {
    return listLetters(this.context, options);
  }

  /**
   * One page of {@link list}, behind the `nextCursor` of the page before.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, and for a cursor that is none or of the other order
   */
  async listPage(options: ListLettersOptions & { cursor?: string | undefined } = {}): Promise<DeadLetterPage> {
    return listLettersPage(this.context, options);
  }

  /**
   * What there is to do, by cause: how many letters share a failure's type, step and workflow, most first.
   *
   * @param filter as for {@link list}; those that are open unless it names a state
   * @throws {InvalidOptionError} for a filter that cannot be
   */
  async groups(filter: LetterFilter = {}): Promise<LetterGroup[]> {
    checkOptions(letterFilter, filter);
    await this.context.ready();
    const query = letterQuery(this.context, { state: 'open' as const, ...filter });
    const groups = await readLetterGroups(this.context.store, query);
    return Promise.all(groups.map((group) => groupWithText(this.context.codec, group)));
  }

  /** @throws {DeadLetterNotFoundError} */
  async get(letterId: string): Promise<DeadLetter> {
    return getLetter(this.context, letterId);
  }

  /**
   * Try a letter's firing again. The request is written down, and a trigger carries it out within some two seconds, once however
   * often it is asked for. Where it cannot, it opens the letter again with a note that says why. Neither overlap nor a paused or
   * deleted schedule holds it back: a person asked.
   *
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when it is resolved or discarded
   * @throws {DeadLetterConflictError} when somebody decided otherwise, and that is still to come or under way
   * @throws {RedriveModeError} for a mode that its kind does not have
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   * @throws {RedriveNeedsForceError | CannotResumeError} with the option `temporal`; without it the trigger finds out
   */
  async redrive(letterId: string, options: RedriveOptions = {}): Promise<Redrive> {
    checkOptions(redriveOptions, options);
    return redriveLetter(this.context, letterId, options, this.context.temporal);
  }

  /**
   * {@link redrive} every open letter that matches, oldest first. Each waits its turn: triggers carry out a number of them a
   * second, and one at a time of each schedule, unless its policy is ALLOW_ALL. Its `maxConcurrent` and the caps on starts hold too. What cannot be redriven is counted, and stays open. The call may be made again after it was interrupted.
   *
   * @throws {InvalidOptionError} for a filter that cannot be: nothing was redriven; for an empty one too: name what is meant,
   *   or give `{ state: 'open' }` for all
   */
  async redriveAll(filter: LetterFilter, options: RedriveAllOptions = {}): Promise<RedriveCounts> {
    checkOptions(redriveAllOptions, options);
    return redriveAll(this.context, filter, options);
  }

  /**
   * What {@link redriveAll} would do to each open letter that matches, oldest first, or why it could not. Nothing is changed. Letters
   * are looked up sixteen at a time, as they are read; the client's `temporal` says what a resume runs again.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, or that names nothing
   */
  plan(filter: LetterFilter, options: PlanRedriveOptions = {}): AsyncIterable<PlannedRedrive> {
    checkOptions(planRedriveOptions, options);
    return planRedrive(this.context, filter, options);
  }

  /**
   * Give a parked step its result, as if it had returned it. A trigger tells its workflow within some two seconds. The client's
   * `dataConverter` encodes the result, as the worker's decodes it: with a codec nobody reads it in the ledger.
   *
   * @param result what the step would have returned; JSON unless the data converter takes more
   * @throws {InvalidOptionError} for a result that cannot be encoded, or is larger than Temporal takes
   * @throws {DeadLetterNotFoundError}
   * @throws {RedriveModeError} when no step is parked by it
   * @throws {DeadLetterStateError} when it is resolved or discarded
   * @throws {DeadLetterConflictError} when somebody gave another result, or decided otherwise
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   */
  async complete(letterId: string, result: unknown, options: CompleteOptions = {}): Promise<DeadLetter> {
    checkOptions(completeOptions, options);
    return complete(this.context, letterId, result, options);
  }

  /**
   * Give a letter up: nothing more is tried, and the reason stays with it. A parked step then fails, which a trigger tells
   * it within some two seconds: until then its letter is `redriving`.
   *
   * @throws {InvalidOptionError} without a reason
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when it is resolved or discarded
   * @throws {DeadLetterConflictError} when it is being redriven
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   */
  async discard(letterId: string, options: DiscardOptions): Promise<DeadLetter> {
    checkOptions(discardOptions, options);
    return discard(this.context, letterId, options);
  }

  /**
   * {@link discard} every open letter that matches, oldest first, all for one reason. What cannot be given up is counted, and
   * stays as it is. The call may be made again after it was interrupted.
   *
   * @throws {InvalidOptionError} without a reason, or for a filter that cannot be or names nothing: nothing was given up
   */
  async discardAll(filter: LetterFilter, options: DiscardAllOptions): Promise<DiscardCounts> {
    checkOptions(discardAllOptions, options);
    return discardAll(this.context, filter, options);
  }

  /**
   * Take a discard back: the letter is open again. Of a parked step that can be while it has not been told; of what has ended, while
   * its firing still ended by it. A parked step whose workflow has ended then has a letter of kind `workflow`, which `resume` takes
   * back to the step.
   *
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when it is open or resolved
   * @throws {DeadLetterConflictError} when it is being redriven
   * @throws {CannotRestoreError} when its failure is no longer the last word on its firing
   * @throws {ScheduleLockedError} when another transaction holds the schedule and stays open
   */
  async restore(letterId: string, options: RestoreOptions = {}): Promise<DeadLetter> {
    checkOptions(restoreOptions, options);
    return restore(this.context, letterId, options);
  }
}
