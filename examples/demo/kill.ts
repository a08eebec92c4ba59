import type { Client } from '@temporalio/client';
import { type EscapementClient, type Firing, nextOccurrences, type ScheduleOptions } from 'escapement';
import type { ReplyGate } from './reply-gate';
import type { TriggerProcess } from './trigger-process';
import { pause, waitFor } from './wait';

const AHEAD_MILLISECONDS = 400;
/** Less than the five seconds that a trigger waits for Temporal's reply. */
const IN_FLIGHT_AT_MOST_MILLISECONDS = 3_500;
const LOOK_EVERY_MILLISECONDS = 15;

/** A firing whose trigger was killed after its workflow was started, and before that was recorded. */
export interface KilledInFlight {
  firing: Firing;
  /** The run that Temporal had already started. */
  runId: string;
}

/**
 * Kill a trigger at the worst moment, reliably. Shortly before a firing is due, Temporal's replies to the trigger are
 * held back. The trigger claims the firing and calls start, and Temporal starts the workflow, but the reply never
 * arrives. Then the trigger gets SIGKILL. The ledger has a claim without a run, and only the next trigger can find out
 * what happened.
 *
 * @returns undefined if the signal came first
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

/** The firing of this time, once it is claimed and its workflow is started, while that is not recorded yet. */
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

/** The run of a workflow; undefined while Temporal does not know it. */
export async function startedRun(temporal: Client, workflowId: string): Promise<string | undefined> {
  const described = await temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return described?.runId;
}
