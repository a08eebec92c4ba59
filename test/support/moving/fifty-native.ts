import type { ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { uniqueName } from '../ledger';

/** A native schedule, due every `every` seconds, from `offset` seconds after the epoch on. */
export interface NativeCase {
  scheduleId: string;
  namespace: string;
  every: number;
  offset: number;
  policy: string;
  options: Partial<ScheduleOptions> & Pick<ScheduleOptions, 'spec'>;
}

const POLICIES: ScheduleOverlapPolicy[] = [
  'SKIP',
  'BUFFER_ONE',
  'BUFFER_ALL',
  'CANCEL_OTHER',
  'TERMINATE_OTHER',
  'ALLOW_ALL',
] as never;
const COUNT = 50;
/** Longest delay of a start by jitter. */
export const JITTER_MILLISECONDS = 1_000;

/**
 * Schedules of each kind of spec and each overlap policy, spread over the namespaces. Four schedules have limited
 * actions or are paused.
 */
export function fiftyNative(namespaces: readonly string[]): NativeCase[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const namespace = namespaces[index % namespaces.length]!;
    const place = Math.floor(index / namespaces.length);
    const policy = POLICIES[place % POLICIES.length]!;
    const { every, offset = 0, spec } = specOf(place % 5);
    const state = index >= COUNT - 2 ? { paused: true } : index >= COUNT - 4 ? { remainingActions: 1_000 } : {};
    const options = { spec, policies: { overlap: policy }, state };
    return { scheduleId: uniqueName(`c${index}`), namespace, every, offset, policy, options };
  });
}

function specOf(kind: number): { every: number; offset?: number; spec: ScheduleOptions['spec'] } {
  const all = '*' as const;
  const jitter = JITTER_MILLISECONDS;
  switch (kind) {
    case 0:
      return { every: 4, spec: { intervals: [{ every: '4s' }] } };
    case 1:
      return { every: 7, offset: 1, spec: { intervals: [{ every: '7s', offset: '1s' }] } };
    case 2:
      return { every: 10, spec: { calendars: [{ second: { start: 0, end: 59, step: 10 }, minute: all, hour: all }] } };
    case 3:
      return { every: 6, spec: { cronExpressions: ['*/6 * * * * * *'], timezone: 'America/New_York' } };
    default:
      return { every: 8, spec: { intervals: [{ every: '8s' }], jitter, timezone: 'Asia/Kathmandu' } };
  }
}
