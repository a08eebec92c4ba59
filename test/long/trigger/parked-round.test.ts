import { describe, expect, inject, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { recordAdoption } from '../../../store/incarnation';
import type { ParkedRound } from '../../../store/letters/parked-round';
import { useLostLetters } from '../../support/failures/lost-letters';
import { useParking } from '../../support/failures/parking';
import { holding, refusing } from '../../support/failures/refusing';
import { useLedger } from '../../support/ledger';

// Long before Temporal’s own clock, so that all of the namespace’s runs are from after it.
const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger, { ownNamespace: true });
const { parkedOrder, failOver, readLetters } = useLostLetters(ledger, parking);

async function readRound(): Promise<ParkedRound> {
  return (await ledger().query(`select value from escapement.meta where key = 'parked_round'`))[0]!.value;
}

describe('after a failover that lost the letter of a parked step', () => {
  it('it comes back though Temporal did not take the question at first', async () => {
    await parkedOrder();
    let isRefused = true;
    const UNAVAILABLE = 14;
    const connection = refusing(
      inject('temporalAddress'),
      UNAVAILABLE,
      (method) => isRefused && method === 'SignalWorkflowExecution',
    );
    const { aMinuteLater } = await failOver('delete from escapement.dead_letters', { connection });
    await aMinuteLater();
    expect(await readLetters()).toEqual([]);
    isRefused = false;
    await aMinuteLater();
    await parking.letters(1);
  });

  it('they are asked again only once Temporal has listed its runs again, so that each has a row', async () => {
    await parkedOrder();
    let isAway = false;
    const UNAVAILABLE = 14;
    const connection = refusing(
      inject('temporalAddress'),
      UNAVAILABLE,
      (method) => isAway && method === 'ListWorkflowExecutions',
    );
    const { passes } = (await failOver('delete from escapement.dead_letters', { connection })).trigger;
    await parking.letters(1);
    // As if Temporal’s list had lacked it at first.
    await ledger().query('delete from escapement.dead_letters; delete from escapement.firings');
    isAway = true;
    ledger().clock.advance(60_000);
    await passes.heartbeat();
    expect(await passes.adopt()).toMatchObject({ complete: false });
    isAway = false;
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
    while (!(await passes.adopt()).complete) ledger().clock.advance(2_000);
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    await parking.letters(1);
  });

  it('they are asked anew if the same copy is restored once more', async () => {
    await parkedOrder();
    await failOver('delete from escapement.dead_letters');
    await parking.letters(1);
    const { incarnation, since } = await readRound();
    await failOver(`delete from escapement.dead_letters;
      update escapement.meta set value = 'null' where key = 'parked_round';
      update escapement.meta set value = '"${since}"' where key = 'adopted_at'`);
    expect(await readRound()).toMatchObject({ incarnation, since });
    await parking.letters(1);
  });

  it('a trigger that adopts the same failover later does not begin to ask anew', async () => {
    await parkedOrder();
    await failOver('delete from escapement.dead_letters');
    const round = await readRound();
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    const now = new Date(ledger().clock.now() + 30_000);
    const lost = { since: new Date(round.since), againAt: new Date(now.getTime() + 60_000) };
    expect(await recordAdoption(store, { incarnation: round.incarnation, now, lost })).toBe(true);
    expect(await readRound()).toEqual(round);
  });

  it('with all schedules deleted, no heartbeat meanwhile takes it for another failover', async () => {
    await parkedOrder();
    const held: (() => void)[] = [];
    const connection = holding(inject('temporalAddress'), 'SignalWorkflowExecution', held);
    const { passes } = await ledger().trigger({ connection });
    for await (const { scheduleId } of ledger().client.list()) await ledger().client.getHandle(scheduleId).delete();
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await passes.heartbeat();
    const round = passes.adopt().then(() => passes.askParked());
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    await passes.heartbeat();
    await passes.heartbeat();
    held[0]!();
    await round;
    expect(ledger().log.lines.filter(({ message }) => message.includes('a failover?'))).toHaveLength(1);
  });

  it('another failover while runs are asked is adopted first, and asked for by itself', async () => {
    await parkedOrder();
    const held: (() => void)[] = [];
    const connection = holding(inject('temporalAddress'), 'SignalWorkflowExecution', held);
    const { passes } = await ledger().trigger({ connection });
    const becomesAnother = (name: string) =>
      ledger().query(
        `create or replace function escapement.incarnation() returns jsonb language sql stable as $$ select '"${name}"'::jsonb $$;
         select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
    ledger().clock.advance(1_000);
    // The first call finds its connection closed.
    const beats = () =>
      expect
        .poll(() =>
          passes.heartbeat().then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    const meta = async (key: string) =>
      (await ledger().query(`select value from escapement.meta where key = '${key}'`))[0]!.value;
    await becomesAnother('second');
    await beats();
    while (!(await passes.adopt()).complete) ledger().clock.advance(2_000);
    const asked = passes.askParked();
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    await becomesAnother('third');
    await beats();
    held[0]!();
    expect(await asked.catch(() => ({ complete: false }))).toMatchObject({ complete: false });
    expect(await meta('incarnation')).toBe('second');
    // What was adopted of the second says nothing of the third.
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    const late = { incarnation: '"second"', now: new Date(ledger().clock.now()), lost: undefined };
    expect(await recordAdoption(store, late)).toBe(false);
    expect(await meta('last_claim_at')).not.toBeNull();
    while (!(await passes.adopt()).complete) ledger().clock.advance(2_000);
    expect(await meta('incarnation')).toBe('third');
    expect(await meta('parked_round')).toMatchObject({ incarnation: '"third"', name: 'at once', places: {} });
  });
});
