import { expect, it } from 'vitest';
import { useApi } from '../../support/api';

const api = useApi();

it('a change that waits in vain for a lock of another transaction is answered as one to try again', async () => {
  const { ask, ledger } = api();
  await ledger.client.calendars.put('holidays', { days: ['2026-12-24'] });
  const [{ id }] = (await ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, opened_at, last_seen_at, looked_at, count, text)
     values (gen_random_uuid(), 'no_trigger', 'all', '', now(), now(), now(), 1, '') returning alert_id as id`,
  )) as [{ id: string }];
  await ledger.query('begin; select from escapement.alerts for update; select from escapement.calendars for share');
  const acknowledge = { method: 'POST', url: `/v1/alerts/${id}/ack` } as const;
  const answers = await Promise.all([
    ask(acknowledge),
    ask({ method: 'PUT', url: '/v1/calendars/holidays', body: { days: ['2026-12-25'] } }),
    ask({ method: 'DELETE', url: '/v1/calendars/holidays' }),
  ]);
  await ledger.query('rollback');
  const tooSlow = expect.objectContaining({
    type: 'urn:escapement:problem:too-slow',
    detail: expect.stringContaining('another transaction holds a lock that it needs; try again'),
  });
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, body: tooSlow });
  }
  expect((await ask(acknowledge)).status).toBe(200);
});
