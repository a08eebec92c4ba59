import type { OverlapPolicy, SchedulePolicies } from '../../core/schedule/policies';
import type { ScheduleOptions } from '../../index';
import type { Random } from '../random';

export const TASK_QUEUE = 'chaos';
export const NAMESPACE = 'default';

/** The requests that are made for the schedules of a kind during the run. */
export type Asked = 'pause' | 'update' | 'delete' | 'backfill' | 'trigger';

/** A kind of schedule of the workload. */
interface Kind {
  kind: string;
  count: number;
  /** The seconds between two occurrences; undefined for a schedule that fires only by hand. */
  every: number | undefined;
  /** Offset in seconds from a whole interval; if absent, each schedule of the kind has a random one. */
  offset?: number;
  policies: SchedulePolicies;
  workflow: string;
  args?: unknown[];
  retries?: number;
  asked?: Asked;
}

const at = (overlap: OverlapPolicy, more: SchedulePolicies = {}): SchedulePolicies => ({ overlap, ...more });

/** The kinds of schedules of a run, each with its count at a share of 1. */
const KINDS: readonly Kind[] = [
  { kind: 'each-second', count: 2, every: 1, policies: at('ALLOW_ALL'), workflow: 'quick' },
  { kind: 'skip', count: 60, every: 1, policies: at('SKIP'), workflow: 'naps', args: [8_000] },
  { kind: 'buffer-one', count: 3, every: 1, policies: at('BUFFER_ONE'), workflow: 'naps', args: [2_000] },
  // While no worker answers, firings of this kind and of two-at-once wait in a queue. All of a run settles within a
  // minute after the faults, so they need much less time than they have.
  { kind: 'buffer-all', count: 6, every: 10, policies: at('BUFFER_ALL'), workflow: 'naps', args: [1_000] },
  { kind: 'cancel-other', count: 4, every: 3, policies: at('CANCEL_OTHER'), workflow: 'naps', args: [4_000] },
  { kind: 'terminate-other', count: 4, every: 3, policies: at('TERMINATE_OTHER'), workflow: 'naps', args: [4_000] },
  {
    ...{ kind: 'two-at-once', count: 4, every: 8, workflow: 'naps', args: [2_500] },
    policies: at('ALLOW_ALL', { maxConcurrent: 2 }),
  },
  { kind: 'limited', count: 5, every: 2, policies: at('ALLOW_ALL', { catchupLimit: 3 }), workflow: 'quick' },
  { kind: 'windowed', count: 5, every: 2, policies: at('ALLOW_ALL', { catchupWindow: 10_000 }), workflow: 'quick' },
  { kind: 'at-least-once', count: 4, every: 4, policies: at('ALLOW_ALL', { onUncertain: 'START' }), workflow: 'quick' },
  { kind: 'at-most-once', count: 4, every: 4, policies: at('ALLOW_ALL', { onUncertain: 'SKIP' }), workflow: 'quick' },
  {
    ...{ kind: 'burst', count: 20, every: 20, offset: 0, workflow: 'quick' },
    policies: at('ALLOW_ALL', { preStart: '5 seconds' }),
  },
  { kind: 'fenced', count: 6, every: 5, policies: at('ALLOW_ALL'), workflow: 'fenced' },
  { kind: 'retried', count: 2, every: 5, policies: at('ALLOW_ALL'), workflow: 'failsOnce', retries: 2 },
  { kind: 'failing', count: 2, every: 10, policies: at('ALLOW_ALL'), workflow: 'failsFirst' },
  { kind: 'parked', count: 3, every: 10, policies: at('ALLOW_ALL', { parkedHolds: false }), workflow: 'charges' },
  { kind: 'paused', count: 6, every: 2, policies: at('ALLOW_ALL'), workflow: 'quick', asked: 'pause' },
  {
    kind: 'updated',
    offset: 0,
    count: 6,
    every: 3,
    policies: at('ALLOW_ALL', { preStart: false }),
    workflow: 'quick',
    asked: 'update',
  },
  {
    kind: 'deleted',
    count: 4,
    every: 2,
    policies: at('ALLOW_ALL', { preStart: false }),
    workflow: 'quick',
    asked: 'delete',
  },
  {
    kind: 'backfilled',
    count: 3,
    every: 10,
    offset: 0,
    policies: at('ALLOW_ALL'),
    workflow: 'quick',
    asked: 'backfill',
  },
  { kind: 'manual', count: 3, every: undefined, policies: at('ALLOW_ALL'), workflow: 'quick', asked: 'trigger' },
  // The runs of these two end some seconds before the next occurrence that fires, so none of them excuses a wrong skip
  // of it. They come last, so that the schedules above keep the offsets that a seed draws for them.
  { kind: 'skip-seldom', count: 1, every: 5, policies: at('SKIP'), workflow: 'naps', args: [7_000] },
  { kind: 'buffer-one-seldom', count: 1, every: 6, policies: at('BUFFER_ONE'), workflow: 'naps', args: [2_000] },
];

