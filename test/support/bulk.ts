import { expect } from 'vitest';
import type { useApi } from './api';
import { someSchedule } from './ledger';

type Api = ReturnType<typeof useApi>;

/** Servers that carry out bulk operations, and schedules for these. */
export function bulkOf(api: Api) {
  /** A server whose background work the test can await. */
  function serving(options: Parameters<ReturnType<Api>['open']>[0] = {}) {
    const of = api().open(options);
    const ask = (url: string, body?: unknown, headers: Record<string, string> = {}) =>
      api().ask({ of, url, headers, ...(body === undefined ? {} : { method: 'POST' as const, body }) });
    // Each server looks for work every two seconds: another one's may have been there first.
    const done = async (operationId: string, headers?: Record<string, string>) => {
      const read = async () => (await ask(`/v1/operations/${operationId}`, undefined, headers)).body;
      await expect.poll(async () => (await read()).state).not.toBe('running');
      return read();
    };
    return { of, ask, done };
  }

  async function schedules(count: number, more: object = {}): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, at) => `s-${String(at).padStart(2, '0')}`);
    for (const scheduleId of ids) await api().ledger.client.create(someSchedule({ scheduleId, ...more }));
    return ids;
  }

  return { serving, schedules };
}
