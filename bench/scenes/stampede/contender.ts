import type { Connection } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { secondsAhead } from '../../lib/calendar';
import { allCompleted, countWorkflows, firstTaskTimes } from '../../lib/measure/histories';
import { at } from '../../lib/wait';

export interface StampedeSize {
  /** The number of schedules that are due at one instant. */
  count: number;
  rounds: number;
  /** The number of schedules in the warm-up of each contender. */
  warmUp: number;
  /** Planned seconds between the end of the preparation and the instant. */
  quietSeconds: number;
  /** Whether Temporal's schedules fire once before the instant. */
  rehearse: boolean;
  sweep: { count: number; inFlight: readonly number[] };
}

/** A contender: it starts a number of workflows at one instant. */
export interface Contender {
  series: string;
  /** Measures the lag of each workflow in a burst, in milliseconds, after a warm-up burst. */
  stampede(): Promise<number[]>;
}

/** What was prepared for an instant. */
export interface Prepared {
  namespace: string;
  /** The prefix of all IDs that were prepared. */
  prefix: string;
  /** The IDs of the workflows that start at the instant. */
  workflowIds: string[];
  /** The number of workflows with the prefix that completed in the rehearsal. */
  rehearsed?: number;
  /** Whether a step that had to happen before the instant came too late. */
  late?: boolean;
}

const TRIES = 4;

/**
 * Prepares for an instant, and measures the lags. The instant is chosen before the duration of the preparation is
 * known. If the preparation took too long, it is repeated with twice the time. `undo` is called after each try.
 *
 * @throws {Error} if the number of workflows differs from the prepared number
 */
export async function lagsAt(
  { connection, progress }: Bench,
  leadSeconds: number,
  prepare: (instant: number, leadSeconds: number) => Promise<Prepared>,
  undo: (prepared: Prepared) => Promise<void> = async () => {},
): Promise<number[]> {
  for (let attempt = 1; ; attempt++) {
    const instant = secondsAhead(leadSeconds);
    const prepared = await prepare(instant, leadSeconds);
    try {
      const isInTime = !prepared.late && Date.now() < instant - 1_000;
      if (isInTime) return await lagsOf(connection, prepared, instant);
    } finally {
      await undo(prepared);
    }
    if (attempt === TRIES) throw new Error(`preparing took longer than ${leadSeconds} s, ${TRIES} times`);
    progress(`preparing took longer than ${leadSeconds} s; once more with twice that`);
    leadSeconds *= 2;
  }
}

async function lagsOf(connection: Connection, prepared: Prepared, instant: number): Promise<number[]> {
  const { namespace, prefix, workflowIds, rehearsed = 0 } = prepared;
  const count = rehearsed + workflowIds.length;
  await at(instant);
  await allCompleted(connection, { namespace, prefix, count });
  const found = await countWorkflows(connection, namespace, `WorkflowId STARTS_WITH '${prefix}'`);
  if (found !== count) throw new Error(`${found} workflows instead of ${count}`);
  const times = await firstTaskTimes(connection, namespace, workflowIds);
  return times.map((time) => time - instant);
}
