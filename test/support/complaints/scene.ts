import type { Client } from '@temporalio/client';
import { expect, vi } from 'vitest';
import type { EscapementClient } from '../../../client/client';
import { TASK_QUEUE } from '../moving/moving-cluster';

export const PATIENTLY = { timeout: 180_000 };

/** One of Temporal's own schedulers, with an ID that nothing else uses. */
export interface NativeScene {
  client: Client;
  scheduleId: string;
  /** Deletes the timer that is due at a time from the server's own tables, once it is there. */
  loseTimer(at: Date): Promise<void>;
}

/** Escapement with a trigger of its own, on the same server. */
export interface OurScene {
  /** Of Temporal. */
  native: Client;
  client: EscapementClient;
  scheduleId: string;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** A complaint about native Schedules that is open, and how to see what either side does. */
export interface Complaint {
  /** As the page names it. */
  issue: string;
  /** What happens, in the words of the page. */
  native(scene: NativeScene): Promise<string>;
  ours(scene: OurScene): Promise<string>;
}

export const action = (workflowType: string, ...args: unknown[]) => ({
  ...{ type: 'startWorkflow' as const, workflowType, taskQueue: TASK_QUEUE, args },
});

/** The workflows of a schedule, as visibility lists them. */
export async function runsOf(client: Client, scheduleId: string) {
  const runs = [];
  for await (const run of client.workflow.list({ query: `WorkflowId STARTS_WITH "${scheduleId}-workflow"` }))
    runs.push(run);
  return runs;
}

export async function untilRuns(client: Client, scheduleId: string, atLeast: number) {
  return vi.waitFor(async () => {
    const runs = await runsOf(client, scheduleId);
    expect(runs.length).toBeGreaterThanOrEqual(atLeast);
    return runs;
  }, PATIENTLY);
}

/** Waits until a native schedule beside it has fired so often, each two seconds, from now on. */
export async function whileOthersFire({ client, scheduleId }: NativeScene, times: number): Promise<void> {
  const beside = `${scheduleId}-beside`;
  const handle = await client.schedule.create({
    ...{ scheduleId: beside, spec: { intervals: [{ every: '2s' }] }, action: action('echoFiring') },
    policies: { overlap: 'ALLOW_ALL' },
  });
  await untilRuns(client, beside, times);
  await handle.delete();
}
