import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { useLedger } from '../../support/ledger';
import { ADOPTED, answeredByA, answeredByBoth, useWaitingLists } from './waiting-lists';

const ledger = useLedger('2026-03-01T00:30:00Z');
const { listing, declareLoss, listingTwice } = useWaitingLists(ledger);

/** A trigger that has had an answer of `aa` alone, before another one adopted the ledger. */
async function afterAnother() {
  const { one, other } = await listingTwice();
  await answeredByBoth(other);
  return one;
}

/**
 * A trigger that has noticed a failover, and has had an answer of `aa` alone since. The last heartbeat was sent so long
 * after the last adoption. With 0, transactions may be lost since the same instant as those that a person declares.
 */
async function afterFailover(milliseconds: number) {
  const one = await listing();
  ledger().clock.advance(milliseconds);
  await ledger().query(
    `update escapement.meta set value = value || '{"timeline": "00000000"}' where key = 'incarnation'`,
  );
  await one.trigger.passes.heartbeat();
  await answeredByA(one);
  return one;
}

it('the daily check asks each namespace, though one has answered before another trigger adopted', async () => {
  const { trigger, asked } = await afterAnother();
  await trigger.passes.heartbeat();
  ledger().clock.advance(86_400_000);
  const check = trigger.passes.adopt();
  for (const list of await asked('aa', 'bb')) list.end();
  expect(await check).toMatchObject({ complete: true });
});

it.each([true, false])(
  'a loss declared after another trigger adopted holds a namespace that has answered before (heard of that: %s)',
  async (isHeard) => {
    const { trigger, asked } = await afterAnother();
    if (isHeard) await trigger.passes.heartbeat();
    await declareLoss();
    await trigger.passes.heartbeat();
    const pass = trigger.passes.adopt();
    const lists = await asked('aa', 'bb');
    for (const { namespace } of lists) {
      expect(trigger.health().reasons).toContainEqual(expect.stringContaining(`namespace '${namespace}' is held`));
    }
    for (const list of lists) list.end();
    expect(await pass).toMatchObject({ complete: true });
  },
);

it.each([true, false])(
  'a loss that is declared during a check stays declared, and is adopted (noticed during it: %s)',
  async (isNoticed) => {
    const { trigger, asked } = await listing();
    const check = trigger.passes.adopt();
    const lists = await asked('aa', 'bb');
    await declareLoss();
    if (isNoticed) await trigger.passes.heartbeat();
    for (const list of lists) list.end();
    expect(await check).toMatchObject({ complete: false });
    expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);

    await trigger.passes.heartbeat();
    const pass = trigger.passes.adopt();
    for (const list of await asked('aa', 'bb')) list.end();
    expect(await pass).toMatchObject({ complete: true });
    expect(await ledger().query(ADOPTED)).not.toEqual([{ value: null }]);
  },
);

it('a loss that is declared during a late adoption of the former one stays declared', async () => {
  const [late, other] = [await listing(), await listing()];
  await declareLoss();
  for (const { trigger } of [late, other]) await trigger.passes.heartbeat();
  const pass = late.trigger.passes.adopt();
  const lists = await late.asked('aa', 'bb');
  const adoption = other.trigger.passes.adopt();
  for (const list of await other.asked('aa', 'bb')) list.end();
  expect(await adoption).toMatchObject({ complete: true });
  await declareLoss();
  for (const list of lists) list.end();
  expect(await pass).toMatchObject({ complete: false });
  expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);
});

it.each([1_000, 0])(
  'a loss declared before a failover is adopted holds a namespace that has answered since (its last heartbeat: %i ms after an adoption)',
  async (milliseconds) => {
    const { trigger, asked } = await afterFailover(milliseconds);
    await declareLoss();
    await trigger.passes.heartbeat();
    const pass = trigger.passes.adopt();
    const lists = await asked('aa', 'bb');
    expect(trigger.health().reasons).toContainEqual(expect.stringContaining(`namespace 'aa' is held`));
    for (const list of lists) list.end();
    expect(await pass).toMatchObject({ complete: true });
  },
);

it.each([1_000, 0])(
  'a loss declared while the last namespace answers after a failover stays declared (its last heartbeat: %i ms after an adoption)',
  async (milliseconds) => {
    const { trigger, asked } = await afterFailover(milliseconds);
    const pass = trigger.passes.adopt();
    const [b] = await asked('bb');
    await declareLoss();
    b!.end();
    expect(await pass).toMatchObject({ complete: false });
    expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);
  },
);

it('what the run-book says lets all go on where a namespace can never list its workflows', async () => {
  const page = readFileSync(resolve(__dirname, '../../../docs/operations.md'), 'utf8');
  const [, giveUp] = /`(delete from escapement\.meta [^`]+)`/.exec(page)!;
  const { trigger, asked } = await afterFailover(1_000);
  await ledger().query(giveUp!);
  await trigger.passes.heartbeat();
  // The daily check asks each namespace, and holds none.
  const pass = trigger.passes.adopt();
  const [a, b] = await asked('aa', 'bb');
  expect(trigger.health().reasons.filter((reason) => reason.includes('the database was replaced'))).toEqual([]);
  a!.end();
  b!.end(new TemporalCallError('it has no lists', 'refused'));
  await pass;
  await trigger.passes.heartbeat();
  expect(trigger.health().reasons.filter((reason) => reason.includes('the database was replaced'))).toEqual([]);
  expect(await ledger().query(ADOPTED)).not.toEqual([{ value: null }]);
  expect(await ledger().query(`select from escapement.meta where key = 'last_claim_at' and value <> 'null'`)).toEqual(
    [],
  );
});
