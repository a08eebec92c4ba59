import { expect, it } from 'vitest';
import { EscapementClient, ExternalIdTakenError, ScheduleLockedError } from '../../index';
import { poolOf } from '../support/connections/pool';
import { someSchedule } from '../support/ledger';
import { useTransactions } from './begun';

const { ledger, begun } = useTransactions();

/** A client, and a transaction on the only connection of its pool. */
async function onTheOnlyConnection() {
  const pool = poolOf({ connectionString: ledger().databaseUrl, max: 1 });
  ledger().beforeClose(() => pool.end());
  const transaction = await pool.connect();
  ledger().beforeClose(async () => transaction.release());
  await transaction.query('begin');
  return { client: new EscapementClient({ pool }), transaction };
}

it('a transaction learns that a schedule is locked also on the only connection that the pool has', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await (await begun()).query('select from escapement.timers for update');
  const { client, transaction } = await onTheOnlyConnection();
  await expect(client.getHandle(scheduleId).pause(undefined, { transaction })).rejects.toThrow(ScheduleLockedError);
});

it('a transaction learns that an external ID was taken meanwhile also on the only connection that the pool has', async () => {
  const other = await begun();
  await ledger().client.create(someSchedule({ externalId: 'order' }), { transaction: other });
  const { client, transaction } = await onTheOnlyConnection();
  const options = someSchedule({ externalId: 'order' });
  const creating = expect(client.create(options, { transaction })).rejects.toThrow(ExternalIdTakenError);
  await expect.poll(() => ledger().query('select from pg_locks where not granted')).not.toEqual([]);
  await other.query('commit');
  await creating;
});
