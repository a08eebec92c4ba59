import { type RawBuilder, sql } from 'kysely';
import type { ListQuery } from '../../core/list-query/resolve';
import type { Store } from '../connection';
import { isCompleted } from '../schedules/schedule-completed';
import { contains } from '../text';
import { queryParts } from './schedule-query';

/** Selects live schedules that match every given field. */
export interface ScheduleFilter {
  /** The tenant; empty for schedules without a tenant. */
  tenant?: string | undefined;
  /** The source that declared the schedules: the `source` of `apply`. */
  source?: string | undefined;
  /** The owner of the schedules. */
  owner?: string | undefined;
  /** The ID in another system: at most one schedule per tenant has it. */
  externalId?: string | undefined;
  /** The Temporal namespace in which their workflows start. */
  namespace?: string | undefined;
  /** Task queue of the workflows. */
  taskQueue?: string | undefined;
  /** Name of the workflow type. */
  workflowType?: string | undefined;
  /** Whether the schedules are paused. */
  paused?: boolean | undefined;
  /**
   * Whether the schedules are completed: no action is left, or the spec has ended, so that nothing fires by itself any
   * more.
   */
  completed?: boolean | undefined;
  /** Earliest next fire time, inclusive. */
  from?: Date | undefined;
  /** Latest next fire time, exclusive. */
  to?: Date | undefined;
  /** A part of the ID or of the note, in upper or lower case. */
  text?: string | undefined;
}

export interface CheckedScheduleFilter extends ScheduleFilter {
  query?: ListQuery | undefined;
  scheduleIds?: string[] | undefined;
}

/** Conditions on a schedule `s`, on its timer `t`, on its current version `v`, and on several of these together. */
export function scheduleConditions(store: Store, filter: CheckedScheduleFilter) {
  const {
    tenant,
    source,
    owner,
    externalId,
    namespace,
    taskQueue,
    workflowType,
    paused,
    completed,
    from,
    to,
    text,
    query,
    scheduleIds,
  } = filter;
  type Conditions = RawBuilder<unknown>[];
  const [schedule, timer, version, both]: [Conditions, Conditions, Conditions, Conditions] = [[], [], [], []];
  if (scheduleIds !== undefined) schedule.push(sql`s.schedule_id = any(${scheduleIds}::text[])`);
  if (tenant !== undefined) schedule.push(sql`s.tenant = ${tenant}`);
  if (source !== undefined) schedule.push(sql`s.source = ${source}`);
  if (owner !== undefined) schedule.push(sql`s.owner = ${owner}`);
  if (externalId !== undefined) schedule.push(sql`s.external_id = ${externalId}`);
  if (paused !== undefined) schedule.push(paused ? sql`s.paused` : sql`not s.paused`);
  if (text !== undefined) schedule.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  if (from) timer.push(sql`t.next_fire_at >= ${from}`);
  if (to) timer.push(sql`t.next_fire_at < ${to}`);
  if (namespace !== undefined) version.push(sql`v.namespace = ${namespace}`);
  if (taskQueue !== undefined) version.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  if (workflowType !== undefined) version.push(sql`v.action ->> 'workflowType' = ${workflowType}`);
  if (completed !== undefined) both.push(completed ? isCompleted(store) : sql`not ${isCompleted(store)}`);
  const alone = { s: schedule, t: timer, v: version };
  for (const { condition, sides } of query ? queryParts(store, query) : []) {
    const [side, ...others] = sides;
    (others.length === 0 ? alone[side!] : both).push(condition);
  }
  return { schedule, timer, version, both };
}
