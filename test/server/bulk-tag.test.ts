import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { bulkOf } from '../support/bulk';

const { serving, schedules } = bulkOf(useApi());

it('tags what matches and takes that back, name by name', async () => {
  await schedules(2, { owner: 'ops', searchAttributes: { Team: ['billing'], Tier: ['1'] } });
  const { ask, done } = serving();
  const filter = { owner: 'ops' };
  const { body } = await ask('/v1/bulk/tag', {
    filter,
    owner: 'night',
    searchAttributes: { Team: ['ops'], Tier: null, Region: ['eu'] },
  });
  expect(await done(body.operationId)).toMatchObject({ changed: 2, failed: 0 });
  const described = async () => (await ask('/v1/schedules/s-00')).body;
  expect(await described()).toMatchObject({ owner: 'night', searchAttributes: { Team: ['ops'], Region: ['eu'] } });
  expect((await described()).searchAttributes).not.toHaveProperty('Tier');
  const undo = await ask(`/v1/operations/${body.operationId}/undo`, {});
  await done(undo.body.operationId);
  expect(await described()).toMatchObject({ owner: 'ops', searchAttributes: { Team: ['billing'], Tier: ['1'] } });
  expect(await ask('/v1/bulk/tag', { filter })).toMatchObject({ status: 400, body: { errors: [{ path: 'owner' }] } });
});
