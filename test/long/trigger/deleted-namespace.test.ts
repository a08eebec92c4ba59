import { expect, inject, it } from 'vitest';
import { decommission, minutesOfPasses, running } from '../../support/failures/deleted-namespace';
import { refusing } from '../../support/failures/refusing';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

it.each([
  ['has not asked for it', undefined],
  ['gets no answer', UNAVAILABLE],
  ['is refused', UNAUTHENTICATED],
])(
  'a firing stays open while another trigger, which %s, may have the namespace on another server',
  async (_, status) => {
    const { handle, trigger } = await running(ledger());
    const connection = refusing(inject('temporalAddress'), status ?? 0, (method) => method !== 'GetSystemInfo');
    const other = await ledger().trigger({ connection });
    await decommission(ledger());
    ledger().clock.advance(60_000);
    if (status !== undefined) expect(await other.passes.observe()).toMatchObject({ unanswered: 1 });
    await minutesOfPasses(ledger(), trigger, 75, () => other.passes.heartbeat());
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
    await minutesOfPasses(ledger(), trigger, 62);
    expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule closed unknown');
  },
);

it('a firing whose namespace was deleted is closed although another trigger, which has no server for it, lives on', async () => {
  const { handle, trigger } = await running(ledger());
  const billing = { connection: { address: inject('temporalAddress') } };
  const other = await ledger().trigger({ connection: undefined, namespaces: { billing } });
  await decommission(ledger());
  ledger().clock.advance(60_000);
  expect(await other.passes.observe()).toMatchObject({ unanswered: 1 });
  await minutesOfPasses(ledger(), trigger, 58, () => other.passes.heartbeat());
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  await minutesOfPasses(ledger(), trigger, 17, () => other.passes.heartbeat());
  expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule closed unknown');
});

it('the hour after which a namespace counts as deleted begins once Temporal says that it does not exist', async () => {
  const { handle } = await running(ledger());
  await decommission(ledger());
  let isDenied = true;
  const isRefused = (method: string) => isDenied && method !== 'GetSystemInfo';
  const connection = refusing(inject('temporalAddress'), PERMISSION_DENIED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await minutesOfPasses(ledger(), trigger, 50);
  isDenied = false;
  await minutesOfPasses(ledger(), trigger, 50);
  const first = async () => (await ledger().answers(handle.scheduleId))[0];
  expect(await first()).toBe('03-01T01:00:00 schedule linked');
  await minutesOfPasses(ledger(), trigger, 16);
  expect(await first()).toBe('03-01T01:00:00 schedule closed unknown');
});
