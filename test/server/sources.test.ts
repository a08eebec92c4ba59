import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const api = useApi();

it('lists every schedule that an apply would prune, of which the text shows ten', async () => {
  const { ask } = api();
  const all = Array.from({ length: 16 }, (_, index) => `s${String.fromCharCode(97 + index)}`);
  const apply = (names: string[], revision: number) =>
    ask({
      method: 'PUT',
      url: '/v1/sources/billing',
      body: { revision, prune: true, schedules: names.map((scheduleId) => someSchedule({ scheduleId })) },
    });
  expect(await apply(all, 1)).toMatchObject({ status: 200 });
  const refused = await apply(all.slice(15), 2);
  expect(refused).toMatchObject({ status: 409, body: { type: 'urn:escapement:problem:prune-refused' } });
  expect(refused.body.detail).toContain("5 more, in 'scheduleIds'");
  expect(refused.body.scheduleIds).toEqual(all.slice(0, 15));
});

it('refuses a source in the body by its name, since it could name another one than the path', async () => {
  const { ask } = api();
  const apply = (source: string, body: object) =>
    ask({ method: 'PUT', url: `/v1/sources/${source}`, body: { schedules: [someSchedule()], ...body } });
  expect(await apply('billing', { revision: 1 })).toMatchObject({ status: 200 });
  for (const source of ['billing', 'staging', null]) {
    expect(await apply('staging', { source, revision: 2, schedules: [], prune: true, pruneAtMost: 9 })).toMatchObject({
      status: 400,
      body: { detail: 'source: is not a field here; the path names the source' },
    });
  }
  expect((await ask({ url: '/v1/sources' })).body.sources).toMatchObject([{ source: 'billing', revision: 1 }]);
});
