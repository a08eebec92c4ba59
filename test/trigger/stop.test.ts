import { expect, it } from 'vitest';
import type { TemporalCaller } from '../../temporal/caller';
import { listRuns } from '../../temporal/lists';

it('a clean stop waits for one page of a long list, not for all', async () => {
  const stop = new AbortController();
  let pages = 0;
  const caller = {
    call: (request: () => Promise<unknown>) => request(),
    service: {
      listWorkflowExecutions: async () => {
        pages += 1;
        stop.abort();
        return { executions: [], nextPageToken: Buffer.from('more') };
      },
    },
  } as unknown as TemporalCaller;
  expect(await listRuns(caller, 'default', new Date(0), stop.signal)).toEqual([]);
  expect(pages).toBe(1);
});
