import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { VersioningOverride } from '@temporalio/common';
import { type RedriveMode, type RedriveRequest, redriveModeOf } from '../../core/letters/redrive';
import type { DeadLetter } from '../../store/letters/read-letters';
import { askForRedrive } from '../../store/letters/redrive';
import type { ClientContext } from '../context';
import { changeLetter, getLetter, isAsked, requestOf } from './change';
import { DeadLetterStateError, RedriveNeedsForceError } from './errors';
import { planWithin, type ResumePlan } from './resume-plan';

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
  /**
   * The worker version that it goes on with: a run that is pinned runs its steps on the build that it began on, and a mend in a newer one
   * does not reach it. As in Temporal's start options. @default as Temporal decides: a run stays where it is, a restart begins on the current version
   */
  versioningOverride?: VersioningOverride;
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

/** @param perSecond of one of many, which waits its turn: how many of them may be carried out in a second */
export async function redriveLetter(
  context: ClientContext,
  letterId: string,
  options: RedriveOptions & { perSecond?: number },
  temporal: Client | undefined,
): Promise<Redrive> {
  const letter = await getLetter(context, letterId);
  const redriving = redriveOf(letter, options.mode);
  if (letter.state === 'redriving') return redriving;
  const plan = redriving.mode === 'resume' ? await planWhereKnown(temporal, letter, options) : undefined;
  if (plan && plan.siblings.length > 0 && !options.force && !options.dryRun) {
    throw new RedriveNeedsForceError(letterId, plan.siblings);
  }
  if (options.dryRun) return { ...redriving, plan };
  return { ...(await ask(context, letter, options)), plan };
}

async function ask(
  context: ClientContext,
  letter: DeadLetter,
  { perSecond, ...options }: RedriveOptions & { perSecond?: number },
): Promise<Omit<Redrive, 'plan'>> {
  const { letterId } = letter;
  await changeLetter(context, letter, async (transaction, current, now) => {
    const { mode } = redriveOf(current, options.mode);
    if (current.state === 'redriving') return;
    const turn = perSecond === undefined ? {} : ({ inTurn: true, perSecond } as const);
    const { versioningOverride } = options;
    const request = {
      ...requestOf(mode, now, options.force),
      ...turn,
      ...(versioningOverride && { versioningOverride }),
    };
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

/** Temporal away holds nothing up but a dry run: the trigger checks again in any case. */
async function planWhereKnown(temporal: Client | undefined, letter: DeadLetter, { dryRun }: RedriveOptions) {
  if (!temporal) return undefined;
  try {
    return await planWithin(temporal, letter);
  } catch (error) {
    if (!dryRun && isGrpcServiceError(error)) return undefined;
    throw error;
  }
}
