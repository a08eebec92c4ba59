import type { Gap, OccurrencePlan } from '../core/decisions/catchup';
import { decideOverlap } from '../core/decisions/overlap';
import type { FiringKey } from '../core/firing';
import { workflowIdOf } from '../core/identity';
import {
  advanceTimers,
  insertFirings,
  lockDueTimers,
  type NewFiring,
  type OpenFiring,
  postponeTimers,
  readOpenFirings,
  releaseBuffered,
  type TimerAdvance,
  type WrittenFiring,
} from '../store/claim';
import type { DueTimer } from '../store/due';
import { insertGaps } from '../store/gaps';
import { transact } from '../store/transaction';
import { firingFields, later, type TriggerContext } from './context';
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

/** What one transaction settled. */
export interface Settled {
  claimed: WrittenFiring[];
  skipped: WrittenFiring[];
  gaps: (Gap & { scheduleId: string })[];
  suspects: Suspect[];
  /** Timers that nobody else held, and that were still as planned. */
  locked: number;
}

/** A fresh result of a pass that had nothing to settle. */
export const NOTHING_SETTLED = (): Settled => ({ claimed: [], skipped: [], gaps: [], suspects: [], locked: 0 });

type Released = FiringKey & { state: 'claimed' | 'skipped'; reason: string | null };

/**
 * Write the plans: lock the timers that are still as planned, read what is open, decide overlap and record firings, gaps
 * and the timers' new places. A schedule that would skip is put off unless `verified` names the very firings that hold it.
 */
export async function settleDue(
  context: TriggerContext,
  plans: DuePlan[],
  now: number,
  verified: VerifiedHolders,
): Promise<Settled> {
  if (plans.length === 0) return NOTHING_SETTLED();
  const claimant = {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, context.limits.checkAfterMilliseconds),
  };

  const settled = await transact(context.store, async (transaction) => {
    const locked = await lockDueTimers(
      transaction,
      plans.map((plan) => plan.timer),
    );
    const held = plans.filter((plan) => locked.has(plan.timer.scheduleId));
    const open = groupBySchedule(await readOpenFirings(transaction, [...locked]));

    const firings: NewFiring[] = [];
    const released: Released[] = [];
    const advances: TimerAdvance[] = [];
    const suspects: Suspect[] = [];
    const answered: DuePlan[] = [];
    for (const due of held) {
      const decided = decide(due, open.get(due.timer.scheduleId) ?? [], verified);
      if (decided.suspect) {
        suspects.push(decided.suspect);
        continue;
      }
      firings.push(...decided.firings);
      released.push(...decided.released);
      advances.push(decided.advance);
      answered.push(due);
    }

    const written = [
      ...(await releaseBuffered(transaction, released, claimant)),
      ...(await insertFirings(transaction, firings, claimant)),
    ];
    const gaps = answered.flatMap(({ timer, plan }) =>
      plan.gaps.map((gap) => ({ scheduleId: timer.scheduleId, ...gap })),
    );
    await insertGaps(transaction, gaps, claimant.now);
    await advanceTimers(transaction, advances);
    const soon = later(now, context.limits.claimIntervalMilliseconds);
    await postponeTimers(
      transaction,
      suspects.map((suspect) => suspect.scheduleId),
      soon,
    );
    return {
      claimed: written.filter((row) => row.state === 'claimed'),
      skipped: written.filter((row) => row.state === 'skipped'),
      gaps,
      suspects,
      locked: held.length,
    };
  });
  logTransitions(context, settled);
  return settled;
}

/** The firings that hold a schedule, as one comparable text. */
export function holdersOf(open: OpenFiring[]): string {
  return open
    .filter((firing) => firing.state !== 'buffered')
    .map((firing) => firing.scheduledTime.toISOString())
    .join(' ');
}

type Decided =
  | { suspect: Suspect }
  | { suspect: undefined; firings: NewFiring[]; released: Released[]; advance: TimerAdvance };

function decide(due: DuePlan, open: OpenFiring[], verified: VerifiedHolders): Decided {
  const { timer, definition, plan } = due;
  const holding = open.filter((firing) => firing.state !== 'buffered');
  const buffered = open.filter((firing) => firing.state === 'buffered');
  const candidates = [...buffered.map((firing) => ({ ...firing, waiting: true })), ...plan.firings.map(planned(timer))];
  candidates.sort((one, other) => one.scheduledTime.getTime() - other.scheduledTime.getTime());

  const policies = candidates.map((candidate) => candidate.overlap ?? definition.policies.overlap);
  const decisions = decideOverlap(holding.length, policies);
  const overlapped = holding.length > 0 && decisions.includes('skip') && !timer.deleted;
  if (overlapped && verified.get(timer.scheduleId) !== holdersOf(open)) {
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

function groupBySchedule(open: OpenFiring[]): Map<string, OpenFiring[]> {
  const groups = new Map<string, OpenFiring[]>();
  for (const firing of open) {
    const group = groups.get(firing.scheduleId);
    if (group) group.push(firing);
    else groups.set(firing.scheduleId, [firing]);
  }
  return groups;
}

function logTransitions(context: TriggerContext, { claimed, skipped, gaps }: Settled): void {
  const lag = (key: WrittenFiring) => context.clock.now() - key.scheduledTime.getTime();
  for (const key of claimed) {
    context.logger.info('claimed', { ...firingFields({ ...key, startAttempts: 0 }), milliseconds: lag(key) });
  }
  for (const key of skipped) {
    context.logger.info('skipped', { ...firingFields(key), reason: key.reason, milliseconds: lag(key) });
  }
  for (const { scheduleId, from, to, count, reason } of gaps) {
    const stretch = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    context.logger.warn('gap', { scheduleId, ...stretch, count, reason });
  }
}
