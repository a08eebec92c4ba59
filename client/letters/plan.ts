import { isGrpcServiceError } from '@temporalio/client';
import { workflowIdOf } from '../../core/identity';
import {
  type RedriveMode,
  redriveModeOf,
  refusalByFiring,
  restartEpochOf,
  restartsByCurrentVersion,
} from '../../core/letters/redrive';
import type { Step } from '../../core/letters/reset-point';
import { type FiringOfLetter, readFiringsOfLetters } from '../../store/letters/firing-of';
import type { DeadLetter } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { RedriveNeedsForceError } from './errors';
import type { LetterFilter } from './filter';
import { countRefusal, type LetterCounts, openLetters, refusalOf } from './many';
import type { RedriveOptions } from './redrive';
import { isAway, planWithin, type ResumePlan } from './resume-plan';

/** How to plan a redrive of many letters. */
export interface PlanRedriveOptions extends Pick<RedriveOptions, 'mode' | 'force'> {
  /** Maximum number of letters, oldest first. @default all */
  atMost?: number;
  /** Called with each letter after it was checked. @default no callback */
  progress?: (counts: RedriveCounts, letter: DeadLetter) => void;
}

/** Progress or result of redriving many letters, or what a dry run would do. */
export interface RedriveCounts extends LetterCounts {
  /** Number of letters whose redrive was requested, or for a plan would be. */
  redriven: number;
}

/** What a redrive of one letter would do. Nothing was changed. */
export interface PlannedRedrive {
  /** The letter as it is now. */
  letter: DeadLetter;
  /** The mode of the redrive; undefined if the letter's kind does not support the requested mode. */
  mode: RedriveMode | undefined;
  /**
   * Workflow ID under which the firing would continue. A restart gets a new workflow ID if a chain of the firing has
   * run, or if another workflow has the firing's ID. Null if `mode` is undefined, or if a trigger would reopen the
   * letter.
   */
  workflowId: string | null;
  /**
   * The step that would run again; undefined if no single step is known, as when the workflow failed by itself or would
   * start from the beginning.
   */
  step: Step | undefined;
  /**
   * Other steps that would run again, even if completed, and a failed child workflow or Nexus operation. Undefined if
   * everything would run again, as in a restart; if the letter is refused before they are known; or if Temporal was not
   * asked or did not say.
   */
  again: Step[] | undefined;
  /** The error because of which Temporal did not say what would run again; absent without such an error. */
  unanswered?: string;
  /** Why the letter would not be redriven. */
  refused?: {
    /**
     * Name of the error that `redrive` would throw; `trigger` if a trigger would reopen the letter, with `message` as
     * its note.
     */
    by: string;
    /** The message of the error, or the note of the trigger. */
    message: string;
  };
}

const SIDE_BY_SIDE = 16;

export async function* planRedrive(
  context: ClientContext,
  filter: LetterFilter,
  { atMost = Number.POSITIVE_INFINITY, progress, ...options }: PlanRedriveOptions,
): AsyncGenerator<PlannedRedrive> {
  const { total, letters } = await openLetters(context, filter, 'redrive');
  const counts: RedriveCounts = { total: Math.min(total, atMost), redriven: 0, refused: {} };
  const away: Away = new Map();
  for await (const page of pagesOf(letters, counts.total)) {
    const firings = await readFiringsOfLetters(
      context.store,
      page.map(({ letterId }) => letterId),
    );
    const byLetter = new Map(firings.map((firing) => [firing.letterId, firing]));
    const plans = page.map((letter) => planOne(context, letter, byLetter.get(letter.letterId), away, options));
    for (const plan of await Promise.all(plans)) {
      if (plan.refused) countRefusal(counts, plan.refused.by);
      else counts.redriven += 1;
      progress?.(counts, plan.letter);
      yield plan;
    }
  }
}

async function* pagesOf(letters: AsyncIterable<DeadLetter>, count: number): AsyncGenerator<DeadLetter[]> {
  let page: DeadLetter[] = [];
  let left = count;
  if (left === 0) return;
  for await (const letter of letters) {
    page.push(letter);
    left -= 1;
    if (page.length < SIDE_BY_SIDE && left > 0) continue;
    yield page;
    if (left === 0) return;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function planOne(
  context: ClientContext,
  letter: DeadLetter,
  firing: FiringOfLetter | undefined,
  away: Away,
  { mode: wanted, force }: Pick<RedriveOptions, 'mode' | 'force'>,
): Promise<PlannedRedrive> {
  const plan: PlannedRedrive = { letter, mode: undefined, workflowId: null, step: undefined, again: undefined };
  try {
    plan.mode = redriveModeOf(letter.kind, wanted);
    const message = refusalByFiring(plan.mode, firing?.state ?? null);
    if (message) return { ...plan, refused: { by: 'trigger', message } };
    if (plan.mode === 'restart') return { ...plan, workflowId: restartedIdOf(letter, firing!) };
    plan.workflowId = letter.workflowId;
    if (plan.mode === 'continue') return { ...plan, step: stepOf(letter), again: [] };
    const found = await planUnlessAway(context, letter, away);
    if (typeof found === 'string') return { ...plan, step: stepOf(letter), unanswered: found };
    plan.step = found ? found.step : stepOf(letter);
    plan.again = found?.siblings;
    if (found && found.siblings.length > 0 && !force) throw new RedriveNeedsForceError(letter.letterId, found.siblings);
    return plan;
  } catch (error) {
    const { name: by, message } = refusalOf(error);
    return { ...plan, refused: { by, message } };
  }
}

/** The errors of namespaces that were asked in vain. They are not asked again, since each call could take seconds. */
type Away = Map<string, string>;

/** The plan, or the error because of which Temporal did not give one. */
async function planUnlessAway(
  context: ClientContext,
  letter: DeadLetter,
  away: Away,
): Promise<ResumePlan | string | undefined> {
  const { namespace } = letter;
  const temporal = context.temporal(namespace);
  if (!temporal || away.has(namespace)) return away.get(namespace);
  let isDescribed = false;
  try {
    return await planWithin(temporal, letter, () => {
      isDescribed = true;
    });
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // Once the chain is described, the error is of this letter alone, such as for a history that takes too long.
    if (!isDescribed && isAway(error)) away.set(namespace, error.message);
    return error.message;
  }
}

function restartedIdOf(letter: DeadLetter, firing: FiringOfLetter): string {
  const { scheduleId, scheduledTime, kind, reason } = letter;
  const isRefused = firing.state === 'abandoned' && restartsByCurrentVersion(reason);
  const prefix = isRefused ? firing.currentPrefix : firing.prefix;
  const epoch = restartEpochOf({ ...firing, kind, reason });
  const key = { scheduleId, scheduledTime, kind: firing.kind, epoch };
  return workflowIdOf(prefix === null ? key : { ...key, workflowId: prefix });
}

function stepOf({ failedStep }: DeadLetter): Step | undefined {
  if (!failedStep) return undefined;
  const { activityType, activityId, childWorkflow, nexusOperation } = failedStep;
  if (childWorkflow) return { kind: 'childWorkflow', name: childWorkflow.workflowType, id: childWorkflow.workflowId };
  if (nexusOperation) return { kind: 'nexusOperation', name: nexusOperation.operation };
  if (activityType === undefined) return undefined;
  return { kind: 'activity', name: activityType, ...(activityId ? { id: activityId } : {}) };
}
