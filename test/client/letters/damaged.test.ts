import { expect, it } from 'vitest';
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
