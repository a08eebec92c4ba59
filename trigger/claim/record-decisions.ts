import { type Gap, gapsAround, inShadow } from '../../core/decisions/catchup';
import { DEFAULTS } from '../../core/defaults';
import { InvalidScheduleError } from '../../core/errors';
import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { readRan } from '../../store/firings/adopt';
import {
  postponeTimers,
  recordClaims,
  releaseBuffered,
  type TimerAdvance,
  type WrittenFiring,
} from '../../store/firings/claim';
import { insertGaps } from '../../store/firings/gaps';
import { pollNext, type WantedInterrupt, wantInterrupts, withdrawInterrupts } from '../../store/firings/interrupt';
import { skipLeft } from '../../store/firings/skip-waiting';
import { type NewPause, readNewPauses } from '../../store/reads/read-pauses';
import type { DueTimer } from '../../store/schedules/due';
import { endPauses } from '../../store/schedules/schedule-state';
import { later, type TriggerContext } from '../context';
import { groupBy } from '../group';
import { isHeld } from '../recover/adoption';
import { earliest } from './advance';
import { CLAIM } from './decide';
import type { Decided } from './decided';
import type { DuePlan, Suspect } from './due-plan';
import { countClaims } from './quota';
import { withdrawalsOf } from './soft-timeout';

export interface Settled {
  claimed: WrittenFiring[];
  skipped: WrittenFiring[];
  buffered: WrittenFiring[];
  gaps: (Gap & { scheduleId: string })[];
  suspects: Suspect[];
  /** Schedules that took their last remaining action. */
  completed: string[];
  /** Schedules that woke because somebody paused or unpaused them, and schedules whose timed pause ended. */
  paused: NewPause[];
  interrupts: WantedInterrupt[];
  /**
   * How many timers this transaction has locked. It locks none that another transaction holds, and none that has
   * changed since it was read.
   */
  locked: number;
  missed: DueTimer[];
  /** Whether one of these schedules may be due again at once. */
  isCut: boolean;
  /** The first time after now at which one of these schedules wakes, in epoch milliseconds. */
  nextWakeAt: number | undefined;
}

/** The schedules of which this transaction has written a decision. The others are only postponed. */
export interface Answered {
  answered: { scheduleId: string }[];
}

export type DecidedSchedule = Decided & { due: DuePlan };

