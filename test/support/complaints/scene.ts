import type { Client } from '@temporalio/client';
import { expect, vi } from 'vitest';
import type { EscapementClient } from '../../../client/client';
import { TASK_QUEUE } from '../moving/moving-cluster';

export const PATIENTLY = { timeout: 180_000 };

/** One of Temporal's own schedulers, with an ID that nothing else uses. */
export interface NativeScene {
  client: Client;
  scheduleId: string;
  /** Wait until the timer for a time is in the server's own tables, then delete the timer. */
  loseTimer(at: Date): Promise<void>;
}

/** Escapement with a trigger of its own, on the same server. */
export interface OurScene {
  /** A client of Temporal. */
  native: Client;
  client: EscapementClient;
  scheduleId: string;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** An open complaint about native Schedules, with a scene for each side that shows what happens. */
export interface Complaint {
  /** The issue of the complaint, as the page names it. */
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

/** Create another native schedule that fires every two seconds, and wait until it has fired `times` times. */
export async function whileOthersFire({ client, scheduleId }: NativeScene, times: number): Promise<void> {
  const beside = `${scheduleId}-beside`;
  const handle = await client.schedule.create({
    ...{ scheduleId: beside, spec: { intervals: [{ every: '2s' }] }, action: action('echoFiring') },
    policies: { overlap: 'ALLOW_ALL' },
  });
  await untilRuns(client, beside, times);
  await handle.delete();
}
