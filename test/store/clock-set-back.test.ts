import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { addTargets, takeMessage, writeMessages } from '../../store/alerts/outbox';
import { takeTurn } from '../../store/alerts/turn';
import { readOperation, takeOperation } from '../../store/bulk/operations';
import { openStore } from '../../store/connection';
import { postponeLateList, takeEndCursors, takeLateList } from '../../store/firings/ends';
import { transact } from '../../store/transaction';
import { useLedger } from '../support/ledger';

const ledger = useLedger();
const NOW = new Date('2026-03-01T01:00:00Z');
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
const A_DAY = 24 * 60;

function open() {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  return store;
}

it.each([
  ['a bulk operation is continued', A_DAY, true],
  ['a bulk operation stays with the server that has its lease', 0.4, false],
])('after the clock of Postgres was set back: %s', async (_, leasedFor, isTaken) => {
  await ledger().query(
    `insert into escapement.bulk_operations (operation_id, kind, actor, filter, change, total, created_at, leased_by, leased_until)
     select gen_random_uuid(), 'trigger', 'ops', '{}', '{}', 1, now(), gen_random_uuid(), now() + $1 * interval '1 minute'`,
    [leasedFor],
  );
  expect((await takeOperation(open(), randomUUID())) !== undefined).toBe(isTaken);
});

it('after the clock of Postgres was set back, dead leases of ten operations keep no other of their tenant waiting', async () => {
  const server = randomUUID();
  const waiting = randomUUID();
  await ledger().query(
    `insert into escapement.bulk_operations (operation_id, kind, actor, filter, change, total, created_at, leased_by, leased_until)
     select case n when 0 then $1 else gen_random_uuid() end, 'trigger', 'ops', '{}', '{}', 1, now() + n * interval '1 ms', $2,
       case when n > 0 then now() + interval '1 day' end from generate_series(0, 10) n`,
    [waiting, server],
  );
  const store = open();
  expect(await readOperation(store, waiting, undefined)).toMatchObject({ waitsFor: 'process' });
  expect(await takeOperation(store, server)).toMatchObject({ operationId: waiting });
});

it.each([
  ['an alert message is sent', A_DAY, NOW, true],
  ['an alert message waits for its next attempt', 59, NOW, false],
  ['an alert message to a webhook that works is sent', 59, null, true],
])('after the clock of Postgres was set back: %s', async (_, pause, failingSince, isTaken) => {
  const store = open();
  await addTargets(store, ['ops'], NOW);
  await writeMessages(store, [{ messageId: randomUUID(), alertId: randomUUID(), body: '{}' }], NOW);
  const change = 'update escapement.alert_targets set next_attempt_at = $1, failing_since = $2';
  await ledger().query(change, [minutes(pause), failingSince]);
  const turn = { now: NOW, leaseUntil: minutes(1), longestPause: 120_000, longestFailingPause: 3_660_000 };
  const message = await takeMessage(store, 'ops', turn);
  expect(message !== undefined).toBe(isTaken);
});

it.each([
  ['ended runs are listed', A_DAY, 1],
  ['ended runs are left to the trigger that has just listed them', 0, 0],
])('after the clock of Postgres was set back: %s', async (_, ahead, count) => {
  const store = open();
  const takeAt = (now: Date) => {
    const until = new Date(now.getTime() + 2 * A_DAY * 60_000);
    return takeEndCursors(store, {
      now,
      everyMilliseconds: 1_000,
      firstLateListAt: now,
      open: [{ namespace: 'default', until }],
      without: [],
    });
  };
  expect(await takeAt(minutes(ahead - 1))).toHaveLength(0);
  expect(await takeAt(minutes(ahead))).toHaveLength(1);
  expect(await takeAt(NOW)).toHaveLength(count);
});

it('after the clock of Postgres was set back, late ends are listed at once, and not at a time to come', async () => {
  const store = open();
  const isDueAt = async (now: Date, firstLateListAt: Date) => {
    const open = [{ namespace: 'default', until: new Date(now.getTime() + 2 * A_DAY * 60_000) }];
    const cursors = await takeEndCursors(store, { now, everyMilliseconds: 1_000, open, firstLateListAt, without: [] });
    return cursors.map(({ isLateListDue }) => isLateListDue);
  };
  expect(await isDueAt(minutes(A_DAY), minutes(A_DAY + 5))).toEqual([]);
  expect(await isDueAt(minutes(A_DAY + 1), NOW)).toEqual([false]);
  expect(await isDueAt(NOW, NOW)).toEqual([true]);
  expect(await takeLateList(store, 'default', { now: NOW, nextDueAt: minutes(5) })).toBe(true);
  expect(await takeLateList(store, 'default', { now: NOW, nextDueAt: minutes(5) })).toBe(false);
  expect(await isDueAt(minutes(1), NOW)).toEqual([false]);
});

it('the end of a list of late ends leaves the time alone that another trigger has written since', async () => {
  const store = open();
  await ledger().query(`insert into escapement.meta (key, value) values ('ends:default', '{}')`);
  const take = (now: Date, nextDueAt: Date) => takeLateList(store, 'default', { now, nextDueAt });
  expect(await take(NOW, minutes(5))).toBe(true);
  expect(await take(minutes(5), minutes(10))).toBe(true);
  await postponeLateList(store, 'default', { from: minutes(5), to: minutes(6) });
  expect(await take(minutes(6), minutes(11))).toBe(false);
  await postponeLateList(store, 'default', { from: minutes(10), to: minutes(6) });
  expect(await take(minutes(6), minutes(11))).toBe(true);
});

it('after the clock of Postgres was set back, an alert pass reads from now, and not from the time to come', async () => {
  const store = open();
  await ledger().query(
    `insert into escapement.meta (key, value) values ('alerts', jsonb_build_object('readTo', $1::timestamptz))
    on conflict (key) do update set value = excluded.value`,
    [minutes(A_DAY)],
  );
  const turn = await transact(store, (transaction) => takeTurn(transaction, NOW));
  expect(turn?.readTo).toEqual(NOW);
});
