/** What an operator allows a tenant. Null allows any, or any number. */
export interface TenantLimits {
  /** Temporal namespaces that its schedules may name. A `*` at the end stands for any rest. */
  namespaces: string[] | null;
  /** Task queues that its schedules may name, in the same form. */
  taskQueues: string[] | null;
  /** Live schedules that it may have. */
  schedules: number | null;
  /** Firings that are claimed of it in an hour of the clock; what is due beyond waits for the next. */
  firingsPerHour: number | null;
}

/** Where a schedule's workflows start. */
export interface Place {
  namespace: string;
  taskQueue: string;
}

/** What of a schedule lies outside of its tenant's limits. */
export interface Outside {
  /** Of the schedule's options. */
  path: 'namespace' | 'action.taskQueue';
  /** What is there. */
  value: string;
}

/** The first part of a place that is not allowed, and what is. */
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
