import { randomUUID } from 'node:crypto';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { InvalidOptionError } from '../core/errors';
import { checkOptions } from '../core/options';
import { type RedriveMode, RedriveModeError, type RedriveRequest, redriveModeOf } from '../core/redrive';
import type { Store } from '../store/connection';
import { type LetterGroup, readLetterGroups } from '../store/letters/groups';
import { lockSchedule } from '../store/lock';
import { countLetters, type DeadLetter, type LetterFilter, readLetter, readLettersPage } from '../store/read-letters';
import { askForRedrive, discardLetter } from '../store/redrive';
import { transact } from '../store/transaction';
import { discardOptions, redriveAllOptions, redriveOptions } from './call-options';
import type { ClientContext } from './context';
import {
  CannotResumeError,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  RedriveNeedsForceError,
} from './dead-letter-errors';
import { ScheduleLockedError, ScheduleNotFoundError } from './errors';
import { inTenant, letterChoice, letterFilter } from './filters';
import { withText } from './letter-text';
import { paged } from './paged';
import { planResume, type ResumePlan } from './resume-plan';
import { unlocked } from './within';

/** How to redrive a dead letter. */
export interface RedriveOptions {
  /**
   * `resume` goes on at the failed step with what was done before; `restart` starts the firing from the beginning;
   * `continue` is for parked steps.
   *
   * @default 'resume' for kind `workflow`, 'restart' for `start`, 'continue' for `parked`
   */
  mode?: RedriveMode;
  /** Resume even where steps that may have completed run again. @default false */
  force?: boolean;
  /** Find out what would happen, and change nothing. @default false */
  dryRun?: boolean;
  /** Why, for the letter. @default none */
  note?: string;
}

/** A redrive that was asked for, or would be. */
export interface Redrive {
  /** The letter as it is now. */
  letter: DeadLetter;
  /** How it is tried again. */
  mode: RedriveRequest['mode'];
  /** Of a resume: what it runs again. Undefined where the client was given no Temporal client, or it did not answer. */
  plan: ResumePlan | undefined;
}

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
/** How long a redrive waits for Temporal to say what it would run again. */
const PLAN_WITHIN_MILLISECONDS = 5_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const REFUSALS = [
  RedriveModeError,
  DeadLetterStateError,
  RedriveNeedsForceError,
  CannotResumeError,
  ScheduleLockedError,
];

/**
 * Firings that need a person: reading them, trying them again, giving them up.
 *
 * @see `docs/dead-letters.md`
 */
export class DeadLetters {
  constructor(private readonly context: ClientContext) {}

  /** Letters, newest first unless `order` is `oldest`, read page by page. @throws {InvalidOptionError} for a filter that cannot be */
  list(options: LetterFilter & { pageSize?: number; order?: 'newest' | 'oldest' } = {}): AsyncIterable<DeadLetter> {
    checkOptions(letterFilter, options);
    const { pageSize, order, ...given } = options;
    const filter = inTenant(this.context, given);
    return paged(pageSize, async (cursor: DeadLetter | undefined, size) => {
      await this.context.ready();
      const page = { cursor, size, oldestFirst: order === 'oldest' };
      const letters = await readLettersPage(this.context.store, filter, page);
      return Promise.all(letters.map((letter) => withText(this.context.codec, letter)));
    });
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
    return readLetterGroups(this.context.store, inTenant(this.context, { state: 'open' as const, ...filter }));
  }

  /** @throws {DeadLetterNotFoundError} */
  async get(letterId: string): Promise<DeadLetter> {
    await this.context.ready();
    const { store, tenant } = this.context;
    const letter = UUID.test(letterId) ? await readLetter(store, letterId, tenant) : undefined;
    if (!letter) throw new DeadLetterNotFoundError(letterId);
    return withText(this.context.codec, letter);
  }

