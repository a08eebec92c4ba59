import { expect, it } from 'vitest';
import { DeadLetterStateError } from '../../../index';
import { writeLetter } from '../../support/failures/letters';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([['7'], ['{}'], ['{"failure": null}'], ['{"activityType": 7, "failure": {"type": 7}}']])(
  'a letter whose stored step is %s hides no other in a list, and is redriven',
  async (stored) => {
    const { client } = ledger();
    const [bad, good] = [await writeLetter(ledger()), await writeLetter(ledger())];
    await ledger().query('update escapement.letters set failed_step = $2::jsonb where letter_id = $1', [bad, stored]);
    const { letters } = await client.deadLetters.listPage({ state: 'open' });
    expect(letters.map(({ letterId }) => letterId).sort()).toEqual([bad, good].sort());
    await client.deadLetters.groups();
    await client.deadLetters.redrive(bad, { mode: 'restart' });
    expect(await client.deadLetters.get(bad)).toMatchObject({ state: 'redriving' });
  },
);

it.each([['7'], ['"lookAt"'], [null]])(
  'a letter that is being redriven, but whose stored request is %s, is refused by name until restore opens it',
  async (stored) => {
    const { deadLetters } = ledger().client;
    const letterId = await writeLetter(ledger(), { kind: 'parked', firing: { state: 'linked' } });
    await ledger().query(
      `update escapement.letters set state = 'redriving', redrive = $2::jsonb where letter_id = $1`,
      [letterId, stored],
    );
    for (const refused of [
      () => deadLetters.redrive(letterId),
      () => deadLetters.complete(letterId, 7),
      () => deadLetters.discard(letterId, { note: 'paid by hand' }),
    ]) {
      const error = await refused().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(DeadLetterStateError);
      expect(String(error)).toContain("'escapement dead-letter restore' reopens it");
    }
    expect(await deadLetters.restore(letterId)).toMatchObject({ state: 'open', redrive: null });
    expect(await deadLetters.redrive(letterId)).toMatchObject({ mode: 'continue' });
  },
);
