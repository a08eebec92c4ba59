import type { Client } from '@temporalio/client';
import { type EscapementClient, type Firing, nextOccurrences, type ScheduleOptions } from 'escapement';
import type { ReplyGate } from './reply-gate';
import type { TriggerProcess } from './trigger-process';
import { pause, waitFor } from './wait';

const AHEAD_MILLISECONDS = 400;
/** Less than a trigger waits for Temporal's reply, five seconds. */
const IN_FLIGHT_AT_MOST_MILLISECONDS = 3_500;
const LOOK_EVERY_MILLISECONDS = 15;

/** A firing whose trigger was killed between the start of its workflow and the record of it. */
export interface KilledInFlight {
  firing: Firing;
  /** The run that Temporal had started by then. */
  runId: string;
}

/**
 * Kill a trigger at the worst moment, with certainty: shortly before a firing is due Temporal's replies are held back
 * on their way to the trigger. It claims the firing and calls start; Temporal starts the workflow; nobody hears of it.
 * Then SIGKILL. The ledger holds a claim without a run: only the next trigger can find out what became of it.
 *
 * @returns undefined when the signal came first
 */
export async function killInMidFlight(
  scene: { client: EscapementClient; temporal: Client; gate: ReplyGate; trigger: TriggerProcess },
  { scheduleId, spec }: ScheduleOptions,
  stop: AbortSignal,
): Promise<KilledInFlight | undefined> {
  const { client, temporal, gate, trigger } = scene;
  const handle = client.getHandle(scheduleId);
  while (!stop.aborted) {
    const after = new Date(Date.now() + 2 * AHEAD_MILLISECONDS);
    const [due] = nextOccurrences(spec, { after, count: 1, scheduleId });
    if (!due) return undefined;
    await pause(due.getTime() - AHEAD_MILLISECONDS - Date.now(), stop);
    if (stop.aborted) return undefined;
    gate.hold();
    try {
      const inFlight = await waitFor(() => findInFlight(handle, temporal, due), {
        milliseconds: AHEAD_MILLISECONDS + IN_FLIGHT_AT_MOST_MILLISECONDS,
        everyMilliseconds: LOOK_EVERY_MILLISECONDS,
      });
      if (!inFlight) continue;
      await trigger.kill();
      return inFlight;
    } finally {
      gate.release();
    }
  }
  return undefined;
}

/** The firing of this time, once it is claimed and its workflow has been started, though nobody has recorded that. */
async function findInFlight(
  handle: ReturnType<EscapementClient['getHandle']>,
  temporal: Client,
  due: Date,
): Promise<KilledInFlight | undefined> {
  for await (const firing of handle.firings({ from: due, to: new Date(due.getTime() + 1) })) {
    if (firing.state !== 'claimed' || !firing.workflowId) return undefined;
    const runId = await startedRun(temporal, firing.workflowId);
    return runId === undefined ? undefined : { firing, runId };
  }
  return undefined;
}

/** The run of a workflow, or undefined while Temporal knows none. */
export async function startedRun(temporal: Client, workflowId: string): Promise<string | undefined> {
  const described = await temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return described?.runId;
}
