import { decodeScheduleSpec } from '@temporalio/client/lib/schedule-helpers';
import { compileStored } from '../../client/context';
import type { CompiledSpec } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './native';

/** The spec of a Temporal schedule; empty lists are left out. A spec without any times fires only by hand. */
export function specOf({ schedule }: RawSchedule): ScheduleSpec {
  const spec = decodeScheduleSpec(schedule?.spec ?? {}) as ScheduleSpec;
  const given = Object.entries(spec).filter(([, value]) => !isNothing(value));
  const parts = Object.fromEntries(given) as ScheduleSpec;
  return parts.calendars || parts.intervals ? parts : {};
}

/**
 * The times of a Temporal schedule. These times differ from the ledger's times if somebody has changed the spec on one
 * side.
 *
 * @throws {MovingProblem} if they cannot be evaluated here
 */
export function timesOf(scheduleId: string, raw: RawSchedule): CompiledSpec {
  const theirs = compileStored({ scheduleId, definition: { spec: specOf(raw) } });
  if (!theirs) throw new MovingProblem('its spec in Temporal cannot be evaluated here');
  return theirs;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}
