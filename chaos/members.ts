/** The names of the processes of a run. */
export const MEMBERS = ['trigger-1', 'trigger-2', 'trigger-3', 'worker-1', 'worker-2'] as const;
