import type { EscapementClient } from 'escapement';
import { pause } from './wait';
import type { Watch } from './watch';

const DRAIN_MILLISECONDS = 30_000;
const POLL_EVERY_MILLISECONDS = 250;

/**
 * Wait for due occurrences and for the claims of a dead trigger, since a pause would keep these from starting. Then
 * pause the schedules, and wait until running firings have ended. All this takes about 30 seconds at most.
 *
 * @returns when the schedules were paused
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