  /**
   * Try a letter's firing again. The request is written down; a trigger carries it out within some two seconds, once
   * however often it is asked for, and where it cannot, opens the letter again with a note that says why. Overlap does
   * not hold it back, a paused or deleted schedule neither: a person asked.
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
    return this.#redrive(letterId, options, this.context.temporal);
  }

  /**
   * {@link redrive} every open letter that matches, oldest first. Each waits its turn: a trigger carries out so many a second, and of
   * a schedule one at a time unless it is ALLOW_ALL, and only where its overlap policy, `maxConcurrent` and the caps on starts
   * have room. What cannot be redriven is counted, and stays open. The call may be made again after it was interrupted.
   *
   * @throws {InvalidOptionError} for a filter that cannot be: nothing was redriven; for an empty one too: name what is meant,
   *   or give `{ state: 'open' }` for all
   */
  async redriveAll(filter: LetterFilter, options: RedriveAllOptions = {}): Promise<RedriveCounts> {
    checkOptions(letterChoice, filter, 'filter');
    checkOptions(redriveAllOptions, options);
    if (Object.keys(filter).length === 0) {
      throw new InvalidOptionError('filter', "names nothing; give { state: 'open' } to redrive every open letter");
    }
    const open = inTenant(this.context, { ...filter, state: 'open' as const });
    await this.context.ready();
    const matching = filter.state && filter.state !== 'open' ? 0 : await countLetters(this.context.store, open);
    const counts: RedriveCounts = { total: matching, redriven: 0, refused: {} };
    const { perSecond = REDRIVEN_PER_SECOND, atMost = Number.POSITIVE_INFINITY } = options;
    counts.total = Math.min(matching, atMost);
    if (matching === 0) return counts;
    let { temporal } = this.context;
    let left = counts.total;
    for await (const letter of this.list({ ...open, order: 'oldest' })) {
      if (left-- <= 0) break;
      const { refusal, unanswered } = await this.#redriveOne(letter, { ...options, perSecond }, temporal);
      // Not asked again: each look could take the whole deadline.
      if (unanswered) temporal = undefined;
      if (refusal) counts.refused[refusal] = (counts.refused[refusal] ?? 0) + 1;
      else counts.redriven += 1;
      options.progress?.(counts);
    }
    return counts;
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
  async discard(letterId: string, options: { note: string }): Promise<DeadLetter> {
    checkOptions(discardOptions, options);
    const { note } = options;
    const letter = await this.get(letterId);
    await this.#change(letter, async (transaction, current, now) => {
      if (isAsked(current, 'discard', 'discard')) return;
      if (current.state !== 'open') throw new DeadLetterStateError(letterId, current.state, 'discard');
      const actor = this.context.identity;
      if (current.kind === 'parked') {
        await askForRedrive(transaction, letterId, { request: requestOf('discard', now), actor, note, now });
      } else {
        await discardLetter(transaction, letterId, { actor, note, now });
      }
    });
    return this.get(letterId);
  }

  async #redrive(letterId: string, options: RedriveAllOptions, temporal: Client | undefined): Promise<Redrive> {
    const letter = await this.get(letterId);
    const redriving = redriveOf(letter, options.mode);
    if (letter.state === 'redriving') return redriving;
    const plan = redriving.mode === 'resume' ? await planWhereKnown(temporal, letter, options) : undefined;
    if (plan && plan.siblings.length > 0 && !options.force && !options.dryRun) {
      throw new RedriveNeedsForceError(letterId, plan.siblings);
    }
    if (options.dryRun) return { ...redriving, plan };
    return { ...(await this.#ask(letter, options)), plan };
  }

  /** `refusal` is the name of the error, if it was refused. */
  async #redriveOne(
    { letterId }: DeadLetter,
    options: RedriveAllOptions,
    temporal: Client | undefined,
  ): Promise<{ refusal?: string; unanswered?: boolean }> {
    try {
      const { mode, plan } = await this.#redrive(letterId, options, temporal);
      // A dry run tells what the real one would refuse.
      if (plan && plan.siblings.length > 0 && !options.force) return { refusal: RedriveNeedsForceError.name };
      return { unanswered: mode === 'resume' && !plan && !options.dryRun };
    } catch (error) {
      if (REFUSALS.some((refusal) => error instanceof refusal)) return { refusal: (error as Error).name };
      throw error;
    }
  }

  async #ask(letter: DeadLetter, { perSecond, ...options }: RedriveAllOptions): Promise<Omit<Redrive, 'plan'>> {
    const { letterId } = letter;
    await this.#change(letter, async (transaction, current, now) => {
      const { mode } = redriveOf(current, options.mode);
      if (current.state === 'redriving') return;
      const turn = perSecond === undefined ? {} : ({ inTurn: true, perSecond } as const);
      const request = { ...requestOf(mode, now, options.force), ...turn };
      await askForRedrive(transaction, letterId, { request, actor: this.context.identity, note: options.note, now });
    });
    const asked = await this.get(letterId);
    return { letter: asked, mode: asked.redrive!.mode };
  }

  /** Change a letter under its schedule's lock, in the state that it then has. */
  async #change(
    { letterId, scheduleId }: DeadLetter,
    change: (transaction: Store, current: DeadLetter, now: Date) => Promise<void>,
  ): Promise<void> {
    await unlocked(this.context, scheduleId, () =>
      transact(this.context.store, async (transaction) => {
        const locked = await lockSchedule(transaction, scheduleId, this.context.now?.());
        if (!locked) throw new ScheduleNotFoundError(scheduleId);
        await change(transaction, (await readLetter(transaction, letterId))!, locked.now);
      }),
    );
  }
}

/** @throws {DeadLetterStateError | RedriveModeError} */
function redriveOf(letter: DeadLetter, mode: RedriveMode | undefined): Redrive {
  const { state, kind, letterId } = letter;
  const wanted = redriveModeOf(kind, mode);
  if (isAsked(letter, wanted, 'redrive')) return { letter, mode: wanted, plan: undefined };
  if (state !== 'open') throw new DeadLetterStateError(letterId, state, 'redrive');
  return { letter, mode: wanted, plan: undefined };
}

/**
 * Whether just this was asked for already.
 *
 * @throws {DeadLetterConflictError} where somebody asked for something else
 */
function isAsked(
  { letterId, state, redrive, actor }: DeadLetter,
  mode: RedriveRequest['mode'],
  intent: 'redrive' | 'discard',
): boolean {
  if (state !== 'redriving') return false;
  if (redrive!.mode === mode) return true;
  throw new DeadLetterConflictError(letterId, intent, { mode: redrive!.mode, actor, askedAt: redrive!.askedAt });
}

function requestOf(mode: RedriveRequest['mode'], now: Date, force = false): RedriveRequest {
  const askedAt = now.toISOString();
  return { mode, requestId: randomUUID(), force, askedAt, lookAt: askedAt };
}

/** Temporal away holds nothing up but a dry run: the trigger checks again in any case. */
async function planWhereKnown(temporal: Client | undefined, letter: DeadLetter, { dryRun }: RedriveOptions) {
  if (!temporal) return undefined;
  try {
    // The client's own retries would hold the caller for minutes.
    return await temporal.withDeadline(Date.now() + PLAN_WITHIN_MILLISECONDS, () => planResume(temporal, letter));
  } catch (error) {
    if (!dryRun && isGrpcServiceError(error)) return undefined;
    throw error;
  }
}
