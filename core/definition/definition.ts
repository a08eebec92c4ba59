import type { Priority, RetryPolicy } from '@temporalio/common';
import type { AlertRules } from '../alert-rules';
import type { OverlapPolicy } from '../schedule/policies';
import type { ScheduleSpec } from '../schedule/spec';
import type { StoredSearchAttributes } from './search-attributes';

/** A Temporal `Payload` that the user's converter and codec produced: the bytes of the protobuf message in base64. */
export type EncodedPayload = string;

/**
 * The action in stored form: plain JSON, durations in milliseconds. The arguments are encoded and stored separately.
 */
export interface StoredAction {
  type: 'startWorkflow';
  /** The name of the workflow type. */
  workflowType: string;
  /** The task queue of the workflow. */
  taskQueue: string;
  /** The prefix of the workflow IDs; if absent, `<schedule ID>-workflow`. */
  workflowId?: string;
  /** The retry policy of the workflow; if absent, no retries. */
  retry?: RetryPolicy;
  /** The timeout of the whole chain in milliseconds; if absent, no limit. */
  workflowExecutionTimeout?: number;
  /** The timeout of one run in milliseconds; if absent, no limit. */
  workflowRunTimeout?: number;
  /** The timeout of one workflow task in milliseconds; if absent, Temporal's default. */
  workflowTaskTimeout?: number;
  /** How many milliseconds after its start a workflow is sent a cancellation request; if absent, never. */
  softTimeout?: number;
  /** The priority and fairness of the workflow's tasks; if absent, the server's defaults. */
  priority?: Priority;
  /** The search attributes of the workflow, unencoded; if absent, none but Escapement's own. */
  searchAttributes?: StoredSearchAttributes;
  /** The memo of the workflow, each value encoded; if absent, the workflow has only Escapement's own memo. */
  memo?: Record<string, EncodedPayload>;
  /** The one-line summary that the Temporal UI shows, encoded; if absent, a line that names the firing. */
  staticSummary?: EncodedPayload;
  /** The longer text that the Temporal UI shows, encoded. If absent, there is none. */
  staticDetails?: EncodedPayload;
  /** The headers that an interceptor of `create` set or that an import found, unchanged; if absent, none. */
  headers?: Record<string, EncodedPayload>;
}

/** The policies that apply to a schedule, with every default filled in. */
export interface EffectivePolicies {
  /** What happens to an occurrence while an earlier firing is open. */
  overlap: OverlapPolicy;
  /** How late a firing may start, in milliseconds. */
  catchupWindow: number;
  /** How many of the most recent occurrences may fire after downtime; `null`: no limit, since JSON has no infinity. */
  catchupLimit: number | null;
  /** Whether a firing that fails or times out pauses the schedule. */
  pauseOnFailure: boolean;
  /** What happens to a start that Temporal may have forgotten. */
  onUncertain: 'SKIP' | 'START';
  /** Whether firings may be handed to Temporal ahead of their time; a number is the maximum in milliseconds. */
  preStart: boolean | number;
  /** How many firings may be open before `overlap` applies; `null`: one, or no limit with ALLOW_ALL. */
  maxConcurrent: number | null;
  /** `false`: a firing does not count as running while one of its steps is parked; if absent, it does. */
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
  /** The spec in plain JSON: instants are texts in ISO 8601. */
  spec: ScheduleSpec;
  action: StoredAction;
  policies: EffectivePolicies;
}
