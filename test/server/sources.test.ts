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
