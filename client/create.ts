import type { Payload } from '@temporalio/common';
import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions } from '../core/schedule/options';
import { again, calendarsOf, DayFiller } from './calendars/fill-days';
import type { ClientContext } from './context';
import { ScheduleHandle } from './handle';
import { intercepted } from './interceptors';
import { type CheckedSchedule, checkSchedule, register } from './register';
import { scheduleInTenant } from './tenant';
import { type TransactionOptions, unlocked, within } from './transaction';
import { unlessTaken } from './update/external-ids';

export async function createSchedule(
  context: ClientContext,
  options: ScheduleOptions,
  change: TransactionOptions,
): Promise<void> {
  // Validate the options both before an interceptor sees them and after it may have changed them.
  await check(context, options, change);
  await intercepted(context.interceptors, options, (given, headers) =>
    again(given.scheduleId, () => create(context, given, headers, change)),
  );
}

/** The validated options, with the days of the calendars that they name. @throws {InvalidScheduleError} */
async function check(
  context: ClientContext,
  options: ScheduleOptions,
  { transaction }: TransactionOptions,
): Promise<CheckedSchedule> {
  const given = scheduleInTenant(context, options);
  const fill = (filled: ClientContext) => new DayFiller(filled).fill(given);
  const isRead = transaction && calendarsOf(given?.spec).length > 0;
  return checkSchedule(context, await (isRead ? within(context, transaction, fill) : fill(context)));
}

async function create(
  given: ClientContext,
  options: ScheduleOptions,
  headers: Record<string, Payload>,
  { transaction }: TransactionOptions,
): Promise<void> {
  const { codec, identity, now } = given;
  const parsed = await check(given, options, { transaction });
  if (transaction && parsed.backfill.length > 0) {
    throw new InvalidScheduleError(
      'state.backfill',
      'cannot be part of a transaction; call handle.backfill after the commit',
    );
  }
  const encoded = await codec.encode(parsed, headers);
  const schedule = { ...parsed, ...encoded, actor: identity, now: now?.(), fire: parsed.triggerImmediately };
  await within(given, transaction, async (context) => {
    await context.ready();
    await unlocked(context, parsed.scheduleId, () =>
      unlessTaken(context.store, [schedule], () => register(context, schedule)),
    );
  });
  if (parsed.backfill.length === 0) return;
  // The schedule exists now, so a freeze that began meanwhile must not make this call fail.
  const ranges = parsed.backfill.map((range) => ({ ...range, duringFreeze: true }));
  await new ScheduleHandle(given, parsed.scheduleId).backfill(ranges);
}
