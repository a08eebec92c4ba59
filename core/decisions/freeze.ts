import { type CompiledSpec, foundOne, withinSteps } from '../occurrences';
import { MaskedSpec, withoutTimes } from '../occurrences/masked';
import {
  type Gap,
  gapOver,
  type OccurrencePlan,
  type PlanInput,
  type PlannedFiring,
  planOccurrences,
  startedBefore,
  wakeAfterCut,
} from './catchup';

/** The choices for a freeze. */
export const FREEZE_CATCH_UPS = ['NONE', 'LAST', 'ALL', 'POLICY'] as const;
/** Which held-back occurrences fire when a freeze ends. */
export type FreezeCatchUp = (typeof FREEZE_CATCH_UPS)[number];

/** The period of one freeze that matches a schedule. `from` and `to` are epoch milliseconds; `to` is exclusive. */
export interface FreezeStretch {
  freezeId: string;
  from: number;
  to: number;
  catchUp: FreezeCatchUp;
}

/**
 * Cuts overlapping freezes, so that only one freeze holds the schedule at each instant. If freezes overlap, the one
 * that ends last holds the schedule. If they end at the same time, the one with the lowest ID does. The result is
 * sorted, earliest first.
 */
export function withoutOverlaps(freezes: FreezeStretch[]): FreezeStretch[] {
  const apart: FreezeStretch[] = [];
  let heldFrom = Number.POSITIVE_INFINITY;
  for (const freeze of [...freezes].sort(byEnd)) {
    // Freezes that end no earlier hold the schedule during all of this freeze.
    if (freeze.from >= heldFrom) continue;
    apart.push({ ...freeze, to: Math.min(freeze.to, heldFrom) });
    heldFrom = freeze.from;
  }
  return apart.reverse();
}

/** Sorts freezes: where two of them overlap, the first one holds the schedule. */
export function byEnd(one: FreezeStretch, other: FreezeStretch): number {
  return other.to - one.to || (one.freezeId < other.freezeId ? -1 : 1);
}

/**
 * The freeze that holds back a firing that should start at this instant; undefined if there is none. Its `to` is its
 * own end, even if another freeze, which ends later, begins before that.
 */
export function freezeAt(freezes: FreezeStretch[], instant: number): FreezeStretch | undefined {
  return freezes.filter(({ from, to }) => from <= instant && instant < to).sort(byEnd)[0];
}

/**
 * A freeze with its occurrences: those with nominal times in `(after, through]`, which would start during the freeze.
 */
interface FrozenStretch extends FreezeStretch {
  /** All occurrences up to this instant start before the freeze. */
  before: number;
  after: number;
  through: number;
}

function frozenOf(spec: CompiledSpec, apart: FreezeStretch[], answeredTo: number): FrozenStretch[] {
  return apart
    .map((freeze) => {
      const before = startedBefore(spec, freeze.from);
      return { ...freeze, before, after: Math.max(answeredTo, before), through: startedBefore(spec, freeze.to) };
    })
    .filter(({ after, through }) => through > after);
}

/**
 * The instant since which freezes have held the schedule without a break. The given freeze holds it now, and each
 * earlier freeze ends where the next one begins.
 */
function heldSince(apart: FreezeStretch[], { from }: FreezeStretch): number {
  return apart.reduceRight((since, earlier) => (earlier.to === since ? earlier.from : since), from);
}

export type FrozenPlan = OccurrencePlan & { frozenUntil?: number };

/**
 * Like {@link planOccurrences}, for a schedule with freezes. While a freeze lasts, the occurrences that would start in
 * it are not answered. When a freeze has ended, its catch-up choice decides which of the held-back occurrences fire.
 * The other held-back occurrences become a gap with the reason `frozen`.
 */
export function planFrozen(spec: CompiledSpec, freezes: FreezeStretch[], input: PlanInput): FrozenPlan {
  return withinSteps('spec', () => plan(spec, withoutOverlaps(freezes), input));
}

