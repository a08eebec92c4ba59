import { isDeepStrictEqual } from 'node:util';
import { decodeScheduleSpec } from '@temporalio/client/lib/schedule-helpers';
import type { Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { plainActionOf, searchAttributesOf } from '../import/translate-action';

type Native = Pick<temporal.api.workflowservice.v1.ICreateScheduleRequest, 'schedule' | 'memo' | 'searchAttributes'>;

/** Pauses and notes are not compared, since people may change them. */
export function isAlike(one: Native, other: Native): boolean {
  return isDeepStrictEqual(partsOf(one), partsOf(other));
}

function partsOf({ schedule, memo, searchAttributes }: Native) {
  const start = schedule?.action?.startWorkflow ?? {};
  const { overlapPolicy, catchupWindow, pauseOnFailure = false } = schedule?.policies ?? {};
  return {
    spec: plain(decodeScheduleSpec(schedule?.spec ?? {})),
    action: plain(plainActionOf(start)),
    policies: [overlapPolicy, optionalTsToMs(catchupWindow), pauseOnFailure],
    input: start.input?.payloads?.map(textOf) ?? [],
    metadata: [start.userMetadata?.summary, start.userMetadata?.details].map((one) => (one ? textOf(one) : undefined)),
    fields: [start.memo, start.header, memo].map((one) => mapped(one?.fields ?? {}, textOf)),
    // The server adds the type of an attribute.
    attributes: [start.searchAttributes, searchAttributes].map((one) =>
      mapped(searchAttributesOf(one?.indexedFields), ({ value }) => value),
    ),
  };
}

/** Zero, empty texts and missing values count as equal. */
function plain(part: object): unknown {
  return JSON.parse(JSON.stringify(part, (_, value) => (value === 0 || value === '' ? undefined : value)));
}

/** A payload is compared by its parts, since its encoded bytes depend on the order of its metadata. */
function textOf({ metadata, data }: Payload) {
  return { ...mapped(metadata ?? {}, base64), data: base64(data ?? new Uint8Array()) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function mapped<Value, Result>(values: Record<string, Value>, map: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
