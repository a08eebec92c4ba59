import { type RawBuilder, sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import { contains } from '../text';

/** Selects firings that match every given field. If a field is a list, one of its values must match. */
export interface FiringFilter {
  /** Only firings of this schedule, live or deleted. */
  scheduleId?: string | undefined;
  /** Earliest nominal time, inclusive. */
  from?: Date | undefined;
  /** Latest nominal time, exclusive. */
  to?: Date | undefined;
  /** Only firings in this state. */
  state?: FiringState | FiringState[] | undefined;
  /** Only closed firings whose chain ended with this outcome. */
  outcome?: FiringOutcome | FiringOutcome[] | undefined;
  /** Only firings of this kind. */
  kind?: FiringKind | FiringKind[] | undefined;
  /** Only firings in this Temporal namespace. */
  namespace?: string | undefined;
  /** Only firings of schedules that belong to this tenant now. */
  tenant?: string | undefined;
  /** Only firings of schedules that this source declares now, or declared last. */
  source?: string | undefined;
  /** Only firings whose definition, at the claim, had this task queue. */
  taskQueue?: string | undefined;
  /** Only firings whose definition, at the claim, had this workflow type. */
  workflowType?: string | undefined;
  /** Only firings of schedules whose ID or note contains this text, in upper or lower case. */
  text?: string | undefined;
}

export function scheduleConditions({ tenant, source, text }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (tenant !== undefined) conditions.push(sql`s.tenant = ${tenant}`);
  if (source !== undefined) conditions.push(sql`s.source = ${source}`);
  if (text !== undefined)
    conditions.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  return conditions;
}

/** Conditions on the schedule version `v` with which a firing was claimed. */
export function versionConditions({ taskQueue, workflowType }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (taskQueue !== undefined) conditions.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  if (workflowType !== undefined) conditions.push(sql`v.action ->> 'workflowType' = ${workflowType}`);
  return conditions;
}
