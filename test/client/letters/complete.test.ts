import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import {
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  InvalidOptionError,
  RedriveModeError,
} from '../../../index';
import { writeLetter } from '../../support/failures/letters';
import { useLedger } from '../../support/ledger';
import { nonceCodec } from '../../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parked = () => writeLetter(ledger(), { kind: 'parked', firing: { state: 'linked' } });

it('the result of a parked step is written down with who gave it and why', async () => {
  const letterId = await parked();
  const { deadLetters } = ledger().client;
  const asked = await deadLetters.complete(letterId, { receipt: 17 }, { note: 'charged by hand' });
  expect(asked).toMatchObject({
    state: 'redriving',
    actor: 'test',
    note: 'charged by hand',
    redrive: { mode: 'complete' },
  });
  const payload = temporal.api.common.v1.Payload.decode(Buffer.from(asked.redrive!.result!, 'base64'));
  expect(defaultPayloadConverter.fromPayload(payload)).toEqual({ receipt: 17 });
});

it('the same result once more changes nothing; another one, or another decision, is a conflict', async () => {
  const letterId = await parked();
  const { deadLetters } = ledger().newClient({ dataConverter: { payloadCodecs: [nonceCodec(7)] } });
  const asked = await deadLetters.complete(letterId, { receipt: 17 });
  expect(await deadLetters.complete(letterId, { receipt: 17 }, { note: 'again' })).toEqual(asked);
  const decisions = [
    () => deadLetters.complete(letterId, { receipt: 18 }),
    () => deadLetters.redrive(letterId),
    () => deadLetters.discard(letterId, { note: 'no' }),
    () => deadLetters.restore(letterId),
  ];
  for (const decide of decisions) {
    const refused = await decide().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DeadLetterConflictError);
    expect((refused as Error).message).toContain('test asked at 2026-03-01T00:30:00.000Z to complete its step');
  }
  expect(await deadLetters.get(letterId)).toEqual(asked);

  const redriven = await parked();
  await deadLetters.redrive(redriven);
  await expect(deadLetters.complete(redriven, 1)).rejects.toThrow(DeadLetterConflictError);
});

it.each([
  ['a failed workflow', { kind: 'workflow' }, RedriveModeError, /has ended; use mode 'resume' or 'restart'/],
  ['a start', { kind: 'start' }, RedriveModeError, /is not known to have started; use mode 'restart'/],
  ['a settled step', { kind: 'parked', state: 'discarded' }, DeadLetterStateError, /cannot complete/],
  ['a step that went on', { kind: 'parked', state: 'resolved' }, DeadLetterStateError, /nothing is left to do/],
] as const)('%s takes no result', async (_, row, type, message) => {
  const letterId = await writeLetter(ledger(), row);
  const before = await ledger().client.deadLetters.get(letterId);
  const refused = await ledger()
    .client.deadLetters.complete(letterId, 1)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(type);
  expect((refused as Error).message).toMatch(message);
  expect(await ledger().client.deadLetters.get(letterId)).toEqual(before);
});

it('a result that cannot be encoded, or is larger than Temporal takes, is refused by name', async () => {
  const letterId = await parked();
  const { deadLetters } = ledger().client;
  for (const result of [{ receipt: () => 1 }, 1n, 'x'.repeat(2 * 1024 * 1024)]) {
    const refused = await deadLetters.complete(letterId, result).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionError);
    expect(refused).toMatchObject({ path: 'result' });
  }
  await expect(deadLetters.complete(letterId, 1, { notes: 'x' } as never)).rejects.toThrow(/notes/);
  await expect(deadLetters.complete(randomUUID(), 1)).rejects.toThrow(DeadLetterNotFoundError);
  expect(await deadLetters.get(letterId)).toMatchObject({ state: 'open' });
});
