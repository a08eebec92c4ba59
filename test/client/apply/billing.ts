import type { ApplyOptions, ScheduleOptions } from '../../../index';
import { someSchedule, type TestLedger, useLedger } from '../../support/ledger';

export const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: ['emea'] } as const;

export const hourly = (scheduleId: string, options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ scheduleId, action: { ...action, args: ['emea'] }, ...options });

export const list = (...ids: string[]) => ids.map((id) => hourly(id));

export const many = (count: number, spec = { cron: '0 * * * *' }) =>
  Array.from({ length: count }, (_, index) => hourly(`s${String(index).padStart(5, '0')}`, { spec }));

/** A ledger, and what the source `billing` applies to it. */
export function useBilling() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  function apply(schedules: ScheduleOptions[], options: Partial<ApplyOptions> = {}, client = ledger().client) {
    return client.apply(schedules, { source: 'billing', revision: 1, ...options });
  }

  /** All rows of the ledger, to see whether anything was written. `xmin` changes with each write of a row. */
  async function everything(): Promise<unknown> {
    const tables = ['schedules', 'schedule_versions', 'timers', 'firings', 'gaps', 'meta'];
    const rows: unknown[] = [];
    for (const table of tables)
      rows.push(await ledger().query(`select xmin::text, * from escapement.${table} order by 3, 2`));
    return rows;
  }

  const live = async (of: TestLedger = ledger()) => {
    const found: string[] = [];
    for await (const { scheduleId } of of.client.list()) found.push(scheduleId);
    return found;
  };

  const versions = async (id: string) => {
    const found: { version: number; actor: string | undefined }[] = [];
    for await (const { version, actor } of ledger().client.getHandle(id).versions()) found.push({ version, actor });
    return found;
  };

  return { ledger, apply, everything, live, versions };
}
