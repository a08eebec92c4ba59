import type { Connection } from '@temporalio/client';
import type { Bench } from '../../lib/bench';
import { secondsAhead } from '../../lib/calendar';
import { allCompleted, countWorkflows, firstTaskTimes } from '../../lib/histories';
import { at } from '../../lib/wait';

export interface StampedeSize {
  /** Schedules due at one instant. */
  count: number;
  rounds: number;
  /** Schedules of the stampede that warms each contender up. */
  warmUp: number;
  /** Seconds that are planned between the last preparation and the instant. */
  quietSeconds: number;
  /** Whether native schedules fire once before the instant. */
  rehearse: boolean;
  sweep: { count: number; inFlight: readonly number[] };
}

/** Something that starts as many workflows at one instant as the size says. */
export interface Contender {
  series: string;
  /** The lag of each workflow in a stampede, after a small one that does not count: milliseconds. */
  stampede(): Promise<number[]>;
}

/** What is prepared for an instant. */
export interface Prepared {
  namespace: string;
  /** With which all their IDs begin. */
  prefix: string;
  /** Of the firings at the instant. */
  workflowIds: string[];
  /** Workflows of the prefix that have completed before. */
  rehearsed?: number;
  /** Whether something that comes before the instant was missed. */
  late?: boolean;
}

const TRIES = 4;

/**
 * Prepare for an instant, and measure what becomes of it. The instant is set before it is known how long preparing takes;
 * when that was too long, it is tried again with twice the time. `undo` is called after each try.
 *
 * @throws {Error} when there are not exactly as many workflows as were prepared
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
