import { expect, it } from 'vitest';
import { exportSchedules } from '../../moving/export/export';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

it.each(['', ' '])('an empty query, such as that of an unset variable, moves nothing: %j', async (query) => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  const refused = { name: 'InvalidOptionError', path: 'query' };
  await expect(client.cutOver({ from, query })).rejects.toMatchObject(refused);
  await expect(client.rollBack({ from, query })).rejects.toMatchObject(refused);
  await expect(client.importSchedules({ from, query })).rejects.toMatchObject(refused);
  const exports = exportSchedules({ ledger: { connectionString: ledger().databaseUrl }, to: from, query });
  await expect(exports.next()).rejects.toMatchObject(refused);
  const native = from.schedule.getHandle(scheduleId);
  expect((await native.describe()).state.paused).toBe(false);
  await native.delete();
});
