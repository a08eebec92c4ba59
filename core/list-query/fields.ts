/** The fields of a schedule that a list filter may use, named as in `describe` and `list`. */
export const COLUMNS = {
  scheduleId: 'text',
  namespace: 'text',
  tenant: 'text',
  source: 'name',
  owner: 'text',
  externalId: 'text',
  taskQueue: 'text',
  workflowType: 'text',
  overlap: 'text',
  note: 'text',
  state: 'state',
  paused: 'boolean',
  completed: 'boolean',
  nextFireAt: 'time',
  lastFireAt: 'time',
  createdAt: 'time',
  lastUpdatedAt: 'time',
  remainingActions: 'number',
  version: 'number',
} as const;

export type ColumnName = keyof typeof COLUMNS;
/** The types of the fields in {@link COLUMNS}; `name` is a text that is only compared as a whole. */
export type ColumnType = (typeof COLUMNS)[ColumnName];

/** Temporal's names for some fields, which a list filter may use too. */
export const TEMPORAL_NAMES: Readonly<Record<string, ColumnName>> = {
  ScheduleId: 'scheduleId',
  TemporalSchedulePaused: 'paused',
  TaskQueue: 'taskQueue',
  WorkflowType: 'workflowType',
};

export const SCHEDULE_STATES = ['live', 'paused', 'completed', 'set aside'] as const;
