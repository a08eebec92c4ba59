import type { ScheduleDescription } from '../../../client/describe/schedule-description';
import { scheduleShape } from '../../../core/definition/shape';
import { namesIn } from '../../../core/options';
import { wholeSchedule } from '../../schemas/schedule';

type Json = Record<string, unknown>;

/**
 * The fields that a patch may remove. The client's schema names no fields of a spec, and none that GET adds to an
 * action.
 */
const DEFINITION = scheduleShape.extend({ spec: wholeSchedule.shape.spec, action: wholeSchedule.shape.action });

/** The registered options of a schedule, changed by a JSON merge patch (RFC 7396). */
export function patched(previous: ScheduleDescription, patch: object): Json {
  const {
    definition,
    action,
    policies,
    state,
    owner,
    runbook,
    externalId,
    memo,
    searchAttributes,
    typedSearchAttributes,
  } = previous;
  const { paused, note, remainingActions } = state;
  const registered = {
    spec: definition.spec,
    action,
    policies,
    state: { paused, note, remainingActions },
    owner,
    runbook,
    externalId,
    memo,
    searchAttributes,
    typedSearchAttributes,
  };
  // JSON would change values such as bytes, dates or undefined, so arguments and memos are not converted to JSON.
  const { args, memo: ofAction, ...plain } = action;
  const sent = JSON.parse(JSON.stringify({ ...registered, action: plain, memo: undefined }));
  if (memo) sent.memo = memo;
  Object.assign(sent.action, { args }, ofAction && { memo: ofAction });
  const result = merged(sent, patch) as Json;
  // JSON has no infinity, so null is a value of `catchupLimit`: no limit. If the field was removed, it would get its
  // default.
  const { policies: changed } = patch as Json;
  if (isObject(changed) && changed.catchupLimit === null) define(result.policies as Json, 'catchupLimit', null);
  // If a label was left out it would stay, so a removed label becomes empty.
  for (const label of ['owner', 'runbook', 'externalId'] as const)
    if ((patch as Json)[label] === null) result[label] = '';
  for (const label of ['memo', 'searchAttributes', 'typedSearchAttributes'] as const) {
    if ((patch as Json)[label] === null) result[label] = label === 'typedSearchAttributes' ? [] : {};
  }
  // `searchAttributes` and `typedSearchAttributes` contain the same attributes in two forms. If the patch changes one
  // form, the other form must not bring the former values back.
  for (const [part, change] of [
    [result, patch],
    [result.action, (patch as Json).action],
  ] as [Json, Json | undefined][]) {
    if (change && 'typedSearchAttributes' in change) delete part.searchAttributes;
    else if (change && 'searchAttributes' in change) keepOthers(part, change.searchAttributes);
  }
  return result;
}

/** Of the typed attributes, keep those that a change of the untyped ones does not name. Null removes all. */
function keepOthers(part: Json, change: unknown): void {
  const typed = part.typedSearchAttributes as { key: { name: string } }[];
  const others = isObject(change) ? typed.filter(({ key }) => !Object.hasOwn(change, key.name)) : [];
  if (others.length > 0) part.typedSearchAttributes = others;
  else delete part.typedSearchAttributes;
}

function merged(target: unknown, patch: unknown, path: string[] = []): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  const known = namesIn(DEFINITION, path);
  for (const [key, value] of Object.entries(patch)) {
    // The null of an unknown field stays, so that the field is refused like any other unknown one.
    if (value === null && (known.length === 0 || known.includes(key))) delete result[key];
    else define(result, key, merged(result[key], value, [...path, key]));
  }
  return result;
}

/** Defines the value as an own field, even if the prototype has a field of that name. */
function define(object: Json, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
