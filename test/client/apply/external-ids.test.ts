import { expect, it } from 'vitest';
import { hourly, useBilling } from './billing';

const { ledger, apply, live } = useBilling();

const declared = (ids: Record<string, string | undefined>) =>
  Object.entries(ids).map(([scheduleId, externalId]) => hourly(scheduleId, { externalId }));

async function stored(): Promise<Record<string, string | undefined>> {
  const found: Record<string, string | undefined> = {};
  for await (const { scheduleId, externalId } of ledger().client.list()) found[scheduleId] = externalId;
  return found;
}

it('a schedule gets the external ID of one that the same apply deletes', async () => {
  await apply(declared({ a: 'x' }));
  const result = await apply(declared({ b: 'x' }), { revision: 2, prune: true });
  expect(result).toMatchObject({ created: ['b'], pruned: ['a'] });
  expect(await stored()).toEqual({ b: 'x' });
});

it('schedules of one list exchange their external IDs, and hand them to new ones', async () => {
  await apply(declared({ a: 'x', b: 'y', c: 'z' }));
  const next = { a: 'y', b: 'x', c: undefined, d: 'z' };
  const result = await apply(declared(next), { revision: 2 });
  const changed = ['externalId'];
  expect(result).toMatchObject({
    created: ['d'],
    updated: ['a', 'b', 'c'].map((scheduleId) => ({ scheduleId, changed })),
  });
  expect(await stored()).toEqual(next);
});

it('a schedule that the list leaves out keeps its external ID without prune, and so does one of another source', async () => {
  await apply(declared({ a: 'x' }));
  await apply(declared({ other: 'y' }), { source: 'crm' });
  await expect(apply(declared({ b: 'x' }), { revision: 2 })).rejects.toThrow("already belongs to schedule 'a'");
  const taking = apply(declared({ a: undefined, b: 'y' }), { revision: 2, prune: true });
  await expect(taking).rejects.toThrow("already belongs to schedule 'other'");
  expect(await stored()).toEqual({ a: 'x', other: 'y' });
});

it('a schedule that another apply took over meanwhile keeps its external ID', async () => {
  await apply(declared({ a: 'x' }));
  const taking = apply(declared({ b: 'x' }), {
    revision: 2,
    prune: true,
    progress: async ({ written }) => {
      if (written === 0) await apply(declared({ a: 'x' }), { source: 'crm', takeOver: true });
    },
  });
  await expect(taking).rejects.toMatchObject({ name: 'ExternalIdTakenError', takenBy: 'a' });
  expect(await live()).toEqual(['a']);
  expect(await stored()).toEqual({ a: 'x' });
});
