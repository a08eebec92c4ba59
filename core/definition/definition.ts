import type { Priority, RetryPolicy } from '@temporalio/common';
import type { AlertRules } from '../alert-rules';
import type { OverlapPolicy } from '../schedule/policies';
import type { ScheduleSpec } from '../schedule/spec';
import type { StoredSearchAttributes } from './search-attributes';

/** A Temporal `Payload` from the user's converter and codec: the bytes of the message in base64. */
export type EncodedPayload = string;

/** The action in stored form: plain JSON, durations in milliseconds. The arguments are stored separately, encoded. */
export interface StoredAction {
  type: 'startWorkflow';
  /** Name of the workflow. */
  workflowType: string;
  /** Task queue of its workers. */
  taskQueue: string;
  /** Prefix of the workflow IDs; if absent, `<schedule ID>-workflow`. */
  workflowId?: string;
  /** Retry policy of the workflow; if absent, no retries. */
  retry?: RetryPolicy;
  /** Milliseconds for the whole chain; if absent, no limit. */
  workflowExecutionTimeout?: number;
  /** Milliseconds for one run; if absent, no limit. */
  workflowRunTimeout?: number;
  /** Milliseconds for one workflow task; if absent, Temporal's default. */
  workflowTaskTimeout?: number;
  /** Milliseconds after its start when a workflow is asked to cancel itself; if absent, never. */
  softTimeout?: number;
  /** Priority and fairness of its tasks; if absent, the server's defaults. */
  priority?: Priority;
  /** Search attributes of the workflow, unencoded. If absent, it has none. */
  searchAttributes?: StoredSearchAttributes;
  /** Memo of the workflow, each value encoded. If absent, it has only Escapement's own. */
  memo?: Record<string, EncodedPayload>;
  /** One-line summary for the Temporal UI, encoded. If absent, a line that names the firing. */
  staticSummary?: EncodedPayload;
  /** Longer text for the Temporal UI, encoded. If absent, there is none. */
  staticDetails?: EncodedPayload;
  /** Headers that an interceptor set when the schedule was created, unchanged. If absent, there are none. */
  headers?: Record<string, EncodedPayload>;
}

/** The policies in force. */
export interface EffectivePolicies {
  /** What happens to an occurrence while an earlier firing is open. */
  overlap: OverlapPolicy;
  /** Milliseconds. */
  catchupWindow: number;
  /** `null` means no limit, since JSON has no infinity. */
  catchupLimit: number | null;
  /** Whether a failed firing pauses the schedule. */
  pauseOnFailure: boolean;
  /** What happens to a start that Temporal may have forgotten. */
  onUncertain: 'SKIP' | 'START';
  /** Whether firings may be handed to Temporal ahead of their time; a number is the maximum in milliseconds. */
  preStart: boolean | number;
  /** Maximum number of open firings; `null` means no limit. */
  maxConcurrent: number | null;
  /** `false`: a firing does not count as running while one of its steps is parked. If absent, it does. */
  parkedHolds?: false;
  /** Maximum time for which a step may be parked, in milliseconds; if absent, no limit. */
  parkedAtMost?: number;
  /** The schedule's own alert rules, with times in milliseconds. */
  alerts?: AlertRules;
}

/** The memo key under which a workflow finds its firing. */
export const OUR_MEMO_KEY = 'escapement';

/** One immutable version of a schedule, without its arguments. */
export interface ScheduleDefinition {
  namespace: string;
  /** Plain JSON: instants in ISO 8601. */
  spec: ScheduleSpec;
  action: StoredAction;
  policies: EffectivePolicies;
}
