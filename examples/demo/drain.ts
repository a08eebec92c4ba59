import type { EscapementClient } from 'escapement';
import { pause } from './wait';
import type { Watch } from './watch';

const DRAIN_MILLISECONDS = 30_000;
const POLL_EVERY_MILLISECONDS = 250;

/**
 * Wait until running firings have ended, 30 seconds at most, while nothing new begins. First wait for due occurrences
 * and for the claims of a dead trigger. If the schedules were paused before that, these would not start.
 *
 * @returns the instant up to which every occurrence must have an answer
 */
export async function drain(watch: Watch, client: EscapementClient, scheduleIds: string[]): Promise<Date> {
  const deadline = Date.now() + DRAIN_MILLISECONDS;
  const until = async (isDone: () => Promise<boolean>, milliseconds: number) => {
    const end = Math.min(deadline, Date.now() + milliseconds);
    while (!(await isDone()) && Date.now() < end) await pause(POLL_EVERY_MILLISECONDS);
  };
  await until(async () => (await watch.read()).totals.stuck === 0, DRAIN_MILLISECONDS - 10_000);
  const pausedAt = new Date();
  for (const scheduleId of scheduleIds) await client.getHandle(scheduleId).pause('the demo ends');
  await until(async () => (await watch.read()).totals.open === 0, DRAIN_MILLISECONDS);
  return pausedAt;
}
