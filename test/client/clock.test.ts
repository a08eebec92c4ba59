import { expect, it, onTestFinished, vi } from 'vitest';
import { InvalidOptionError } from '../../index';
import { useLedger } from '../support/ledger';

const ledger = useLedger();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A client with the clocks that it has in production, on a host whose clock is so far ahead of the ledger's. */
function clientOn(hostAhead: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hostAhead });
  onTestFinished(() => void vi.useRealTimers());
  return ledger().newClient({ now: undefined as never });
}

it.each([
  [HOUR, '20 minutes', []],
  [-HOUR, '40 minutes', ['nightly']],
])('the age of a dead letter goes by the ledger’s clock on a host that is %d ms ahead', async (ahead, age, listed) => {
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select gen_random_uuid(), 'nightly', now(), 0, 'start', 'start_rejected', 'default', at, at
     from (select now() - $1::interval as at) x`,
    [age],
  );
  const { deadLetters } = clientOn(ahead);
  const olderThan = '30 minutes';
  const { letters } = await deadLetters.listPage({ olderThan });
  expect(letters.map(({ scheduleId }) => scheduleId)).toEqual(listed);
  expect(await deadLetters.discardAll({ olderThan }, { note: 'done', dryRun: true })).toMatchObject({
    discarded: listed.length,
  });
});

it.each([HOUR, -HOUR])(
  'the end of a silence goes by the ledger’s clock on a host that is %d ms ahead',
  async (ahead) => {
    const now = Date.now();
    const { alerts } = clientOn(ahead);
    const silence = (until: number) => alerts.silence({ until: new Date(until), reason: 'a move' });
    await expect(silence(now - HOUR / 2)).rejects.toThrow(InvalidOptionError);
    expect(await silence(now + HOUR / 2)).toMatchObject({ reason: 'a move' });
  },
);
