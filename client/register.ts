import { wholeGap } from '../core/decisions/catchup';
import { type ParsedSchedule, parseScheduleOptions } from '../core/definition/parse';
import { InvalidScheduleError } from '../core/errors';
import { checkWorkflowIdLength } from '../core/identity';
import { compileSpec, withinSteps } from '../core/occurrences';
import { isManual } from '../core/occurrences/manual';
import type { ScheduleOptions } from '../core/schedule/options';
import { zoneOf } from '../core/spec-zone';
import type { Store } from '../store/connection';
import { deleteExclusions, readExclusions } from '../store/firings/exclude';
import { insertSchedules, type NewSchedule, reviveSchedule } from '../store/schedules/create-schedule';
import { lockSchedule, readOwner } from '../store/schedules/lock';
import { transact } from '../store/transaction';
import { refuseRetired } from './backfill/backfill-months';
import { type CheckedRange, checkRanges } from './backfill/backfill-ranges';
import { fireManually } from './backfill/manual';
import { areDaysInForce, CalendarsChangedError } from './calendars/fill-days';
import { type ClientContext, compileStored, unlessInvalid } from './context';
import { ScheduleAlreadyRunning } from './errors';
import { refuseFrozen } from './freezes/refuse-frozen';
import { scheduleInTenant } from './tenant';
import { refuseOutside, takePlaces } from './tenants/limits';
import { nowOf } from './update/change';
import { refuseTaken } from './update/external-ids';

/** A validated schedule. `nextFireAt` is undefined if the spec has no future time. */
export type CheckedSchedule = ParsedSchedule & { nextFireAt: Date | undefined; ranges: CheckedRange[] };

/**
 * Validate the options of a new schedule, without I/O.
 *
 * @param over whether to accept a spec whose times have all passed
 * @throws {InvalidScheduleError} with the path of the bad field
 */
export function checkSchedule(
  context: ClientContext,
  options: ScheduleOptions,
  { over = false }: { over?: boolean } = {},
): CheckedSchedule {
  return withinSteps('spec', () => check(context, options, over));
}

function check(context: ClientContext, options: ScheduleOptions, over: boolean): CheckedSchedule {
  const parsed = parseScheduleOptions(scheduleInTenant(context, options), context.namespace);
  const { compiled } = parsed;
  checkWorkflowIdLength(parsed.scheduleId, parsed.definition.action.workflowId);
  const now = nowOf(context);
  const next = compiled.next(now.getTime());
  const isAccepted = isManual(options.spec) || (over && compiled.previous(now.getTime()) !== undefined);
  if (next === undefined && !isAccepted) {
    throw new InvalidScheduleError(
      'spec',
      'has no future times; give cron, calendars, intervals or at with future times, or {} to trigger it by hand',
    );
  }
  const zone = zoneOf(parsed.definition.spec);
  const ranges = checkRanges(parsed.backfill, { path: 'state.backfill', compiled, zone, now });
  return { ...parsed, ranges, nextFireAt: next === undefined ? undefined : new Date(next) };
}

/**
 * Write a schedule. A new ID is written by a single statement, unless the schedule fires at once, is backfilled, names
 * a calendar or counts against a quota.
 *
 * @throws {ScheduleAlreadyRunning} when a live schedule, or any schedule of another tenant, has this ID
 * @throws {ExternalIdTakenError} when another live schedule of its tenant has its `externalId`
 * @throws {InvalidScheduleError} for a namespace or task queue that its tenant may not use
 * @throws {TenantQuotaError} when its tenant would exceed its quota of schedules
 * @throws {RetiredMonthError} when the schedule is to be backfilled in a retired month
 * @throws {ScheduleFrozenError} when a freeze holds a schedule that is to be backfilled
 * @throws {CalendarsChangedError} when a calendar that the schedule names has changed since its days were read
 */
export async function register(
  context: ClientContext,
  schedule: NewSchedule & Pick<CheckedSchedule, 'backfill' | 'compiled' | 'ranges'> & { fire: boolean },
): Promise<void> {
  const { store } = context;
  await refuseTaken(store, [schedule]);
  const limits = await refuseOutside(store, [schedule]);
  const isCounted = (limits.get(schedule.tenant)?.schedules ?? null) !== null;
  const { spec } = schedule.definition;
  const isBackfilled = schedule.backfill.length > 0;
  const isSimple = !schedule.fire && !isBackfilled && !isCounted && spec.calendarDays === undefined;
  if (isSimple && (await insertSchedules(store, [schedule])).size > 0) return;
  await transact(store, async (transaction) => {
    if (!(await areDaysInForce(transaction, [{ spec, tenant: schedule.tenant }]))) throw new CalendarsChangedError();
    if (isCounted) await takePlaces(transaction, [schedule]);
    const isNew = (await insertSchedules(transaction, [schedule])).size > 0;
    if (!isNew) await revive(transaction, schedule);
    if (isBackfilled) {
      await refuseRetired({ store: transaction }, schedule, schedule.ranges);
      // A freeze selects stored schedules. So the schedule is stored first, and rolled back if a freeze holds it.
      await refuseFrozen(context, transaction, schedule.scheduleId, {});
    }
    if (schedule.fire) await fire(transaction, schedule);
  });
}

/**
 * Create a schedule whose ID belongs to a deleted schedule of the same tenant. The new schedule continues with the next
 * version number. A gap is written for the former schedule's unanswered occurrences. If its spec cannot be evaluated,
 * the new spec is used to count them.
 *
 * @param keepPause whether a schedule that was deleted while paused comes back paused, with its former note
 * @throws {ScheduleAlreadyRunning} when a live schedule, or any schedule of another tenant, has this ID
 */
export async function revive(
  transaction: Store,
  schedule: NewSchedule,
  { keepPause = false }: { keepPause?: boolean } = {},
): Promise<void> {
  const { scheduleId } = schedule;
  // The owner is read before the lock is taken. Locking a live schedule would delay its firings until the caller's
  // transaction ends. Also, a client must not wait for locks on another tenant's schedule.
  const owner = await readOwner(transaction, scheduleId);
  if (owner && (!owner.deleted || owner.tenant !== schedule.tenant)) throw new ScheduleAlreadyRunning(scheduleId);
  const locked = await lockSchedule(transaction, scheduleId, schedule.now);
  // The schedule may have changed before the lock was taken.
  if (!locked?.deleted || locked.tenant !== schedule.tenant) throw new ScheduleAlreadyRunning(scheduleId);
  const gap = unlessInvalid(() => {
    const spec = compileStored(locked) ?? compileSpec(schedule.definition.spec, { scheduleId });
    return wholeGap(spec, locked.answeredTo.getTime(), locked.now.getTime(), 'deleted');
  });
  // Exclusions of the former schedule do not apply to the new one.
  const excluded = await readExclusions(transaction, scheduleId, locked.now);
  await deleteExclusions(transaction, locked, excluded);
  const pause = keepPause && locked.paused ? { paused: true, keptPause: locked, note: locked.note ?? undefined } : {};
  await reviveSchedule(transaction, locked, { ...schedule, ...pause }, gap);
}

async function fire(transaction: Store, schedule: NewSchedule): Promise<void> {
  const locked = (await lockSchedule(transaction, schedule.scheduleId, schedule.now))!;
  await fireManually(transaction, locked, { actor: schedule.actor, overlap: undefined });
}