/** The times at which a schedule is due: whole multiples of `every` after `offset` since 1970, in milliseconds. */
export interface Grid {
  every: number;
  offset: number;
}

/** A schedule of the workload, as the checker knows it: plain data. */
export interface ChaosSchedule {
  scheduleId: string;
  kind: string;
  /** The times at which the schedule is due; undefined for a schedule that fires only by hand. */
  grid: Grid | undefined;
  policies: SchedulePolicies;
  workflow: string;
  args: unknown[];
  retries: number;
  asked: Asked | undefined;
}

/** @param share the share of the schedules of each kind; at least one schedule of each kind is taken */
export function schedulesOf(random: Random, share: number): ChaosSchedule[] {
  return KINDS.flatMap(({ kind, count, every, offset, policies, workflow, args = [], retries = 0, asked }) =>
    Array.from({ length: Math.max(1, Math.round(count * share)) }, (_, index) => ({
      scheduleId: `${kind}-${index + 1}`,
      grid:
        every === undefined
          ? undefined
          : { every: every * 1_000, offset: (offset ?? random.between(0, every - 1)) * 1_000 },
      ...{ kind, policies, workflow, args, retries, asked },
    })),
  );
}

/** A grid without offset that divides a minute becomes a cron expression; any other grid becomes an interval. */
export function specOf(grid: Grid | undefined, from: number, to: number): ScheduleOptions['spec'] {
  if (!grid) return {};
  const bounds = { startAt: new Date(from), endAt: new Date(to) };
  const seconds = grid.every / 1_000;
  if (grid.offset === 0 && 60 % seconds === 0) return { cron: `*/${seconds} * * * * *`, ...bounds };
  return { intervals: [{ every: grid.every, offset: grid.offset }], ...bounds };
}

/** The options for `create`. Unless it fires only by backfills, the schedule is due from `from` to `to`, both inclusive. */
export function optionsOf(schedule: ChaosSchedule, from: number, to: number): ScheduleOptions {
  const { scheduleId, grid, policies, workflow, args, retries } = schedule;
  // Such a schedule fires only by backfills of the past. So it is paused, and its spec has neither `startAt` nor
  // `endAt`.
  const isBackfilled = schedule.asked === 'backfill';
  const spec = isBackfilled ? { intervals: [{ every: grid!.every, offset: grid!.offset }] } : specOf(grid, from, to);
  return {
    ...{ scheduleId, policies, namespace: NAMESPACE, spec },
    action: {
      ...{ type: 'startWorkflow', workflowType: workflow, taskQueue: TASK_QUEUE, args },
      ...(retries > 0 && { retry: { initialInterval: '200 milliseconds', maximumAttempts: retries } }),
    },
    ...(isBackfilled && { state: { paused: true, note: 'only backfilled' } }),
  };
}
