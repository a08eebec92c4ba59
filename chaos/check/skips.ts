import type { AbandonedFact } from '../journal';
import type { ChaosSchedule } from '../workload/definitions';
import { keyOf } from './answers';
import type { Duty } from './expected';
import { type Facts, type FiringFact, type GapFact, named, type Violation } from './facts';
import { deletionsOf, excuses, pausesOf } from './stretches';

/** An occurrence that is at most this late is on time, and fires regardless of the catch-up policy. */
const ON_TIME_MILLISECONDS = 10_000;
const SKIPPING = ['SKIP', 'BUFFER_ONE'];
const REPLACING = ['CANCEL_OTHER', 'TERMINATE_OTHER'];
const DEFAULT_CATCHUP_LIMIT = 100;
/** The tolerance in milliseconds: a decision is written a moment after the clock was read. */
export const SLACK_MILLISECONDS = 1_500;
/**
 * The longest time that is assumed between Temporal's answer about open runs and the decision based on it. A trigger
 * may be frozen in between.
 */
const STALLED_MILLISECONDS = 25_000;

/** Checks that each occurrence that did not start has a true reason. */
export function checkSkips(facts: Facts, expected: ReadonlyMap<string, ReadonlyMap<number, Duty>>): Violation[] {
  return facts.schedules.flatMap((schedule) => {
    const firings = facts.firings.filter(({ scheduleId }) => scheduleId === schedule.scheduleId);
    const ofIt = { facts, schedule, firings, times: [...(expected.get(schedule.scheduleId)?.keys() ?? [])] };
    const wrong = [
      ...firings
        .filter(({ state }) => state === 'skipped')
        .map((one) => ({ ...one, writtenAt: one.closedAt ?? one.claimedAt })),
      ...abandonedOf(facts)
        .filter(({ scheduleId }) => scheduleId === schedule.scheduleId)
        .map((one) => ({ ...one, state: 'abandoned', claimedAt: one.at, writtenAt: one.at })),
    ]
      .filter((one) => !isRightlySkipped(ofIt, one))
      .map((one) => `${named(one)} is ${one.state} (${one.reason}), which was not so`);
    const wrongGaps = facts.gaps
      .filter((gap) => gap.scheduleId === schedule.scheduleId && !isRightGap(ofIt, gap))
      .map(
        (gap) => `${named({ ...gap, time: gap.from })} begins a gap of ${gap.count} (${gap.reason}), which was not so`,
      );
    return [...wrong, ...wrongGaps].map((text): Violation => ({ kind: 'wrongly skipped', text }));
  });
}

/** Each start that was abandoned, whether it was redriven since or not. */
export function abandonedOf({ abandoned, firings }: Facts): AbandonedFact[] {
  const seen = new Set(abandoned.map(keyOf));
  const others = firings.filter((one) => one.state === 'abandoned' && !seen.has(keyOf(one)));
  return [...abandoned, ...others.map((one) => ({ ...one, at: one.closedAt ?? one.claimedAt }))];
}

interface Schedule {
  facts: Facts;
  schedule: ChaosSchedule;
  firings: FiringFact[];
  /** The nominal times of the occurrences. */
  times: number[];
}

/** An occurrence that did not start. */
interface Skip extends Pick<FiringFact, 'scheduleId' | 'time' | 'reason' | 'claimedAt'> {
  writtenAt: number;
}

function isRightlySkipped({ facts, schedule, firings }: Schedule, firing: Skip): boolean {
  const { overlap = 'SKIP' } = schedule.policies;
  const { writtenAt } = firing;
  // The later occurrence must have been due by then. When it was claimed says nothing: a firing that waited is claimed
  // again later.
  const isSuperseded = () =>
    REPLACING.includes(overlap) &&
    firings.some(({ time }) => time > firing.time && time <= writtenAt + SLACK_MILLISECONDS);
  switch (firing.reason) {
    case 'overlap':
    case 'overlap_waiting':
      if (SKIPPING.includes(overlap))
        return firings.some((other) => other.time !== firing.time && isOpenAt(facts, other, firing));
      // The previous version writes "overlap" where this one writes "superseded".
      return firing.reason === 'overlap' && isOfVersionBefore(facts, writtenAt) && isSuperseded();
    case 'superseded':
      return isSuperseded();
    case 'paused':
    case 'schedule_paused':
      return excuses(pausesOf(facts.asked, schedule.scheduleId), firing.time, writtenAt);
    case 'schedule_deleted':
      return excuses(deletionsOf(facts.asked, schedule.scheduleId), firing.time, writtenAt);
    case 'outside_catchup_window':
      return isOutsideWindow(schedule, firing.time, writtenAt);
    default:
      return false;
  }
}

function isOfVersionBefore({ versionBefore }: Facts, writtenAt: number): boolean {
  return versionBefore.some(({ from, to }) => writtenAt >= from && writtenAt <= to + SLACK_MILLISECONDS);
}

/**
 * Whether the other firing may have been open when this one was decided. The other firing must have been claimed by
 * then. According to Temporal, it must not have ended before this firing was due, nor longer before the decision than a
 * trigger may be frozen.
 *
 * Occurrences are decided in the order of their times. So a later one counts only if it was surely claimed before, as
 * after a failover that lost the row of this one.
 */
function isOpenAt({ chains }: Facts, other: FiringFact, { scheduleId, time, claimedAt }: Skip): boolean {
  const ran = chains.filter((chain) => chain.scheduleId === scheduleId && chain.time === other.time);
  const over = Math.max(...ran.map(({ closedAt = Number.POSITIVE_INFINITY }) => closedAt));
  const askedAt = Math.max(time, claimedAt - STALLED_MILLISECONDS);
  const isClaimed = other.time < time ? other.claimedAt <= claimedAt + SLACK_MILLISECONDS : other.claimedAt < claimedAt;
  return isClaimed && over >= askedAt - SLACK_MILLISECONDS;
}

function isOutsideWindow({ policies }: ChaosSchedule, time: number, writtenAt: number): boolean {
  return typeof policies.catchupWindow === 'number' && writtenAt - time > policies.catchupWindow - SLACK_MILLISECONDS;
}

function isRightGap({ facts, schedule, times }: Schedule, { from, to, count, reason, recordedAt }: GapFact): boolean {
  const { scheduleId, policies, asked } = schedule;
  const within = times.filter((time) => time >= from && time <= to);
  // While an update is under way, `times` has the occurrences of both definitions.
  if (within.length === 0 || count < 1 || (asked === 'update' ? count > within.length : count !== within.length))
    return false;
  switch (reason) {
    case 'paused':
      return within.every((time) => excuses(pausesOf(facts.asked, scheduleId), time, recordedAt));
    case 'deleted':
      return within.every((time) => excuses(deletionsOf(facts.asked, scheduleId), time, recordedAt));
    case 'outside_catchup_window':
      return isOutsideWindow(schedule, to, recordedAt);
    case 'over_catchup_limit': {
      const later = times.filter((time) => time > to && time <= recordedAt + SLACK_MILLISECONDS).length;
      const isLate = recordedAt - to > ON_TIME_MILLISECONDS - SLACK_MILLISECONDS;
      return isLate && later >= (policies.catchupLimit ?? DEFAULT_CATCHUP_LIMIT);
    }
    default:
      return false;
  }
}
