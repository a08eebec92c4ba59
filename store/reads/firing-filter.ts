import { type RawBuilder, sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import { contains } from '../text';

/** Selects firings: those that match every given field. For a list, any of its values matches. */
export interface FiringFilter {
  /** Only firings of this schedule, live or deleted. */
  scheduleId?: string | undefined;
  /** Earliest nominal time, inclusive. */
  from?: Date | undefined;
  /** Latest nominal time, exclusive. */
  to?: Date | undefined;
  /** The state. */
  state?: FiringState | FiringState[] | undefined;
  /** The outcome of the chain, for closed firings. */
  outcome?: FiringOutcome | FiringOutcome[] | undefined;
  /** The kind. */
  kind?: FiringKind | FiringKind[] | undefined;
  /** Temporal namespace. */
  namespace?: string | undefined;
  /** The tenant to which the schedule belongs now. */
  tenant?: string | undefined;
  /** The source that declared the schedule. */
  source?: string | undefined;
  /** The task queue in the definition with which it was claimed. */
  taskQueue?: string | undefined;
  /** The workflow type in the definition with which it was claimed. */
  workflowType?: string | undefined;
  /** A part of the schedule's ID or note, in upper or lower case. */
  text?: string | undefined;
}

/** Conditions on a firing's schedule `s`. */
export function scheduleConditions({ tenant, source, text }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (tenant !== undefined) conditions.push(sql`s.tenant = ${tenant}`);
  if (source !== undefined) conditions.push(sql`s.source = ${source}`);
  if (text !== undefined)
    conditions.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  return conditions;
}

/** Conditions on the version `v` with which a firing was claimed. */
export function versionConditions({ taskQueue, workflowType }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (taskQueue !== undefined) conditions.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  if (workflowType !== undefined) conditions.push(sql`v.action ->> 'workflowType' = ${workflowType}`);
  return conditions;
}
