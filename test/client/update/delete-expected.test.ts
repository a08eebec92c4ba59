import { expect, it } from 'vitest';
import { ScheduleConflictError, ScheduleNotFoundError } from '../../../client/errors';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a delete shows its check the schedule again if others have changed it meanwhile', async () => {
  const handle = await ledger().client.create(someSchedule());
  const seen: number[] = [];
  await handle.delete({
    expected: async ({ info }) => {
      seen.push(info.version);
      if (seen.length > 1) return;
      await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }));
    },
  });
  expect(seen).toEqual([1, 2]);
  await expect(handle.describe()).rejects.toThrow(ScheduleNotFoundError);
});

it('a delete gives up a schedule that others change at each attempt, and one that its check refuses', async () => {
  const handle = await ledger().client.create(someSchedule());
  let minute = 0;
  const changed = handle.delete({
    expected: async () => {
      minute += 1;
      await handle.update((previous) => ({ ...previous, spec: { cron: `${minute} * * * *` } }));
    },
  });
  await expect(changed).rejects.toThrow(ScheduleConflictError);
  const refused = handle.delete({
    expected: () => {
      throw new Error('not this one');
    },
  });
  await expect(refused).rejects.toThrow('not this one');
  expect((await handle.describe()).info.version).toBe(6);
});
