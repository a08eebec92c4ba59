import { type RawBuilder, sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import { contains } from '../text';

/** Which firings to read: those that match all that is given. Of a list, any of its values matches. */
export interface FiringFilter {
  /** Those of one schedule, live or deleted. */
  scheduleId?: string | undefined;
  /** Earliest nominal time, inclusive. */
  from?: Date | undefined;
  /** Latest nominal time, exclusive. */
  to?: Date | undefined;
  /** Where they are on their way. */
  state?: FiringState | FiringState[] | undefined;
  /** How the chain ended, of those that have. */
  outcome?: FiringOutcome | FiringOutcome[] | undefined;
  /** Why they exist. */
  kind?: FiringKind | FiringKind[] | undefined;
  /** Temporal namespace. */
  namespace?: string | undefined;
  /** Tenant that the schedule belongs to now. */
  tenant?: string | undefined;
  /** What the schedule was declared by. */
  source?: string | undefined;
  /** Task queue of the definition that it was claimed with. */
  taskQueue?: string | undefined;
  /** Workflow type of the definition that it was claimed with. */
  workflowType?: string | undefined;
  /** Part of the schedule's ID or of its note, in upper or lower case. */
  text?: string | undefined;
}

/** What is asked of a firing's schedule `s`. */
export function scheduleConditions({ tenant, source, text }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (tenant !== undefined) conditions.push(sql`s.tenant = ${tenant}`);
  if (source !== undefined) conditions.push(sql`s.source = ${source}`);
  if (text !== undefined)
    conditions.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  return conditions;
}

/** What is asked of the version `v` that a firing was claimed with. */
export function versionConditions({ taskQueue, workflowType }: FiringFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (taskQueue !== undefined) conditions.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  if (workflowType !== undefined) conditions.push(sql`v.action ->> 'workflowType' = ${workflowType}`);
  return conditions;
}
