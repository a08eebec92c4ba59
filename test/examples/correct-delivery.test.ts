import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { DeliveryActivities } from '../../examples/jobs/activities';
import { useParking } from '../support/failures/parking';
import { uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

it('a parked step whose input a person has corrected by a signal is redriven with the corrected one', async () => {
  const [taskQueue, done] = [uniqueName('queue'), [] as string[]];
  const activities: DeliveryActivities = {
    pack: async (order) => void done.push(`pack ${order}`),
    bookCourier: async ({ order, address }) => {
      done.push(`book ${order} to ${address}`);
      if (!address.includes(',')) throw ApplicationFailure.create({ type: 'NoSuchAddress', message: `no ${address}` });
      return 'courier 7';
    },
  };
  const plugins = [parking.plugin({ park: ['bookCourier'] })];
  await parking.work({ taskQueue, activities: { ...activities }, plugins });
  const execution = await parking.fire('deliveryRun', taskQueue, [{ order: 'tea', address: 'Berlin' }]);
  const [letter] = await parking.letters(1);
  done.splice(0);

  await execution.signal('correctDelivery', { address: 'Torstr. 1, Berlin' });
  await ledger().client.deadLetters.redrive(letter!.letter_id, { note: 'the customer gave the street' });
  await (await ledger().trigger()).passes.redrive();
  expect(await execution.result()).toBe('courier 7');
  expect(done).toEqual(['book tea to Torstr. 1, Berlin']);
  await parking.replay(execution, plugins);
});
