import { createHash } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './native';

const { ScheduleSpec, ScheduleAction, SchedulePolicies } = temporal.api.schedule.v1;

/** The note with which Temporal's server pauses a schedule that it moves from its second scheduler back to the first. */
const MIGRATING_NOTE = 'paused for migration to workflow-backed scheduler';

/**
 * A text that identifies the definition of a schedule: its spec, action and policies. The text shows whether somebody
 * has changed the definition. The server's conflict token does not: it also changes with a pause, and with each firing
 * of a schedule with limited actions.
 */
export function fingerprintOf({ schedule }: RawSchedule): string {
  return hashOf({ ...schedule, action: inOrder(schedule?.action) });
}

/**
 * Whether a schedule has the definition that was imported with a fingerprint. Earlier builds hashed an action in the
 * order in which the server sent it. Such a fingerprint matches only if the server answers in the same order.
 */
export function hasFingerprint(raw: RawSchedule, fingerprint: string): boolean {
  return fingerprint === fingerprintOf(raw) || fingerprint === hashOf(raw.schedule);
}

function hashOf(schedule: RawSchedule['schedule']): string {
  const hash = createHash('sha256');
  hash.update(ScheduleSpec.encode(schedule?.spec ?? {}).finish());
  hash.update(ScheduleAction.encode(schedule?.action ?? {}).finish());
  hash.update(SchedulePolicies.encode(schedule?.policies ?? {}).finish());
  return hash.digest('base64');
}

/** The same value with its keys in order. From answer to answer, the server may change the order of a map's keys. */
export function inOrder<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(inOrder) as Value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, inOrder(part)])) as Value;
}

/** The remaining actions are ignored, since they fall with every firing. */
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
