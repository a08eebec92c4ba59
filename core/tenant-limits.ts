/** The limits of a tenant, set by an operator. Null means no limit. */
export interface TenantLimits {
  /** Temporal namespaces that its schedules may use. A `*` at the end matches any suffix. */
  namespaces: string[] | null;
  /** Task queues that its schedules may use, in the same form. */
  taskQueues: string[] | null;
  /** Maximum number of live schedules. */
  schedules: number | null;
  /** Maximum number of firings claimed per hour of the clock. Further due occurrences wait for the next hour. */
  firingsPerHour: number | null;
}

/** Where a schedule's workflows start: namespace and task queue. */
export interface Place {
  namespace: string;
  taskQueue: string;
}

/** A field of a schedule that violates its tenant's limits. */
export interface Outside {
  /** Path in the schedule's options. */
  path: 'namespace' | 'action.taskQueue';
  /** The value that the schedule has. */
  value: string;
}

/** The first field that violates the limits, and the allowed values. */
export function outsideOf(
  { namespaces, taskQueues }: Pick<TenantLimits, 'namespaces' | 'taskQueues'>,
  { namespace, taskQueue }: Place,
): (Outside & { allowed: string[] }) | undefined {
  if (!isAllowed(namespaces, namespace)) return { path: 'namespace', value: namespace, allowed: namespaces! };
  if (!isAllowed(taskQueues, taskQueue)) return { path: 'action.taskQueue', value: taskQueue, allowed: taskQueues! };
  return undefined;
}

function isAllowed(names: string[] | null, value: string): boolean {
  return names === null || names.some((name) => matches(name, value));
}

function matches(name: string, value: string): boolean {
  return name.endsWith('*') ? value.startsWith(name.slice(0, -1)) : name === value;
}