export async function recordDecisions(
  context: TriggerContext,
  transaction: Store,
  decided: DecidedSchedule[],
  now: number,
): Promise<Omit<Settled, 'locked' | 'missed'> & Answered> {
  // Schedules of which a failover may have lost rows, or of which Postgres has refused a row, are only postponed.
  const isAwaiting = ({ due: { definition, timer } }: DecidedSchedule) =>
    isHeld(context.adoption, definition.namespace) || context.aside.has(CLAIM, timer.scheduleId);
  const awaiting = decided.filter(isAwaiting);
  const others = decided.filter((one) => !isAwaiting(one));
  const at = new Date(now);
  // Claims that a pause or a deletion should have skipped, but left because its client died, for example, are skipped
  // first. Then these schedules are decided again: overlap and the remaining actions have changed.
  const stopped = others.flatMap(({ due: { timer, endsPause } }) =>
    endsPause || timer.paused || timer.deleted ? [timer.scheduleId] : [],
  );
  const again = await skipLeft(transaction, stopped, at);
  const decidable = others.filter(({ due: { timer } }) => !again.has(timer.scheduleId));
  const answered = decidable.filter((one) => one.suspect === undefined);
  const suspects = decidable.flatMap((one) => one.suspect ?? []);

  const written = [
    ...(await releaseBuffered(
      transaction,
      answered.flatMap((one) => one.released),
      at,
    )),
    ...(await recordClaims(
      transaction,
      answered.flatMap((one) => one.firings),
      answered.map((one) => one.advance),
      at,
    )),
  ];
  const inState = (state: WrittenFiring['state']) => written.filter((row) => row.state === state);
  await countClaims(
    transaction,
    answered.map((one) => one.due),
    inState('claimed'),
    at,
  );
  const interrupts = answered.flatMap((one) => one.interrupts);
  await wantInterrupts(transaction, interrupts, at);
  const spared = decidable.flatMap((one) => one.spared);
  await withdrawInterrupts(transaction, await withdrawalsOf(context, transaction, spared));
  await pollNext(
    transaction,
    answered.flatMap((one) => one.awaited),
    at,
  );
  const gaps = await gapsOf(transaction, answered);
  await insertGaps(transaction, gaps, at);
  const ended = answered.flatMap(({ due: { timer, endsPause } }) =>
    endsPause ? [{ scheduleId: timer.scheduleId, until: endsPause }] : [],
  );
  await endPauses(transaction, ended, at);
  // While Temporal cannot be asked, very many undecided schedules would cost much each second, so they wait longer. An
  // occurrence that is on time, or will be due before that, is still tried each second: later the catch-up policies
  // apply to it.
  const leftUntil = later(now, DEFAULTS.onTimeMilliseconds / 2);
  const isLeft = ({ due: { plan }, suspect }: DecidedSchedule) =>
    suspect?.holding.some(({ namespace }) => context.temporal.of(namespace).isAway) &&
    plan.firings.every(({ kind }) => kind === 'catchup') &&
    (plan.wakeAt ?? Number.POSITIVE_INFINITY) >= leftUntil.getTime();
  const left = new Set(decidable.filter(isLeft).map(({ due }) => due.timer.scheduleId));
  const asked = suspects.map(({ scheduleId }) => scheduleId).filter((scheduleId) => !left.has(scheduleId));
  await postponeTimers(transaction, asked, later(now, context.limits.claimIntervalMilliseconds));
  await postponeTimers(transaction, [...left], leftUntil);
  await postponeTimers(transaction, [...again], at);
  await postponeTimers(
    transaction,
    awaiting.map((one) => one.due.timer.scheduleId),
    later(now, context.settings.staleAfterMilliseconds / 2),
  );
  return {
    claimed: inState('claimed'),
    skipped: inState('skipped'),
    buffered: inState('buffered'),
    gaps,
    suspects: [...suspects, ...answered.flatMap((one) => one.suspectNext ?? [])],
    answered: answered.map(({ due: { timer } }) => ({ scheduleId: timer.scheduleId })),
    paused: [
      ...(await readNewPauses(
        transaction,
        others
          .filter(({ suspect }) => suspect === undefined)
          .map(({ due }) => due.timer)
          // An end of a pause is new only if it woke the timer.
          .filter((timer) => (timer.paused || +timer.unpausedAt! === +timer.wakeAt) && !timer.deleted)
          // A schedule that is decided again wakes at `at`. If it was paused at just that time, the later decision
          // reports the pause.
          .filter(({ scheduleId, wakeAt }) => !again.has(scheduleId) || wakeAt < at),
      )),
      ...ended.map(({ scheduleId, until }) => ({
        ...{ scheduleId, paused: false, actor: null },
        note: `its pause until ${until.toISOString()} is over`,
      })),
    ],
    completed: answered.filter(tookLastAction).map(({ due }) => due.timer.scheduleId),
    interrupts,
    isCut: again.size > 0 || answered.some(({ due: { plan } }) => plan.isCut),
    nextWakeAt: earliest(
      ...answered.flatMap(({ advance: { wakeAt } }) => (wakeAt && wakeAt > at ? [wakeAt.getTime()] : [])),
    ),
  };
}

function tookLastAction({ due: { timer }, advance: { actions } }: { due: DuePlan; advance: TimerAdvance }): boolean {
  return actions > 0 && timer.remainingActions !== null && timer.remainingActions <= actions;
}

/**
 * The gaps of these plans up to where each schedule is answered now, cut around occurrences that have fired
 * nevertheless, such as occurrences whose lost rows were adopted.
 */
async function gapsOf(
  transaction: Store,
  answered: { due: DuePlan; advance: TimerAdvance }[],
): Promise<(Gap & { scheduleId: string })[]> {
  const planned = answered.flatMap(({ due: { timer, definition, plan }, advance }) =>
    plan.gaps
      .filter(({ from }) => from <= advance.answeredTo.getTime())
      .map((gap) => (timer.shadow ? inShadow(gap) : gap))
      .map((gap) => ({ scheduleId: timer.scheduleId, compiled: definition.compiled, gap })),
  );
  const ran = groupBy(
    await readRan(
      transaction,
      planned.map(({ scheduleId, gap }) => ({ scheduleId, ...gap })),
    ),
    (key) => key.scheduleId,
  );
  return planned.flatMap(({ scheduleId, compiled, gap }) => {
    const fired = (ran.get(scheduleId) ?? [])
      .map((key) => key.scheduledTime.getTime())
      .filter((time) => time >= gap.from && time <= gap.to);
    const left = fired.length === 0 || compiled instanceof Error ? [gap] : around(compiled, gap, fired);
    return left.map((one) => ({ scheduleId, ...one }));
  });
}

/** A firing takes precedence over the gap around it. A gap that would take too long to cut stays whole. */
function around(compiled: CompiledSpec, gap: Gap, fired: number[]): Gap[] {
  try {
    return gapsAround(compiled, gap, fired);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return [gap];
    throw error;
  }
}
