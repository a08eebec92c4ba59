import { isGrpcServiceError } from '@temporalio/client';
import type { VersioningOverride } from '@temporalio/common';
import { TemporalUnreachableError } from '../../core/errors';
import {
  type RedriveMode,
  type RedriveRequest,
  redriveModeOf,
  refusalByFiring,
  restartsByCurrentVersion,
} from '../../core/letters/redrive';
import { renewManualVersion } from '../../store/firings/manual';
import { readFiringsOfLetters } from '../../store/letters/firing-of';
import type { DeadLetter } from '../../store/letters/read-letters';
import { askForRedrive } from '../../store/letters/redrive';
import type { ClientContext } from '../context';
import { changeLetter, getLetter, isAsked, requestOf } from './change';
import { DeadLetterStateError, RedriveNeedsForceError } from './errors';
import { planWithin, type ResumePlan } from './resume-plan';

/** How to redrive a dead letter. */
export interface RedriveOptions {
  /**
   * `resume` continues at the failed step and keeps the results before it. `restart` starts the firing from the
   * beginning. `continue` is for parked steps.
   *
   * @default 'resume' for kind `workflow`, 'restart' for `start`, 'continue' for `parked`
   */
  mode?: RedriveMode;
  /** Resume even if steps that may have completed run again. @default false */
  force?: boolean;
  /** Change nothing, and return what would happen. @default false */
  dryRun?: boolean;
  /**
   * The worker version on which the workflow continues. A pinned run stays on the build on which it began, so a fix in
   * a newer build does not reach it. The option has the form of `versioningOverride` in Temporal's start
   * options. @default as Temporal decides: a run keeps its version, a restart uses the current one
   */
  versioningOverride?: VersioningOverride;
  /** Why the letter is redriven; kept with the letter. @default none */
  note?: string;
}

/** A redrive that was requested, or that a dry run would request. */
export interface Redrive {
  /** The letter as it is now. */
  letter: DeadLetter;
  /** The mode of the redrive. */
  mode: RedriveRequest['mode'];
  /**
   * For a resume: the steps that run again. Undefined for other modes, for a repeated request, without a Temporal
   * client, and if the call to Temporal failed.
   */
  plan: ResumePlan | undefined;
}

interface OfBulk {
  /** How many letters the bulk redrive may redrive per second. */
  perSecond?: number;
  /**
   * Namespaces in which a call has failed, so that a letter was redriven without its answer. They are not asked again,
   * since each call could take the whole deadline.
   */
  away?: Set<string>;
}

export async function redriveLetter(
  context: ClientContext,
  letterId: string,
  options: RedriveOptions & OfBulk,
): Promise<Redrive> {
  const letter = await getLetter(context, letterId);
  const redriving = redriveOf(letter, options.mode);
  if (letter.state === 'redriving') return redriving;
  if (options.dryRun) await refuseByFiring(context, redriving);
  const plan = redriving.mode === 'resume' ? await planWhereKnown(context, letter, options) : undefined;
  if (plan && plan.siblings.length > 0 && !options.force && !options.dryRun) {
    throw new RedriveNeedsForceError(letterId, plan.siblings);
  }
  if (options.dryRun) return { ...redriving, plan };
  return { ...(await ask(context, letter, options)), plan };
}

async function ask(
  context: ClientContext,
  letter: DeadLetter,
  { perSecond, ...options }: RedriveOptions & OfBulk,
): Promise<Omit<Redrive, 'plan'>> {
  const { letterId } = letter;
  await changeLetter(context, letter, async (transaction, current, locked) => {
    const { now } = locked;
    const { mode } = redriveOf(current, options.mode);
    if (current.state === 'redriving') return;
    const paceOf = context.tenant === undefined ? {} : { paceOf: context.tenant };
    const turn = perSecond === undefined ? {} : ({ inTurn: true, perSecond } as const);
    const { versioningOverride } = options;
    const request = {
      ...requestOf(mode, now, options.force),
      ...paceOf,
      ...turn,
      ...(versioningOverride && { versioningOverride }),
    };
    // The version is written here, since triggers have no right to write versions.
    if (mode === 'restart' && restartsByCurrentVersion(current.reason)) {
      await renewManualVersion(transaction, locked, current.scheduledTime, context.identity);
    }
    await askForRedrive(transaction, letterId, { request, actor: context.identity, note: options.note, now });
  });
  const asked = await getLetter(context, letterId);
  return { letter: asked, mode: asked.redrive!.mode };
}

/** @throws {DeadLetterStateError | RedriveModeError} */
function redriveOf(letter: DeadLetter, mode: RedriveMode | undefined): Redrive {
  const { state, kind, letterId } = letter;
  const wanted = redriveModeOf(kind, mode);
  if (!isAsked(letter, wanted, 'redrive') && state !== 'open') {
    throw new DeadLetterStateError(letterId, state, 'redrive');
  }
  return { letter, mode: wanted, plan: undefined };
}

/** @throws {DeadLetterStateError} if a trigger would reopen the letter because of its firing's state */
async function refuseByFiring({ store }: ClientContext, { letter, mode }: Redrive): Promise<void> {
  const { letterId, state } = letter;
  const [firing] = await readFiringsOfLetters(store, [letterId]);
  const why = refusalByFiring(mode, firing?.state ?? null);
  if (why) throw new DeadLetterStateError(letterId, state, 'redrive', why);
}

/**
 * What a resume would run again. If the call to Temporal fails, the result is undefined for a real redrive, since the
 * trigger checks again anyway.
 *
 * @throws {CannotResumeError}
 * @throws {TemporalUnreachableError} for a dry run, if the call to Temporal fails
 */
async function planWhereKnown(
  context: ClientContext,
  letter: DeadLetter,
  { dryRun, away }: RedriveOptions & OfBulk,
): Promise<ResumePlan | undefined> {
  const { namespace } = letter;
  const temporal = context.temporal(namespace);
  if (!temporal || away?.has(namespace)) return undefined;
  try {
    return await planWithin(temporal, letter);
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if (dryRun) {
      throw new TemporalUnreachableError(`Temporal did not say what would run again (${error.message})`, {
        cause: error,
      });
    }
    away?.add(namespace);
    return undefined;
  }
}
