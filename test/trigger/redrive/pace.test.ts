import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { postponeRedrive, takeRedrives } from '../../../store/letters/redrive';
import { useLedger } from '../../support/ledger';
import { giveUp } from './given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');

/** Redrives of twelve letters, at most two a second. Each take is one of a trigger at this moment. */
async function redriveTwelve() {
  const scheduleId = await giveUp(ledger(), { overlap: 'ALLOW_ALL' }, 12);
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { perSecond: 2 });
  ledger().clock.advance(2_001);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date(ledger().clock.now());
  const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);
  const times = { now, lookAt: at(30_000), paceSince: at(-2_000), withoutNamespaces: [] };
  const take = (limit = 100) => takeRedrives(store, { ...times, limit });
  return { store, at, take };
}

it('letters that a trigger has taken and not carried out yet count in the pace for the others', async () => {
  const { take } = await redriveTwelve();
  expect([(await take()).length, (await take()).length]).toEqual([4, 0]);
});

it('letters whose turn has not come leave their place in the pace to others', async () => {
  const { store, at, take } = await redriveTwelve();
  for (const redrive of await take()) {
    expect(await postponeRedrive(store, redrive, at(1_000), { isTried: false })).toBe(true);
  }
  expect(await take()).toHaveLength(4);
});

it.each([
  ['does not wait for an instant that a wrong clock has written', '2027-01-01T00:00:00.000Z', 4],
  ['counts an instant of a trigger whose clock is a little ahead', '2026-03-01T12:00:30.000Z', 0],
])('a pace %s', async (_, takenAt, taken) => {
  const { take } = await redriveTwelve();
  await take();
  await ledger().query(`update escapement.dead_letters set redrive = redrive || $1 where redrive ? 'takenAt'`, [
    { takenAt },
  ]);
  expect(await take()).toHaveLength(taken);
});

it('a batch begins with single redrives, and then has one of each pace in turn', async () => {
  const { take } = await redriveTwelve();
  const letters = await ledger().query<{ letterId: string }>(
    'select letter_id as "letterId" from escapement.dead_letters order by scheduled_time',
  );
  const [oldest] = letters;
  const [ofOther, single] = letters.slice(-2);
  const change = (what: string, one = oldest) =>
    ledger().query(`update escapement.dead_letters set redrive = ${what} where letter_id = $1`, [one!.letterId]);
  await change(`redrive || '{"paceOf": "acme"}'`, ofOther);
  await change(`redrive - 'inTurn'`, single);
  expect((await take(3)).map(({ letterId }) => letterId).sort()).toEqual(
    [oldest, ofOther, single].map((one) => one!.letterId).sort(),
  );
});
