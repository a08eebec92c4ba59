import type { EscapementClient } from 'escapement';
import { pause } from './wait';
import type { Watch } from './watch';

const DRAIN_MILLISECONDS = 30_000;
const POLL_EVERY_MILLISECONDS = 250;

/**
 * Let what has begun come to its end, 30 seconds at most, while nothing new begins. What is due and not yet claimed, and
 * the claims of a dead trigger, are waited for first: a trigger abandons, with a reason, what it finds unstarted of a
 * schedule that was paused meanwhile.
 *
 * @returns the instant up to which every occurrence must have its answer
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
