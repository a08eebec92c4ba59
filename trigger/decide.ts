import type { OccurrencePlan } from '../core/decisions/catchup';
import { decideOverlap } from '../core/decisions/overlap';
import type { FiringKey } from '../core/firing';
import { workflowIdOf } from '../core/identity';
import type { NewFiring, OpenFiring, TimerAdvance } from '../store/claim';
import type { DueTimer } from '../store/due';
import type { CompiledDefinition } from './definitions';

/** A due schedule and what its occurrences come to. */
export interface DuePlan {
  timer: DueTimer;
  definition: CompiledDefinition;
  plan: OccurrencePlan;
}

/** A schedule that overlap would make skip, and the firings that hold it. */
export interface Suspect {
  scheduleId: string;
  holding: OpenFiring[];
}

/** Open firings per schedule that Temporal has just confirmed, as {@link holdersOf} writes them. */
export type VerifiedHolders = Map<string, string>;

/** A buffered firing and what becomes of it. */
export type Released = FiringKey & { state: 'claimed' | 'skipped'; reason: string | null };

/** The firings that hold a schedule, as one comparable text. */
export function holdersOf(holding: OpenFiring[]): string {
  return holding.map((firing) => firing.scheduledTime.toISOString()).join(' ');
}

/** What becomes of one schedule: rows to write, or a suspicion for Temporal to settle. */
export type Decided =
  | { suspect: Suspect }
  | { suspect: undefined; firings: NewFiring[]; released: Released[]; advance: TimerAdvance };

/** Decide the fate of what is buffered and what is due, oldest first, under the schedule's lock. */
export function decide(due: DuePlan, open: OpenFiring[], verified: VerifiedHolders): Decided {
  const { timer, definition, plan } = due;
  const holding = open.filter((firing) => firing.state !== 'buffered');
  const buffered = open.filter((firing) => firing.state === 'buffered');
  const candidates = [...buffered.map((firing) => ({ ...firing, waiting: true })), ...plan.firings.map(planned(timer))];
  candidates.sort((one, other) => one.scheduledTime.getTime() - other.scheduledTime.getTime());

  const policies = candidates.map((candidate) => candidate.overlap ?? definition.policies.overlap);
  const decisions = decideOverlap(holding.length, policies);
  const overlapped = holding.length > 0 && decisions.includes('skip') && !timer.deleted;
  if (overlapped && verified.get(timer.scheduleId) !== holdersOf(holding)) {
    return { suspect: { scheduleId: timer.scheduleId, holding } };
  }

  const firings: NewFiring[] = [];
  const released: Released[] = [];
  candidates.forEach((candidate, index) => {
    const claims = decisions[index] === 'claim' && !timer.deleted;
    const state = claims ? ('claimed' as const) : ('skipped' as const);
    const reason = claims ? null : timer.deleted ? 'schedule_deleted' : 'overlap';
    const key = { scheduleId: timer.scheduleId, scheduledTime: candidate.scheduledTime };
    if (candidate.waiting) {
      released.push({ ...key, state, reason });
      return;
    }
    const { kind } = candidate;
    const workflowId = claims
      ? workflowIdOf({ ...key, workflowId: definition.action.workflowId, kind, epoch: 0 })
      : null;
    firings.push({ ...key, state, reason, kind, namespace: definition.namespace, version: timer.version, workflowId });
  });
  return { suspect: undefined, firings, released, advance: advanceOf(due) };
}

function planned(timer: DueTimer) {
  return ({ scheduledTime, kind }: OccurrencePlan['firings'][number]) => ({
    scheduleId: timer.scheduleId,
    scheduledTime: new Date(scheduledTime),
    kind,
    overlap: null,
    waiting: false,
  });
}

function advanceOf({ timer, plan }: DuePlan): TimerAdvance {
  const date = (instant: number | undefined) => (instant === undefined ? null : new Date(instant));
  return {
    scheduleId: timer.scheduleId,
    wakeAt: date(plan.wakeAt),
    nextFireAt: date(plan.nextFireAt),
    lastFireAt: date(plan.firings.at(-1)?.scheduledTime),
    answeredTo: new Date(plan.answeredTo),
  };
}
