import type { Client } from '@temporalio/client';
import { expect, vi } from 'vitest';
import { action, type Complaint, PATIENTLY, runsOf, untilRuns } from './scene';

const AT_ONCE = 3;
/** Several rounds, since the newer scheduler does not lose a trigger in each round. */
const ROUNDS = 10;

/** Triggers within one second: both schedulers of Temporal name a run by its second. */
export const triggersWithinASecond: Complaint = {
  issue: 'temporal#3614',
  async native({ client, scheduleId }) {
    for (let round = 0; round < ROUNDS; round++)
      if ((await nativeRound(client, `${scheduleId}-${round}`)) < AT_ONCE) return 'some are lost';
    return 'all run';
  },
  async ours({ native, client, scheduleId }) {
    for (let round = 0; round < ROUNDS; round++) {
      const id = `${scheduleId}-${round}`;
      const handle = await client.create({ ...triggered(id), policies: { overlap: 'ALLOW_ALL' } });
      await aSecondBegins();
      await Promise.all(Array.from({ length: AT_ONCE }, () => handle.trigger('ALLOW_ALL')));
      await untilRuns(native, id, AT_ONCE);
    }
    return 'all run';
  },
};

const triggered = (scheduleId: string) => ({ scheduleId, spec: {}, action: action('echoFiring') });

/** How many of the triggers ran. */
async function nativeRound(client: Client, scheduleId: string): Promise<number> {
  const handle = await client.schedule.create({ ...triggered(scheduleId), policies: { overlap: 'ALLOW_ALL' } });
  await aSecondBegins();
  await Promise.all(Array.from({ length: AT_ONCE }, () => handle.trigger('ALLOW_ALL')));
  const [first] = await untilRuns(client, scheduleId, 1);
  const runsLater = (runs: { startTime: Date }[]) =>
    runs.filter(({ startTime }) => startTime.getTime() >= first!.startTime.getTime() + 900);
  // Once a trigger of a later second has started, the server has handled the earlier triggers.
  await aSecondBegins();
  await aSecondBegins();
  await handle.trigger('ALLOW_ALL');
  const runs = await vi.waitFor(async () => {
    const all = await runsOf(client, scheduleId);
    expect(runsLater(all).length).toBeGreaterThanOrEqual(1);
    return all;
  }, PATIENTLY);
  return runs.length - 1;
}

const NAP = 5_000;

export const overlapOfTheFirst: Complaint = {
  issue: 'sdk-typescript#1594',
  async native({ client, scheduleId }) {
    const handle = await client.schedule.create({
      ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, action: action('naps', NAP) },
      ...{ policies: { overlap: 'BUFFER_ONE' }, state: { triggerImmediately: true } },
    });
    const runs = await untilRuns(client, scheduleId, 2);
    await handle.delete();
    return inWords(runs);
  },
  async ours({ native, client, scheduleId }) {
    const handle = await client.create({
      ...{ scheduleId, spec: { intervals: [{ every: '2s' }] }, action: action('naps', NAP) },
      ...{ policies: { overlap: 'BUFFER_ONE' }, state: { triggerImmediately: true } },
    });
    const runs = await untilRuns(native, scheduleId, 2);
    await handle.delete();
    return inWords(runs);
  },
};

/** Whether the second run began before the nap of the first was over. */
function inWords(runs: { startTime: Date }[]): string {
  const [first, second] = runs.map(({ startTime }) => startTime.getTime()).sort((a, b) => a - b);
  return second! - first! < NAP ? 'two at once' : 'one at a time';
}

async function aSecondBegins(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1_000);
  const now = second();
  await vi.waitFor(() => expect(second()).toBeGreaterThan(now), { timeout: 5_000, interval: 5 });
}
