/** The limits of a tenant, which an operator sets. For each limit, null means no limit. */
export interface TenantLimits {
  /** Temporal namespaces that the tenant's schedules may use. A `*` at the end matches any suffix. */
  namespaces: string[] | null;
  /** Task queues that the tenant's schedules may use; a `*` at the end matches any suffix. */
  taskQueues: string[] | null;
  /** The maximum number of live schedules of the tenant. */
  schedules: number | null;
  /**
   * The maximum number of firings that claim passes claim for the tenant per hour of the clock. Firings beyond this
   * number wait for a later hour. Redrives do not count.
   */
  firingsPerHour: number | null;
}

export interface Place {
  namespace: string;
  taskQueue: string;
}

/** A field of a schedule that violates its tenant's limits. */
export interface Outside {
  /** The path of the field in the schedule's options. */
  path: 'namespace' | 'action.taskQueue';
  /** The value that the schedule has in this field. */
  value: string;
}

/** The first field of a schedule that violates its tenant's limits, with the values that are allowed. */
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
