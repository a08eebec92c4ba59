import { createRequire } from 'node:module';
import { beforeEach, expect, it } from 'vitest';
import type { EscapementClient } from '../../../index';
import { writeLetter } from '../../support/failures/letters';
import { temporaryFile } from '../../support/folder';
import { someSchedule, useLedger } from '../../support/ledger';
import { nonceCodec } from '../../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A converter for a class whose objects are all deeply equal to each other. */
const CONVERTER = `
  class Money {
    #amount;
    constructor(amount) { this.#amount = amount; }
    get amount() { return this.#amount; }
  }
  const payload = (encoding, value) => ({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(JSON.stringify(value)) });
  exports.Money = Money;
  exports.payloadConverter = {
    toPayload: (value) => value instanceof Money ? payload('json/money', value.amount) : payload('json/plain', value),
    fromPayload: ({ metadata, data }) => {
      const value = JSON.parse(Buffer.from(data).toString());
      return Buffer.from(metadata.encoding).toString() === 'json/money' ? new Money(value) : value;
    },
  };`;

type Money = { amount: number };
let Money: new (amount: number) => Money;
let client: EscapementClient;

beforeEach(async () => {
  const payloadConverterPath = await temporaryFile('converter.cjs', CONVERTER);
  Money = createRequire(__filename)(payloadConverterPath).Money;
  client = ledger().newClient({ dataConverter: { payloadConverterPath, payloadCodecs: [nonceCodec(7)] } });
});

const paying = (amount: number) => ({
  type: 'startWorkflow' as const,
  workflowType: 'pay',
  taskQueue: 'payments',
  args: [{ account: 'one' }, new Money(amount)],
  memo: { fee: new Money(amount) },
});

async function amounts() {
  const { action, memo, info } = await client.getHandle('pay').describe();
  const [, paid] = action.args as [unknown, Money];
  const of = (values: Record<string, unknown> | undefined) => (values!.fee as Money).amount;
  return [info.version, paid.amount, of(action.memo), of(memo)];
}

it('an update writes a value that only its private fields tell from the former one, also beside another change', async () => {
  const handle = await client.create(
    someSchedule({ scheduleId: 'pay', action: paying(1), memo: { fee: new Money(1) } }),
  );
  await handle.update((previous) => ({ ...previous, action: paying(2), memo: { fee: new Money(2) } }));
  expect(await amounts()).toEqual([2, 2, 2, 2]);
  await handle.update((previous) => ({
    ...previous,
    ...{ spec: { cron: '5 * * * *' }, action: paying(3), memo: { fee: new Money(3) } },
  }));
  expect(await amounts()).toEqual([3, 3, 3, 3]);
  await handle.update((previous) => ({ ...previous, action: paying(3), memo: { fee: new Money(3) } }));
  expect(await amounts()).toEqual([3, 3, 3, 3]);
});

it('an apply writes a value that only its private fields tell from the former one, and names it', async () => {
  const apply = (amount: number, revision: number) =>
    client.apply([someSchedule({ scheduleId: 'pay', action: paying(amount), memo: { fee: new Money(amount) } })], {
      source: 'code',
      revision,
    });
  await apply(1, 1);
  expect(await apply(1, 2)).toMatchObject({ unchanged: ['pay'] });
  expect(await apply(2, 3)).toMatchObject({
    updated: [{ scheduleId: 'pay', changed: ['action.args', 'action.memo.fee', 'memo.fee'] }],
  });
  expect(await amounts()).toEqual([2, 2, 2, 2]);
});

it('a parked step that was given one result refuses another that only its private fields tell from it', async () => {
  const letterId = await writeLetter(ledger(), { kind: 'parked', firing: { state: 'linked' } });
  const asked = await client.deadLetters.complete(letterId, new Money(1));
  expect(await client.deadLetters.complete(letterId, new Money(1))).toEqual(asked);
  await expect(client.deadLetters.complete(letterId, new Money(2))).rejects.toMatchObject({
    name: 'DeadLetterConflictError',
  });
});
