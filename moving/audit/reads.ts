import { optionalTsToDate } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import { type NativeReads, startedBy } from '../native/reads';
import type { StartedTime } from './classes';

/** The search attribute with the nominal time of a workflow that a schedule has started. */
const STARTED_FOR = 'TemporalScheduledStartTime';

export class AuditReads {
  constructor(readonly native: NativeReads) {}

  /**
   * The workflows that a schedule started for the nominal times in `[from, to]`. Several runs of one time count as one.
   * Workflows that Escapement started count too: otherwise each time between a cut-over and its roll back would count
   * as missed.
   */
  startedFor(scheduleId: string, from: number, to: number): Promise<StartedTime[]> {
    return this.#started(`${startedBy(scheduleId)} AND ${STARTED_FOR} BETWEEN '${iso(from)}' AND '${iso(to)}'`);
  }

  /** Workflows of nominal times before `time` that had not ended by then. */
  heldAt(scheduleId: string, time: number): Promise<StartedTime[]> {
    const open = `(CloseTime >= '${iso(time)}' OR CloseTime IS NULL)`;
    return this.#started(`${startedBy(scheduleId)} AND ${STARTED_FOR} < '${iso(time)}' AND ${open}`);
  }

  async #started(query: string): Promise<StartedTime[]> {
    const found = new Map<number, StartedTime>();
    for await (const info of this.native.executions(query)) {
      const run = runOf(info);
      if (run) found.set(run.nominal, together(found.get(run.nominal), run));
    }
    return [...found.values()];
  }
}

function runOf(info: temporal.api.workflow.v1.IWorkflowExecutionInfo): StartedTime | undefined {
  const data = info.searchAttributes?.indexedFields?.[STARTED_FOR]?.data;
  const nominal = data ? Date.parse(JSON.parse(Buffer.from(data).toString())) : Number.NaN;
  if (Number.isNaN(nominal)) return undefined;
  return {
    nominal,
    workflowId: info.execution?.workflowId ?? '',
    start: optionalTsToDate(info.startTime)?.getTime() ?? nominal,
    end: optionalTsToDate(info.closeTime)?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/** Merges two runs of one time: retries and continue-as-new keep the attributes of the first run. */
function together(one: StartedTime | undefined, other: StartedTime): StartedTime {
  if (!one) return other;
  const first = one.start <= other.start ? one : other;
  return { ...first, end: Math.max(one.end, other.end) };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
