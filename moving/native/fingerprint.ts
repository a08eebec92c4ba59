import { createHash } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { MovingProblem } from '../problem';
import type { RawSchedule } from './native';

const { ScheduleSpec, ScheduleAction, SchedulePolicies } = temporal.api.schedule.v1;
const { Memo, SearchAttributes } = temporal.api.common.v1;

/** The note with which Temporal's server pauses a schedule that it moves from its second scheduler back to the first. */
const MIGRATING_NOTE = 'paused for migration to workflow-backed scheduler';

/**
 * A text that identifies the definition of a schedule (its spec, action and policies), its memo and its search
 * attributes. The text shows which of them somebody has changed. The server's conflict token does not: it also changes
 * with a pause, and with each firing of a schedule with limited actions.
 */
export function fingerprintOf(raw: RawSchedule): string {
  return [definitionOf(raw), ...labelsOf(raw)].join(' ');
}

/**
 * Whether a schedule has the definition that was imported with a fingerprint. Earlier builds hashed an action in the
 * order in which the server sent it. Such a fingerprint matches only if the server answers in the same order.
 */
export function hasFingerprint(raw: RawSchedule, fingerprint: string): boolean {
  const [definition] = fingerprint.split(' ');
  return definition === definitionOf(raw) || definition === hashOf(raw.schedule);
}

/** Which labels have changed in Temporal. Fingerprints of earlier builds lack labels: they count as unchanged. */
export function changedLabels(raw: RawSchedule, fingerprint: string): { memo: boolean; searchAttributes: boolean } {
  const [memo, searchAttributes] = labelsOf(raw);
  const [, formerMemo = memo, formerAttributes = searchAttributes] = fingerprint.split(' ');
  return { memo: memo !== formerMemo, searchAttributes: searchAttributes !== formerAttributes };
}

/** A fingerprint of the same definition in today's form. Its labels stay those of the import. */
export function renewed(raw: RawSchedule, fingerprint: string): string {
  const [, ...labels] = fingerprint.split(' ');
  return labels.length > 0 ? [definitionOf(raw), ...labels].join(' ') : fingerprintOf(raw);
}

function definitionOf({ schedule }: RawSchedule): string {
  return hashOf({ ...schedule, action: inOrder(schedule?.action) });
}

/** The import leaves out attributes that the server itself sets. */
function labelsOf({ memo, searchAttributes }: RawSchedule): [memo: string, searchAttributes: string] {
  const own = Object.entries(searchAttributes?.indexedFields ?? {}).filter(([name]) => !name.startsWith('Temporal'));
  const indexedFields = inOrder(Object.fromEntries(own));
  return [
    digestOf(Memo.encode({ fields: inOrder(memo?.fields ?? {}) }).finish()),
    digestOf(SearchAttributes.encode({ indexedFields }).finish()),
  ];
}

function hashOf(schedule: RawSchedule['schedule']): string {
  return digestOf(
    ScheduleSpec.encode(schedule?.spec ?? {}).finish(),
    ScheduleAction.encode(schedule?.action ?? {}).finish(),
    SchedulePolicies.encode(schedule?.policies ?? {}).finish(),
  );
}

function digestOf(...parts: Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
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
