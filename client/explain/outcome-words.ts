import { counted } from '../../core/counted';
import type { RunAgain } from '../../core/firing';
import { showTime } from '../../core/spec-zone';
import type { Freeze } from '../../store/freezes/rows';
import type { ScheduleStanding, StoredGap } from '../../store/reads/explain';
import type { Firing } from '../../store/reads/read-firings';
import type { Cause } from './cause';
import type { NotYet } from './explanation';
import { causeInWords, freezeInWords, freezesInWords } from './why-it-waits';

/** Why a firing was skipped or abandoned, as the end of a sentence. */
const REASONS: Record<string, string> = {
  overlap: 'because an earlier firing was still running',
  overlap_waiting: 'because an earlier firing had not started yet, and the oldest one that waits will run',
  superseded: 'because a later firing took its place before it had begun',
  cancel_ignored: 'because the earlier firing was cancelled, but did not end in time',
  paused: 'because the schedule was paused before this firing could start',
  completed: 'because the schedule had no actions left',
  native: "because Temporal's own schedule of this name had already started it",
  shadow: 'because the schedule is in shadow, and Temporal’s own schedule of this name runs it',
  schedule_deleted: 'because the schedule was deleted',
  schedule_paused: 'because its start was lost, and the schedule was paused when a trigger found that',
  start_rejected: 'because Temporal refused to start it',
  start_refused: 'because its start failed, or its namespace refused all calls, for too long',
  workflow_id_taken: 'because another workflow already has its workflow ID',
  start_uncertain: 'because Temporal may have started it, but has no record of it or refuses to look it up',
  outside_catchup_window: 'because it was found too late for its catch-up window',
};

const KINDS: Record<Firing['kind'], string> = {
  schedule: 'it',
  catchup: 'its catch-up after downtime',
  backfill: 'its backfill',
  manual: 'the manual firing',
};

const ENDS: Record<NonNullable<Firing['outcome']>, string> = {
  completed: 'completed',
  failed: 'failed',
  timed_out: 'timed out',
  canceled: 'was cancelled',
  terminated: 'was terminated',
  unknown: 'ended in an unknown way',
};

const GAPS: Record<Exclude<StoredGap['reason'], 'native'>, string> = {
  paused: 'the schedule was paused',
  frozen: 'the schedule was frozen',
  completed: 'the schedule had no actions left',
  deleted: 'the schedule was deleted',
  set_aside: 'the schedule was set aside',
  outside_catchup_window: 'it was not claimed within its catch-up window',
  outside_retention: 'it was not claimed before its month was retired',
  over_catchup_limit: 'it was not claimed in time, and more occurrences were missed than the catch-up limit allows',
};

/** Reasons of gaps that may also come from a used-up quota of the tenant. */
const LATE: StoredGap['reason'][] = ['outside_catchup_window', 'over_catchup_limit'];

/** The zone in which times are shown, and the instant of the answer. */
interface View {
  zone: string;
  now: Date;
}

export function firingInWords(firing: Firing, cause: Cause | undefined, view: View): string {
  return `${showTime(firing.scheduledTime, view.zone)}: ${whatBecameOf(firing, cause, view)}.`;
}

