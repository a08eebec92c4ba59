import { expect, inject, it } from 'vitest';
import { decommission, minutesOfPasses, running } from '../../support/failures/deleted-namespace';
import { refusing } from '../../support/failures/refusing';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const PERMISSION_DENIED = 7;

it('a firing whose namespace was deleted is closed as unknown after an hour, and its schedule goes on in another', async () => {
  const { handle, trigger } = await running(ledger());
  await handle.update((described) => ({ ...described, policies: { ...described.policies, catchupWindow: '1 day' } }));
  await decommission(ledger());
  await minutesOfPasses(ledger(), trigger, 59);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  await minutesOfPasses(ledger(), trigger, 16);
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T01:00:00 schedule closed unknown',
    expect.stringMatching(/^03-01T02:00:00 \w+ linked$/),
  ]);
  // As if the trigger had asked another server for an hour.
  await ledger().query(`update escapement.firings set namespace = 'default'`);
  ledger().clock.advance(3_600_000);
  await trigger.passes.reset();
  expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule linked');
});

it('a firing whose start had no answer is given up after that hour, and its schedule goes on in another namespace', async () => {
  const { handle, trigger } = await running(ledger());
  await handle.update((described) => ({ ...described, policies: { ...described.policies, catchupWindow: '1 day' } }));
  await decommission(ledger());
  // As a process leaves the row that dies before the answer.
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = scheduled_time`,
  );
  await minutesOfPasses(ledger(), trigger, 59);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  await minutesOfPasses(ledger(), trigger, 16);
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T01:00:00 schedule abandoned start_uncertain',
    expect.stringMatching(/^03-01T02:00:00 \w+ linked$/),
  ]);
});

it('a firing stays open while its namespace refuses the trigger, however long', async () => {
  const { handle } = await running(ledger());
  const address = inject('temporalAddress');
  const connection = refusing(address, PERMISSION_DENIED, (method) => method !== 'GetSystemInfo');
  await minutesOfPasses(ledger(), await ledger().trigger({ connection }), 75);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
});
