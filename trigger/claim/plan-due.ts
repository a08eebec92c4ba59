import type { OccurrencePlan } from '../../core/decisions/catchup';
import { type FreezeStretch, type FrozenPlan, planFrozen } from '../../core/decisions/freeze';
import { isPauseOver, planAfterPause } from '../../core/decisions/pause';
import { UnknownDefinitionError } from '../../core/definition/stored-definition';
import { InvalidScheduleError, UnknownTimeZoneError } from '../../core/errors';
import type { CompiledSpec } from '../../core/occurrences';
import { isMonthRetired, readRetentionFloor } from '../../store/firings/retire-month';
import { type DueTimer, setAside } from '../../store/schedules/due';
import { eachOrSetAside } from '../by-halves';
import type { TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';
import { CLAIM } from './decide';
import type { DuePlan } from './due-plan';
import { readExcluded } from './excluded';
import { readDueFreezes, sleeps, yieldAfter } from './freezes';
import { withMonths } from './with-months';

/**
 * Plans the given timers at `now`, except those left to other triggers, those of schedules with a refused row, and those
 * that need a month which cannot be created. If months were retired after the retention floor was read, the timers are
 * planned again.
 */
export async function planDue(context: TriggerContext, timers: DueTimer[], now: number): Promise<DuePlan[]> {
  try {
    return await planOnce(context, timers, now);
  } catch (error) {
    if (!isMonthRetired(error)) throw error;
    context.retentionFloor = await readRetentionFloor(context.store);
    return planOnce(context, timers, now);
  }
}

async function planOnce(context: TriggerContext, timers: DueTimer[], now: number): Promise<DuePlan[]> {
  const tried = timers.filter(({ scheduleId }) => !context.aside.has(CLAIM, scheduleId));
  if (tried.length === 0) return [];
  const definitions = await context.definitions.load(context.store, tried);
  const freezesOf = await readDueFreezes(context, tried, definitions, now);
  const bounds = { now, firingsAtMost: shareOf(context, tried.length), notBefore: context.retentionFloor?.getTime() };
  const boundsOf = ({ timer, endsPause }: Omit<DuePlan, 'plan'>, excluded: number[] = []) => ({
    ...bounds,
    endsPause,
    freezes: freezesOf.get(timer.scheduleId) ?? [],
    excluded,
  });
  const plans: DuePlan[] = [];
  for (const [index, read] of tried.entries()) {
    await yieldAfter(index);
    const endsPause = isPauseOver(read, now) && !read.deleted ? read.pausedUntil! : undefined;
    const timer = endsPause ? { ...read, paused: false, unpausedAt: endsPause } : read;
    const due = { timer, definition: definitions(timer), ...(endsPause && { endsPause }) };
    const plan = await planOrSetAside(context, timer, due.definition, boundsOf(due));
    if (plan) plans.push({ ...due, plan });
  }
  for (const [index, [due, excluded]] of [...(await readExcluded(context.store, plans))].entries()) {
    await yieldAfter(index);
    due.plan = planWithout(due, boundsOf(due, excluded));
  }
  return withMonths(context, plans, now);
}

/**
 * Plans a schedule. A bad spec must not block other schedules: its schedule is set aside with the reason, until
 * somebody changes it. Returns undefined if Postgres refuses to set it aside, or the trigger stops, or this process does
 * not know the spec's time zone or another value of the definition. Another trigger may know it, as during a rolling
 * upgrade.
 */
async function planOrSetAside(
  context: TriggerContext,
  timer: DueTimer,
  definition: CompiledDefinition,
  bounds: PlanBounds,
): Promise<FrozenPlan | undefined> {
  if (sleeps(timer, bounds.now)) return asleep(timer);
  try {
    if (definition.compiled instanceof Error) throw definition.compiled;
    // It stays set aside until somebody changes it, although a manual firing wakes its timer, and although this process
    // can use the definition.
    if (timer.isSetAside) return asleep(timer);
    return plan(timer, definition, definition.compiled, bounds);
  } catch (error) {
    const problem = (error as Error).message;
    if (error instanceof UnknownTimeZoneError || error instanceof UnknownDefinitionError) {
      return leaveToOthers(context, timer, problem);
    }
    context.logger.error('schedule set aside: its definition cannot be used', {
      scheduleId: timer.scheduleId,
      problem,
    });
    const [plan] = await eachOrSetAside(context, CLAIM, [timer], 1, async () => {
      await setAside(context.store, timer, problem, new Date(bounds.now));
      return asleep(timer);
    });
    return plan;
  }
}

/** Plans a schedule again, without excluded times. If so many are excluded that this takes too long, its plan stays. */
function planWithout({ timer, definition, plan: former }: DuePlan, bounds: PlanBounds): FrozenPlan {
  try {
    return plan(timer, definition, definition.compiled as CompiledSpec, bounds);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return former;
    throw error;
  }
}

function leaveToOthers(context: TriggerContext, { scheduleId, version }: DueTimer, problem: string): undefined {
  if (context.leftToOthers.get(scheduleId)?.version !== version) {
    context.logger.error('schedule left to other triggers: this one does not support its definition', {
      scheduleId,
      problem,
      tz: process.versions.tz,
    });
  }
  context.leftToOthers.set(scheduleId, { scheduleId, version });
}

interface PlanBounds {
  now: number;
  firingsAtMost: number;
  /** The end of the retired months. */
  notBefore: number | undefined;
  endsPause?: Date | undefined;
  freezes: FreezeStretch[];
  excluded: number[];
}

function shareOf({ limits }: Pick<TriggerContext, 'limits'>, schedules: number): number {
  const share = Math.floor(limits.firingsPerPass / schedules);
  return Math.max(1, Math.min(limits.firingsPerScheduleAndPass, share));
}

function plan(
  timer: DueTimer,
  { policies }: CompiledDefinition,
  compiled: CompiledSpec,
  { now, firingsAtMost, notBefore, endsPause, freezes, excluded }: PlanBounds,
): FrozenPlan {
  const input = {
    answeredTo: timer.answeredTo.getTime(),
    now,
    catchupWindowMilliseconds: policies.catchupWindow,
    catchupLimit: policies.catchupLimit ?? Number.POSITIVE_INFINITY,
    firingsAtMost,
    notBefore,
    excluded,
  };
  return endsPause ? planAfterPause(compiled, endsPause, freezes, input) : planFrozen(compiled, freezes, input);
}

/** The plan of a sleeping schedule: it is planned again when somebody wakes it, or when its pause ends. */
function asleep(timer: DueTimer): OccurrencePlan {
  const answeredTo = timer.answeredTo.getTime();
  const wakeAt = timer.paused && !timer.deleted ? timer.pausedUntil?.getTime() : undefined;
  return { firings: [], gaps: [], answeredTo, nextFireAt: undefined, wakeAt, isCut: false, isAsleep: true };
}
