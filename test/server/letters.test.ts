import { Client, Connection } from '@temporalio/client';
import { beforeEach, expect, it } from 'vitest';
import { useApi } from '../support/api';
import { fillDashboardLedger } from '../support/dashboard/dashboard-ledger';
import { MemoryLogger } from '../support/logger';

const api = useApi({}, '2026-03-05T06:40:00Z');
const get = async (path: string) => {
  const { status, body, text } = await api().ask({ url: `/v1/${path}` });
  expect(status, text).toBe(200);
  return body;
};

beforeEach(() => fillDashboardLedger(api().ledger, new Date(api().ledger.clock.now())));

it('letters are listed page by page, planned, redriven and discarded, and alerts acknowledged', async () => {
  const { ask } = api();
  const filter = { failureType: 'CardDeclined' };
  const post = async (path: string, body: object) => (await ask({ method: 'POST', url: `/v1/${path}`, body })).body;
  const { groups } = await get('dead-letters/groups');
  expect(groups[0]).toMatchObject({ failureType: 'CardDeclined', step: 'chargeCard', letters: 8 });
  const first = await get('dead-letters?state=open&failureType=CardDeclined&pageSize=5');
  const rest = await get(`dead-letters?state=open&failureType=CardDeclined&pageSize=5&cursor=${first.nextCursor}`);
  const ids = [...first.letters, ...rest.letters].map(({ letterId }: { letterId: string }) => letterId);
  expect({ ids: new Set(ids).size, after: rest.nextCursor }).toEqual({ ids: 8, after: undefined });
  const plan = await post('dead-letters/redrive-plan', { filter, mode: 'restart', atMost: 3 });
  expect(plan).toMatchObject({ total: 8, redriven: 3, planned: [{ mode: 'restart' }, {}, {}] });
  const settled = await post('dead-letters/redrive-plan', { filter: { state: 'resolved' } });
  expect(settled).toEqual({ total: 0, redriven: 0, refused: {}, planned: [] });
  expect(await post(`dead-letters/${ids[0]}/redrive`, { mode: 'restart', dryRun: true })).toMatchObject({
    letter: { letterId: ids[0], state: 'open' },
    mode: 'restart',
  });
  expect(await get('dead-letters?state=redriving')).toMatchObject({ letters: [] });
  await post(`dead-letters/${ids[0]}/redrive`, { mode: 'restart', note: 'one first' });
  expect(await get(`dead-letters/${ids[0]}`)).toMatchObject({ state: 'redriving', actor: 'api', note: 'one first' });
  expect(await post('dead-letters/redrive', { filter, mode: 'restart' })).toMatchObject({ total: 7, redriven: 7 });
  const timeouts = { failureType: 'Timeout' };
  expect(await post('dead-letters/discard', { filter: timeouts, note: 'old' })).toMatchObject({ refused: {} });
  expect((await get('dead-letters/groups')).groups).toEqual([]);
  expect(await post('dead-letters/redrive', { filter: {} })).toMatchObject({ status: 400 });
  const { alerts } = await get('alerts');
  await post(`alerts/${alerts[0].alertId}/ack`, {});
  expect((await get('alerts')).alerts).toMatchObject([{ acknowledgedBy: 'api' }]);
});

it('letters without a step are listed and discarded by an empty step, as their group is', async () => {
  await api().ledger.query(
    `update escapement.letters set failed_step = failed_step - 'activityType', workflow_type = null
      where letter_id in (select letter_id from escapement.letters where state = 'open' and workflow_type = 'chargeCards' limit 2)`,
  );
  const { groups } = await get('dead-letters/groups?failureType=CardDeclined');
  expect(groups).toMatchObject([
    { step: 'chargeCard', letters: 6 },
    { step: null, workflowType: null, letters: 2 },
  ]);
  expect((await get('dead-letters?failureType=CardDeclined&step=&workflowType=')).letters).toHaveLength(2);
  const body = { filter: { failureType: 'CardDeclined', step: '' }, note: 'ours' };
  const discarded = await api().ask({ method: 'POST', url: '/v1/dead-letters/discard', body });
  expect(discarded.body).toMatchObject({ total: 2, discarded: 2 });
  expect((await get('dead-letters/groups?failureType=CardDeclined')).groups).toMatchObject([{ letters: 6 }]);
});

it('letters are counted by cause and day', async () => {
  const { counts } = await get('dead-letters/over-time?days=14');
  const cards = counts.filter((one: { failureType: string }) => one.failureType === 'CardDeclined');
  expect(cards.reduce((sum: number, one: { letters: number }) => sum + one.letters, 0)).toBe(8);
});

it('the preview of a resume says that Temporal does not answer, which is no failure of the server', async () => {
  const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [], connectTimeout: '1 second' });
  api().ledger.beforeClose(() => connection.close());
  const logger = new MemoryLogger();
  const of = api().open({ temporal: new Client({ connection }), logger });
  const [{ letterId }] = (await get('dead-letters?state=open&kind=workflow&pageSize=1')).letters;
  const redrive = (body: object) =>
    api().ask({ of, method: 'POST', url: `/v1/dead-letters/${letterId}/redrive`, body: { mode: 'resume', ...body } });
  const { body, headers } = await redrive({ dryRun: true });
  expect(body).toMatchObject({ status: 503, detail: expect.stringContaining('UNAVAILABLE') });
  expect(body.type).toMatch(/temporal-unreachable$/);
  expect(headers).toHaveProperty('retry-after');
  expect(logger.messages()).toEqual([]);
  expect(await redrive({})).toMatchObject({ status: 200, body: { letter: { state: 'redriving' } } });
});
