import type { ScheduleDescription } from '../../../client/describe/schedule-description';

type Json = Record<string, unknown>;

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
    else if (change && 'searchAttributes' in change) delete part.typedSearchAttributes;
  }
  return result;
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else define(result, key, merged(result[key], value));
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