function whatBecameOf(firing: Firing, cause: Cause | undefined, view: View): string {
  const { zone, now } = view;
  const at = (instant: Date | null) => (instant ? showTime(instant, zone) : 'an unknown time');
  const asked = firing.actor && firing.reason !== 'excluded' ? ` (asked for by ${firing.actor})` : '';
  const subject = `${KINDS[firing.kind]}${asked}`;
  const workflow = `workflow '${firing.workflowId}'`;
  const why = REASONS[firing.reason ?? ''] ?? `with the reason '${firing.reason}'`;
  const because = cause ? `: ${clause(cause, view)}` : '';
  const what = {
    buffered: () => `${subject} has waited since ${at(firing.claimedAt)} to be claimed as ${workflow}${because}`,
    claimed: () =>
      cause
        ? `${subject} was claimed at ${at(firing.claimedAt)} and ${workflow} has not started yet${because}`
        : `${subject} was claimed at ${at(firing.claimedAt)} and ${workflow} is being started`,
    linked: () => {
      const { linkedAt, startsAt } = firing;
      const isAhead = startsAt && linkedAt && startsAt > linkedAt;
      if (isAhead && startsAt > now) {
        return `${subject} was handed to Temporal ahead of time, and ${workflow} begins at ${at(startsAt)}${because}`;
      }
      const since = at(isAhead ? startsAt : linkedAt);
      if (!cause) return `${subject} has run as ${workflow} since ${since}`;
      const held = cause.kind === 'parked' ? 'is parked' : 'makes no progress';
      return `${subject} was started as ${workflow} at ${since} and ${held}${because}`;
    },
    closed: () =>
      `${subject} ran as ${workflow}, which ${ENDS[firing.outcome ?? 'unknown']} at ${at(firing.closedAt)}${because}`,
    skipped: () =>
      firing.reason === 'excluded'
        ? `it does not fire: ${firing.actor ?? 'somebody'} excluded it at ${at(firing.claimedAt)}`
        : `${subject} was skipped at ${at(firing.claimedAt)}, ${why}${because}`,
    abandoned: () => {
      const start = firing.reason === 'start_uncertain' ? 'may have started' : 'did not start';
      return `${subject} was abandoned at ${at(firing.closedAt)}, ${why}; it ${start} ${workflow}${because}`;
    },
  }[firing.state]();
  return `${what}${trouble(firing)}`;
}

function clause(cause: Cause, view: View): string {
  return causeInWords(cause, view.zone, (behind) => whatBecameOf(behind.firing, behind.cause, view));
}

function trouble({ startAttempts, recovery, again, lastError }: Firing): string {
  const parts = [
    again ? againInWords(again) : undefined,
    startAttempts > 0 ? `Temporal refused its start ${counted(startAttempts, 'time')}` : undefined,
    recovery ? takenOver(recovery) : undefined,
    lastError ? `the last error was: ${lastError}` : undefined,
  ].filter((part) => part !== undefined);
  return parts.map((part) => `; ${part}`).join('');
}

const TAKEN_OVER: Record<string, string> = {
  trigger_lost: 'its trigger had died',
  check_overdue: 'its start was not recorded in time',
};

function takenOver({ number, reason }: NonNullable<Firing['recovery']>): string {
  const times = number === 1 ? ',' : ` ${counted(number, 'time')}, the last time`;
  return `it was taken over${times} because ${TAKEN_OVER[reason] ?? `of '${reason}'`}`;
}

function againInWords({ actor, note, former }: RunAgain): string {
  const why = note === undefined ? '' : ` ('${note}')`;
  const before = former
    ? `; before, it was ${[former.state, former.outcome ?? former.reason].filter(Boolean).join(', ')}`
    : '';
  return `${actor} asked to run it again${why}${before}`;
}

export function gapInWords(
  time: Date,
  gap: StoredGap,
  { standing, zone, freeze }: { standing: ScheduleStanding; zone: string; freeze?: Freeze | undefined },
): string {
  const { tenant } = standing;
  const others =
    gap.count === 1
      ? 'the gap has no other occurrence'
      : `the gap has ${gap.count} occurrences, from ${showTime(gap.from, zone)} to ${showTime(gap.to, zone)}`;
  if (gap.reason === 'native') {
    return `${showTime(time, zone)}: it was left to Temporal’s own schedule of this name, and the ledger does not know whether that ran it; ${others}.`;
  }
  const held =
    tenant !== '' && LATE.includes(gap.reason) ? `, or the quota of firings of tenant '${tenant}' was used up` : '';
  return `${showTime(time, zone)}: it did not fire, because ${GAPS[gap.reason]}${freeze ? ` by ${freezeInWords(freeze, zone)}` : ''}${held}; ${others}.${whileLive(standing, ` A backfill or 'escapement firing run-again' can still fire it.`)}`;
}

/**
 * Returns no words for a deleted schedule, which refuses to fire, and for one in shadow, whose firings start nothing.
 */
export function whileLive({ deletedAt, shadow }: ScheduleStanding, words: string): string {
  return deletedAt === null && !shadow ? words : '';
}

/** What becomes of an occurrence that a freeze held back, once no freeze holds the schedule. */
const THAWED: Record<Freeze['catchUp'], string> = {
  NONE: "it will not fire, and a gap 'frozen' will record that",
  LAST: 'after that, only the last occurrence that this freeze held back is due',
  ALL: 'after that, it is due',
  POLICY: "after that, it is due if the schedule's catch-up policies allow it",
};