function plan(spec: CompiledSpec, freezes: FreezeStretch[], input: PlanInput): FrozenPlan {
  const frozen = frozenOf(spec, freezes, input.answeredTo);
  const { now } = input;
  // A freeze holds waiting firings back even if no occurrence starts during it.
  const held = freezes.find(({ from, to }) => from <= now && now < to);
  if (frozen.length === 0 && !held) return planOccurrences(spec, input);
  const apart = frozen.filter(({ catchUp, to }) => catchUp !== 'POLICY' || to > now);
  const masked = new MaskedSpec(
    spec,
    apart.map(({ after, through }) => ({ from: after + 1, to: through + 1 })),
  );
  const rest = planOccurrences(masked, input);
  // Only occurrences from before the current hold are answered now: those that were due, and those of freezes that
  // ended earlier.
  const through = held
    ? Math.max(input.answeredTo, startedBefore(spec, heldSince(freezes, held)))
    : Number.POSITIVE_INFINITY;
  const answeredTo = Math.min(rest.answeredTo, through);
  const thawed = apart.filter((stretch) => stretch.through <= answeredTo).map((stretch) => thaw(spec, stretch, input));
  const firings = [
    ...rest.firings.filter(({ scheduledTime }) => scheduledTime <= through),
    ...thawed.flatMap((one) => one.firings),
  ].sort(byTime);
  const gaps = [
    ...rest.gaps.flatMap((gap) => cutUp(spec, gap, frozen, apart)).filter(({ to }) => to <= through),
    ...thawed.flatMap((one) => one.gaps),
  ].sort((one, other) => one.from - other.from);
  const whole = { ...rest, firings, gaps, answeredTo, ...(held && { frozenUntil: held.to }) };
  const next = firings[input.firingsAtMost]?.scheduledTime;
  if (next !== undefined) return { ...whole, ...cut(spec, whole, next, input) };
  if (!held || answeredTo < through) return whole;
  const nextFireAt = rest.isCut ? masked.next(now) : rest.nextFireAt;
  return { ...whole, nextFireAt, wakeAt: held.to, isCut: false, isAsleep: true };
}

function thaw(
  spec: CompiledSpec,
  { before, after, through, catchUp, freezeId }: FrozenStretch,
  { notBefore = Number.NEGATIVE_INFINITY, firingsAtMost, excluded = [] }: PlanInput,
): { firings: PlannedFiring[]; gaps: Gap[] } {
  const kept = Math.min(through, Math.max(after, notBefore - 1));
  const fires = withoutTimes(spec, excluded);
  const last = catchUp === 'LAST' ? fires.previous(through + 1) : undefined;
  const from = catchUp === 'ALL' ? kept : last !== undefined && last > kept ? last - 1 : through;
  const firings: PlannedFiring[] = [];
  // One occurrence more than may be written is planned, to show that the plan must be cut.
  for (let time = fires.next(from); time !== undefined && time <= through && firings.length <= firingsAtMost; ) {
    firings.push({
      scheduledTime: time,
      kind: 'catchup',
      thawed: true,
      ...(catchUp === 'LAST' && { replacesFrom: before + 1 }),
    });
    foundOne();
    time = fires.next(time);
  }
  const gap = gapOver(spec, after, from, 'frozen');
  return { firings, gaps: gap ? [{ ...gap, freezeId }] : [] };
}

/**
 * Takes the occurrences that freezes held back out of a gap. Occurrences of an ended freeze with the choice `POLICY`
 * get a gap with the reason `frozen`.
 */
function cutUp(spec: CompiledSpec, gap: Gap, frozen: FrozenStretch[], apart: FrozenStretch[]): Gap[] {
  const pieces: Gap[] = [];
  let after = gap.from - 1;
  const add = (through: number, reason: Gap['reason'], freezeId?: string) => {
    const piece = gapOver(spec, after, Math.min(through, gap.to), reason);
    if (piece) pieces.push(freezeId ? { ...piece, freezeId } : piece);
  };
  for (const stretch of frozen) {
    add(stretch.after, gap.reason);
    after = Math.max(after, stretch.after);
    if (!apart.includes(stretch)) add(stretch.through, 'frozen', stretch.freezeId);
    after = Math.max(after, stretch.through);
  }
  add(gap.to, gap.reason);
  return pieces;
}

function cut(spec: CompiledSpec, plan: OccurrencePlan, next: number, { now }: PlanInput): OccurrencePlan {
  return {
    firings: plan.firings.filter(({ scheduledTime }) => scheduledTime < next),
    gaps: plan.gaps.filter(({ to }) => to < next),
    answeredTo: next - 1,
    nextFireAt: next,
    wakeAt: wakeAfterCut(spec.startTime(next), now),
    isCut: true,
  };
}

function byTime(one: PlannedFiring, other: PlannedFiring): number {
  return one.scheduledTime - other.scheduledTime;
}
