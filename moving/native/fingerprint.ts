import { createHash } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './native';

const { ScheduleSpec, ScheduleAction, SchedulePolicies } = temporal.api.schedule.v1;

/** The note with which the server pauses a schedule while it moves from its new scheduler back to the old one. */
const MIGRATING_NOTE = 'paused for migration to workflow-backed scheduler';

/**
 * A text that identifies the definition of a schedule: its spec, action and policies. The text shows whether somebody
 * has changed the definition. The server's conflict token does not show that, since it changes with every firing.
 */
export function fingerprintOf({ schedule }: RawSchedule): string {
  const hash = createHash('sha256');
  hash.update(ScheduleSpec.encode(schedule?.spec ?? {}).finish());
  hash.update(ScheduleAction.encode(schedule?.action ?? {}).finish());
  hash.update(SchedulePolicies.encode(schedule?.policies ?? {}).finish());
  return hash.digest('base64');
}

/**
 * Whether two answers show the same schedule in the same state. The remaining actions are ignored, since they fall with
 * every firing.
 */
export function isSame(one: RawSchedule, other: RawSchedule): boolean {
  return fingerprintOf(one) === fingerprintOf(other) && stateOf(one) === stateOf(other);
}

function stateOf({ schedule }: RawSchedule): string {
  const { paused, notes, limitedActions } = schedule?.state ?? {};
  return JSON.stringify([paused ?? false, notes ?? '', limitedActions ?? false]);
}

/** @throws {MovingProblem} while the server moves a schedule between its two schedulers */
export function refuseMigrating({ schedule }: RawSchedule): void {
  if (schedule?.state?.notes !== MIGRATING_NOTE) return;
  throw new MovingProblem('the server is moving it between its two schedulers; try again later');
}
