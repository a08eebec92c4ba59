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
 * Dead letters: read them, redrive them, or discard them.
 *
 * @see `docs/dead-letters.md`
 */
export class DeadLetters {
  constructor(private readonly context: ClientContext) {}

  /**
   * Letters, newest first unless `order` is `oldest`, read page by page. @throws {InvalidOptionError} for a filter that
   * is not allowed
   */
  list(options: ListLettersOptions = {}): AsyncIterable<DeadLetter> {
    return listLetters(this.context, options);
  }

  /**
   * One page of {@link list}: the first page, or the page after the one whose `nextCursor` is given.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed, or a cursor that is invalid or of another order
   */
  async listPage(options: ListLettersOptions & { cursor?: string | undefined } = {}): Promise<DeadLetterPage> {
    return listLettersPage(this.context, options);
  }

  /**
   * Groups of letters with the same cause: the same failure type, step and workflow type. The largest group comes
   * first.
   *
   * @param filter as for {@link list}; only open letters unless the filter has the field `state`, which may be
   *   undefined for letters of every state
   * @throws {InvalidOptionError} for a filter that is not allowed
   */
  async groups(filter: LetterFilter = {}): Promise<LetterGroup[]> {
    checkOptions(letterFilter, filter);
    await this.context.ready();
    const query = await letterQuery(this.context, { state: 'open' as const, ...filter });
    const groups = await readLetterGroups(this.context.store, query);
    return Promise.all(groups.map((group) => groupWithText(this.context.codec, group)));
  }

  /** @throws {DeadLetterNotFoundError} */
  async get(letterId: string): Promise<DeadLetter> {
    return getLetter(this.context, letterId);
  }

  /**
   * Try again what the letter is about: a start, a workflow or a parked step. A trigger carries the request out,
   * usually within two seconds. While the letter is `redriving`, repeating the call changes nothing. If the trigger
   * cannot carry out the request, it reopens the letter with a note that says why. A redrive ignores the overlap
   * policy, and works for a paused or deleted schedule too.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when the letter is resolved or discarded; for a dry run, also when a trigger would
   *   open the letter again because of its firing
   * @throws {DeadLetterConflictError} when another decision about the letter is being carried out
   * @throws {RedriveModeError} for a mode that the letter's kind does not support
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   * @throws {RedriveNeedsForceError | CannotResumeError} only if the client was given `temporal`
   * @throws {TemporalUnreachableError} for the dry run of a resume, if the call to Temporal fails
   */
  async redrive(letterId: string, options: RedriveOptions = {}): Promise<Redrive> {
    checkOptions(redriveOptions, options);
    return redriveLetter(this.context, letterId, options);
  }

  /**
   * {@link redrive} every open letter that matches, oldest first. Triggers carry out a limited number of redrives per
   * second. Triggers keep to the number of firings that each schedule may have open at once: its `maxConcurrent`, or
   * else one, or no limit with ALLOW_ALL. The caps on starts also apply. Letters that cannot be redriven are counted
   * and stay as they are. To finish an interrupted call, repeat it.
   *
   * @throws {InvalidOptionError} for an option or a filter that is not allowed, or for an empty filter;
   *   `{ state: 'open' }` matches every open letter
   */
  async redriveAll(filter: LetterFilter, options: RedriveAllOptions = {}): Promise<RedriveCounts> {
    checkOptions(redriveAllOptions, options);
    return redriveAll(this.context, filter, options);
  }

  /**
   * For each open letter that matches, oldest first: what {@link redriveAll} would do with it, or why it would refuse
   * it. Nothing is changed. Up to sixteen letters are checked at a time, as you iterate. If the client was given
   * `temporal`, a plan also names the steps that a resume would run again.
   *
   * @throws {InvalidOptionError} for an option that is not allowed; at the first letter, for a filter that is not
   *   allowed or is empty
   */
  plan(filter: LetterFilter, options: PlanRedriveOptions = {}): AsyncIterable<PlannedRedrive> {
    checkOptions(planRedriveOptions, options);
    return planRedrive(this.context, filter, options);
  }

  /**
   * Give a parked step its result, as if the step had returned it. A trigger sends the result to the workflow, usually
   * within two seconds. The client's `dataConverter` encodes the result, and the worker's converter must be able to
   * decode it. If a codec encrypts the result, the ledger has only the encrypted form.
   *
   * @param result the value that the step would have returned: JSON, unless the data converter accepts more
   * @throws {InvalidOptionError} for a result that cannot be encoded, or is larger than Temporal accepts
   * @throws {DeadLetterNotFoundError}
   * @throws {RedriveModeError} when the letter is not of a parked step
   * @throws {DeadLetterStateError} when the letter is resolved or discarded
   * @throws {DeadLetterConflictError} when somebody gave another result, or made another decision
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   */
  async complete(letterId: string, result: unknown, options: CompleteOptions = {}): Promise<DeadLetter> {
    checkOptions(completeOptions, options);
    return complete(this.context, letterId, result, options);
  }

  /**
   * Discard a letter: nothing is tried again, and the reason is kept. If the letter is of a parked step, that step
   * fails: a trigger sends the failure to the workflow, usually within two seconds. Until the failure is sent, the
   * letter is `redriving`.
   *
   * @throws {InvalidOptionError} without a reason
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when the letter is resolved or discarded
   * @throws {DeadLetterConflictError} when the letter is being redriven
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   */
  async discard(letterId: string, options: DiscardOptions): Promise<DeadLetter> {
    checkOptions(discardOptions, options);
    return discard(this.context, letterId, options);
  }

  /**
   * {@link discard} every open letter that matches, oldest first, with one reason for all. Letters that cannot be
   * discarded are counted and stay as they are. To finish an interrupted call, repeat it.
   *
   * @throws {InvalidOptionError} without a reason, or for a filter that is not allowed or is empty
   */
  async discardAll(filter: LetterFilter, options: DiscardAllOptions): Promise<DiscardCounts> {
    checkOptions(discardAllOptions, options);
    return discardAll(this.context, filter, options);
  }

  /**
   * Undo a discard, so that the letter is open again. The letter of a parked step can be restored until a trigger
   * begins to send the failure. Once its workflow has ended without completing, the letter can be restored too: it is
   * then of kind `workflow`, and `resume` goes back to the step. Any other letter can be restored unless its firing
   * runs, was started again, has completed or is no longer kept. A letter that is `redriving` is opened too if its
   * stored request is damaged.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   * @throws {DeadLetterNotFoundError}
   * @throws {DeadLetterStateError} when the letter is open or resolved
   * @throws {DeadLetterConflictError} when the letter is being redriven
   * @throws {CannotRestoreError} when the discard cannot be undone; `reason` says why
   * @throws {ScheduleLockedError} when another open transaction holds a lock on the schedule
   */
  async restore(letterId: string, options: RestoreOptions = {}): Promise<DeadLetter> {
    checkOptions(restoreOptions, options);
    return restore(this.context, letterId, options);
  }
}
