import { decodePriority, decompileRetryPolicy, type Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { EncodedPayload, StoredAction } from '../../core/definition/definition';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import { unlessEmpty } from '../../core/definition/unless-empty';
import { inOrder } from '../native/fingerprint';
import { MovingProblem } from '../problem';

const { Payload: PayloadMessage, Payloads } = temporal.api.common.v1;

type RawStart = temporal.api.workflow.v1.INewWorkflowExecutionInfo;

/** The encoded values of an action, unchanged from the user's converter and codec. */
export interface CarriedValues {
  args: Uint8Array | undefined;
  action: Pick<StoredAction, 'memo' | 'staticSummary' | 'staticDetails' | 'headers' | 'searchAttributes'>;
}

/** The plain fields of a Temporal schedule's action, in the form of `create`. */
export function plainActionOf(start: RawStart) {
  return {
    type: 'startWorkflow' as const,
    workflowType: start.workflowType?.name ?? '',
    taskQueue: start.taskQueue?.name ?? '',
    ...(start.workflowId ? { workflowId: start.workflowId } : {}),
    retry: decompileRetryPolicy(start.retryPolicy),
    workflowExecutionTimeout: optionalTsToMs(start.workflowExecutionTimeout) || undefined,
    workflowRunTimeout: optionalTsToMs(start.workflowRunTimeout) || undefined,
    workflowTaskTimeout: optionalTsToMs(start.workflowTaskTimeout) || undefined,
    priority: decodePriority(start.priority),
  };
}

/** The encoded values of a Temporal schedule's action. @throws {MovingProblem} for a part without a counterpart here */
export function carriedValuesOf(start: RawStart): CarriedValues {
  if (start.versioningOverride) {
    throw new MovingProblem('its action pins a worker version, which is not possible here; remove the pin first');
  }
  const { input, memo, header, userMetadata, searchAttributes } = start;
  return {
    args: input?.payloads?.length ? Payloads.encode(input).finish() : undefined,
    action: {
      memo: textsOf(memo?.fields),
      headers: textsOf(header?.fields),
      staticSummary: userMetadata?.summary ? textOf(userMetadata.summary) : undefined,
      staticDetails: userMetadata?.details ? textOf(userMetadata.details) : undefined,
      searchAttributes: unlessEmpty(searchAttributesOf(searchAttributes?.indexedFields)),
    },
  };
}

/** Payloads in stored form, by name; undefined for none. */
export function textsOf(
  fields: Record<string, Payload> | null | undefined,
): Record<string, EncodedPayload> | undefined {
  return unlessEmpty(Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name, textOf(value)])));
}

/** The text does not depend on the order in which the server answers the payload's metadata. */
function textOf(payload: Payload): EncodedPayload {
  return Buffer.from(PayloadMessage.encode(inOrder(payload)).finish()).toString('base64');
}

/**
 * Search attributes of the user, in stored form. Attributes that the server itself sets (`Temporal…`) are left out.
 *
 * @throws {MovingProblem} for a number that would be rounded
 */
export function searchAttributesOf(fields: Record<string, Payload> | null | undefined): StoredSearchAttributes {
  const own = Object.entries(fields ?? {}).filter(([name]) => !name.startsWith('Temporal'));
  return Object.fromEntries(
    own.map(([name, { metadata, data }]) => {
      const type = metadata?.type ? Buffer.from(metadata.type).toString() : undefined;
      const text = Buffer.from(data ?? []).toString() || 'null';
      const value = JSON.parse(text);
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)) {
        throw new MovingProblem(
          `its search attribute ${name} has ${text}, which would be rounded here; change it first`,
        );
      }
      return [name, { ...(type ? { type } : {}), value }];
    }),
  );
}
