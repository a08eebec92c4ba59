import { createHash } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './native';

const { ScheduleSpec, ScheduleAction, SchedulePolicies } = temporal.api.schedule.v1;

/** What the server pauses a schedule with while it goes from its new scheduler back to the old one. */
const MIGRATING_NOTE = 'paused for migration to workflow-backed scheduler';

/**
 * What a schedule is, as one comparable text: its spec, action and policies. Whether somebody has changed it shows here, and not in
 * the conflict token, which moves with every firing.
 */
export function fingerprintOf({ schedule }: RawSchedule): string {
  const hash = createHash('sha256');
  hash.update(ScheduleSpec.encode(schedule?.spec ?? {}).finish());
  hash.update(ScheduleAction.encode(schedule?.action ?? {}).finish());
  hash.update(SchedulePolicies.encode(schedule?.policies ?? {}).finish());
  return hash.digest('base64');
}

/** Whether two answers are of the same schedule in the same state. Actions that are left fall with every firing. */
export function isSame(one: RawSchedule, other: RawSchedule): boolean {
  return fingerprintOf(one) === fingerprintOf(other) && stateOf(one) === stateOf(other);
}

function stateOf({ schedule }: RawSchedule): string {
  const { paused, notes, limitedActions } = schedule?.state ?? {};
  return JSON.stringify([paused ?? false, notes ?? '', limitedActions ?? false]);
}

/** @throws {MovingProblem} while the server takes a schedule from one of its schedulers to the other */
export function refuseMigrating({ schedule }: RawSchedule): void {
  if (schedule?.state?.notes !== MIGRATING_NOTE) return;
  throw new MovingProblem('the server is taking it from one of its schedulers to the other; try again when it is done');
}
