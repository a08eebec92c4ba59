import type { Client } from '@temporalio/client';
import { expect, inject, vi } from 'vitest';
import { type TestLedger, uniqueName } from '../ledger';
import { runCli } from '../processes/child';
import type { TestWorker } from '../temporal';

/** The result of each nominal time of a schedule, only from Temporal's own list of runs. */
export async function runsOf(client: Client, scheduleId: string): Promise<Map<number, string[]>> {
  const runs = new Map<number, string[]>();
  for await (const run of client.workflow.list({ query: `WorkflowId STARTS_WITH '${scheduleId}-workflow-'` })) {
    const nominal = Date.parse(run.workflowId.slice(-20));
    const side = run.memo && 'escapement' in run.memo ? 'ours' : 'native';
    runs.set(nominal, [...(runs.get(nominal) ?? []), side]);
  }
  return new Map([...runs].sort(([one], [other]) => one - other));
}

/** {@link runsOf}, once no second is missing between the first and the last: visibility may list runs out of order. */
export async function wholeRunsOf(client: Client, scheduleId: string): Promise<Map<number, string[]>> {
  return vi.waitFor(async () => {
    const runs = await runsOf(client, scheduleId);
    const nominals = [...runs.keys()];
    expect(nominals).toEqual(nominals.map((_, index) => nominals[0]! + index * 1_000));
    return runs;
  }, 60_000);
}

/** Moves of a schedule that fires each second, between a real server and a ledger. */
export function useMoves(ledger: () => TestLedger, worker: () => TestWorker) {
  const environment = () => ({
    DATABASE_URL: ledger().databaseUrl,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: worker().namespace,
  });
  return {
    environment,
    async withTrigger<Result>(work: () => Promise<Result>): Promise<Result> {
      const trigger = runCli(['run'], environment());
      try {
        await trigger.line(/trigger running/);
        return await work();
      } finally {
        trigger.kill('SIGTERM');
        await trigger.ended();
      }
    },
    /** Create a native schedule. @returns its ID */
    async nativeSchedule(options: object = {}): Promise<string> {
      const { client, taskQueue } = worker();
      const scheduleId = uniqueName('moved');
      await client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: '1s' }] },
        action: { type: 'startWorkflow', workflowType: 'naps', taskQueue, args: [0] },
        policies: { overlap: 'ALLOW_ALL' },
        ...options,
      });
      return scheduleId;
    },
    /** Import a schedule. @returns a client of the ledger */
    async imported(scheduleId: string, shadow = false, undecoded = false) {
      const client = ledger().newClient({ now: undefined as never, namespace: worker().namespace });
      const { client: from } = worker();
      await vi.waitFor(async () => {
        const query = `ScheduleId = '${scheduleId}'`;
        const { schedules } = await client.importSchedules({ from, shadow, undecoded, query });
        expect(schedules.map((one) => [one.scheduleId, one.reason])).toEqual([[scheduleId, undefined]]);
      }, 60_000);
      return client;
    },
    /** Wait until Temporal lists at least this many runs that one side started. */
    async untilRan(scheduleId: string, side: 'ours' | 'native', atLeast: number): Promise<number> {
      return vi.waitFor(async () => {
        const sides = [...(await runsOf(worker().client, scheduleId)).values()].flat();
        const count = sides.filter((one) => one === side).length;
        expect(count).toBeGreaterThanOrEqual(atLeast);
        return count;
      }, 60_000);
    },
    /** Wait until every firing of the ledger is closed or skipped. */
    async untilNothingIsOpen(): Promise<void> {
      const open = () => ledger().query(`select 1 from escapement.firings where state not in ('closed', 'skipped')`);
      await expect.poll(open, { timeout: 60_000 }).toEqual([]);
    },
  };
}
