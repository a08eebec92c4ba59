import { expect, it } from 'vitest';
import { useApi } from '../support/api';

const api = useApi();

it('a server is not ready before it has read the schedules, and alive meanwhile', async () => {
  const { ask } = api();
  expect((await ask({ url: '/healthz' })).status).toBe(200);
  const begun = await ask({ url: '/readyz' });
  expect([begun.status, begun.body]).toEqual([
    503,
    { status: 'not ready', reasons: ['The schedules are being read.'] },
  ]);
  await expect.poll(async () => (await ask({ url: '/readyz' })).status).toBe(200);
});
