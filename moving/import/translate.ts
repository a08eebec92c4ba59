import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { EncodedPayload } from '../../core/definition/definition';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import { unlessEmpty } from '../../core/definition/unless-empty';
import type { ScheduleOptions } from '../../core/schedule/options';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import type { RawSchedule } from '../native/native';
import { specOf } from '../native/spec';
import { noteOf, pauseOf, refuseTooManyActions } from '../native/standing';
import { MovingProblem } from '../problem';
import { type CarriedValues, carriedValuesOf, plainActionOf, searchAttributesOf, textsOf } from './translate-action';

export interface TranslatedSchedule {
  /** All plain fields; encoded values are separate. */
  options: ScheduleOptions;
  carried: CarriedValues;
  memo: Record<string, EncodedPayload> | undefined;
  searchAttributes: StoredSearchAttributes | undefined;
  /** The state of the schedule in Temporal; a pause by Escapement does not count. */
  native: { paused: boolean; note: string | undefined; remainingActions: number | undefined };
  /** Parts that are not imported, or that have another meaning here. */
  notes: string[];
}

/** The shortest catch-up window that the server applies, and its default. */
const SHORTEST_WINDOW_MILLISECONDS = 10_000;
const DEFAULT_WINDOW_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/**
 * Translates the server's answer about a schedule.
 *
 * @param isOfNewScheduler which of the server's two schedulers runs the schedule
 * @throws {MovingProblem} for a part without a counterpart here
 */
export function translate(
  scheduleId: string,
  namespace: string,
  raw: RawSchedule,
  isOfNewScheduler: boolean,
): TranslatedSchedule {
  const { spec, action, policies, state } = raw.schedule ?? {};
  if (!action?.startWorkflow) throw new MovingProblem('its action starts no workflow');
  // Its workflow IDs are only a hyphen and the time, which no schedule here can have.
  if (!action.startWorkflow.workflowId) throw new MovingProblem('its action has no workflow ID; give it one');
  if (spec?.timezoneData?.length)
    throw new MovingProblem('its spec has time zone data of its own; name a zone instead');
  if (policies?.keepOriginalWorkflowId) {
    throw new MovingProblem('all its workflows have the same workflow ID, so occurrences cannot be distinguished');
  }
  refuseTooManyActions(raw);
  const catchupWindow = windowInForce(optionalTsToMs(policies?.catchupWindow), isOfNewScheduler);
  return {
    options: {
      scheduleId,
      namespace,
      spec: specOf(raw),
      action: plainActionOf(action.startWorkflow) as ScheduleOptions['action'],
      policies: {
        overlap: OVERLAP_POLICIES[(policies?.overlapPolicy || 1) - 1] ?? 'SKIP',
        catchupWindow,
        // As in Temporal, every time in the window is caught up.
        catchupLimit: Number.POSITIVE_INFINITY,
        pauseOnFailure: policies?.pauseOnFailure ?? false,
      },
    },
    carried: carriedValuesOf(action.startWorkflow),
    memo: textsOf(raw.memo?.fields),
    searchAttributes: unlessEmpty(searchAttributesOf(raw.searchAttributes?.indexedFields)),
    native: {
      paused: pauseOf(raw) === 'of a person',
      note: noteOf(raw),
      remainingActions: state?.limitedActions ? Number(state.remainingActions ?? 0) : undefined,
    },
    notes: notesOf(raw),
  };
}

/**
 * The catch-up window that applies, in milliseconds. Without a value, the window is a year in both of the server's
 * schedulers. The old scheduler raises values that are zero, negative or too short to ten seconds; the new one treats
 * zero and negative values as no value.
 */
export function windowInForce(given: number | undefined, isOfNewScheduler: boolean): number {
  if (given === undefined || (given <= 0 && isOfNewScheduler)) return DEFAULT_WINDOW_MILLISECONDS;
  return Math.max(given, SHORTEST_WINDOW_MILLISECONDS);
}

function notesOf({ schedule, info }: RawSchedule): string[] {
  const notes: string[] = [];
  const running = info?.runningWorkflows ?? [];
  if (running.length > 0) notes.push(`runs there now: ${running.map(({ workflowId }) => workflowId).join(', ')}`);
  if (Number(info?.bufferSize ?? 0) > 0) notes.push(`${Number(info!.bufferSize)} wait there for their turn`);
  if ((info?.recentActions ?? []).length > 0) {
    notes.push('the last result and failure stay there: see currentFiring().previous');
  }
  if (optionalTsToMs(schedule?.spec?.jitter)) notes.push('jitter: the same bound, by another hash');
  return notes;
}
