import { workflowIdAt } from '../../lib/calendar';
import type { Run } from '../../lib/schedulers/runs-when-quiet';
import { inParallel } from '../../lib/wait';

/** What became of one occurrence, according to Temporal's data alone. Times are milliseconds since 1970. */
export interface Outcome {
  /** The nominal time. */
  time: number;
  runs: number;
  /** When a worker could take the first workflow task of the occurrence. Undefined if the occurrence never ran. */
  startedAt: number | undefined;
  /** When the last run of the occurrence ended. Undefined if no run has ended. */
  endedAt: number | undefined;
}

const READS_IN_FLIGHT = 16;

/**
 * Reads from the history of each occurrence's workflow whether the occurrence ran, and when. So an occurrence whose
 * workflow is missing from Temporal's list does not count as missed. The list only shows whether an occurrence ran
 * twice.
 *
 * @param startedAt reads when the workflow with an ID started; undefined if there is none
 */
export async function outcomesOf(
  { scheduleIds, instants }: { scheduleIds: readonly string[]; instants: readonly number[] },
  runs: readonly Run[],
  startedAt: (workflowId: string) => Promise<number | undefined>,
): Promise<Outcome[]> {
  const listed = new Map<string, Run[]>();
  for (const run of runs) listed.set(run.workflowId, [...(listed.get(run.workflowId) ?? []), run]);
  const occurrences = scheduleIds.flatMap((id) => instants.map((time) => ({ id: workflowIdAt(id, time), time })));
  const outcomes = new Array<Outcome>(occurrences.length);
  await inParallel(occurrences.length, READS_IN_FLIGHT, async (index) => {
    const { id, time } = occurrences[index]!;
    const started = await startedAt(id);
    const own = listed.get(id) ?? [];
    const ends = own.flatMap(({ closedAt }) => closedAt ?? []);
    outcomes[index] = {
      ...{ time, startedAt: started, runs: Math.max(own.length, started === undefined ? 0 : 1) },
      endedAt: ends.length > 0 ? Math.max(...ends) : undefined,
    };
  });
  return outcomes;
}