function heldInWords({ freeze, until }: { freeze: Freeze; until: Date }, zone: string): string {
  const then = THAWED[freeze.catchUp] ?? 'a newer version decides whether it fires then';
  return `held back by ${freezesInWords(freeze, until, zone)}; ${then}`;
}

export function notYetInWords(
  time: Date,
  because: NotYet,
  {
    standing,
    startsAt,
    isPast,
    isOverdue,
    zone,
    now,
    cause,
    held,
  }: View & {
    standing: ScheduleStanding;
    startsAt: Date;
    isPast: boolean;
    /** Whether a trigger should have claimed the occurrence by now. */
    isOverdue: boolean;
    cause: Cause | undefined;
    /** The freeze that holds or held the occurrence, and when no freeze holds the schedule any more. */
    held?: { freeze: Freeze; until: Date } | undefined;
  },
): string {
  const at = (instant: Date) => showTime(instant, zone);
  const why = cause && clause(cause, { zone, now });
  const note = standing.note === null ? '' : ` ('${standing.note}')`;
  const start = startsAt > time ? at(startsAt) : 'then';
  const sleepsOn = (end: string, reason: string) =>
    isPast
      ? `a gap '${reason}' will record it once the schedule ${end}`
      : `it will not fire unless the schedule ${end} before ${start}`;
  const what = {
    ahead: () =>
      standing.shadow
        ? `it will be skipped at ${at(startsAt)}, ${REASONS.shadow}`
        : why
          ? `not yet; it is due at ${at(startsAt)}, but ${why}`
          : `not yet; it starts at ${at(startsAt)}${handedOverFrom(standing, startsAt, at)}`,
    due: () => {
      if (held) {
        return `it was ${heldInWords(held, zone)}; no trigger has decided that yet${why ? `: ${why}` : ', though one is alive'}`;
      }
      if (why) return `it is due and not claimed yet: ${why}`;
      return isOverdue
        ? `it has been due since ${at(startsAt)} and is not claimed, though a trigger is alive; its log may say why`
        : 'it is due and not claimed yet; a trigger is alive, and claims it within a second';
    },
    paused: () =>
      standing.pausedUntil
        ? `the schedule is paused until ${at(standing.pausedUntil)}${note}; ` +
          (isPast
            ? "a gap 'paused' will record it when the pause ends"
            : `it will not fire unless the schedule is unpaused before ${start}`)
        : `the schedule is paused${note}, last changed at ${at(standing.changedAt)}; ${sleepsOn('is unpaused', 'paused')}`,
    frozen: () => (held ? `it is ${heldInWords(held, zone)}` : 'it is frozen'),
    completed: () => `the schedule has no actions left; ${sleepsOn('gets more by an update', 'completed')}`,
    deleted: () =>
      `the schedule was deleted at ${at(standing.deletedAt ?? standing.changedAt)}; ` +
      `${sleepsOn('is created again', 'deleted')}`,
    spec_error: () =>
      `the schedule is set aside, because its definition, version ${standing.version} in schedule_versions, cannot be used ` +
      `(${standing.specError}); ${MEND}`,
  }[because]();
  return `${at(time)}: ${what}.`;
}

/** Says how to repair the definition only if it is the current one, since a former one cannot be repaired. */
export function unusableInWords(standing: ScheduleStanding, version: number, problem: string): string {
  const isInForce = version === standing.version && standing.deletedAt === null;
  return (
    `it is not known whether this was an occurrence, because the definition of that time, version ${version} in schedule_versions, cannot be used (${problem})` +
    (standing.isNewer ? '; its form is of a newer program: upgrade this one' : isInForce ? `; ${MEND}` : '')
  );
}

const MEND = "write the definition again with 'escapement schedule update', or delete the schedule";

function handedOverFrom({ preStart }: ScheduleStanding, startsAt: Date, at: (instant: Date) => string): string {
  if (preStart === null) return '';
  const from = new Date(startsAt.getTime() - preStart);
  return `; if many are due then, it may be handed to Temporal from ${at(from)} on, and a later pause or update has no effect on it`;
}
