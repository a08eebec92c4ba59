import { expect, inject, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import { refusing } from '../../support/failures/refusing';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** A schedule whose firing of 01:00 runs. */
async function running() {
  const handle = await ledger().client.create(someSchedule());
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  return { handle, trigger };
}

/** Let Temporal answer as it does for a namespace that was deleted, in which only the firing is left. */
async function decommission() {
  await ledger().query(`update escapement.schedule_versions set namespace = 'decommissioned' where version = 1`);
  await ledger().query(`update escapement.firings set namespace = 'decommissioned'`);
}

/** Run passes each minute, as the loops do, and those of another trigger before them. */
async function minutesOfPasses({ passes }: Trigger, minutes: number, beside?: () => Promise<void>) {
  for (let minute = 0; minute < minutes; minute++) {
    ledger().clock.advance(60_000);
    await beside?.();
    await passes.heartbeat();
    await passes.reconcile();
    await passes.observe();
    await passes.claim();
    await passes.verify();
    await passes.dispatch();
    await passes.sweep();
  }
}

it('a firing whose namespace was deleted is closed as unknown after an hour, and its schedule goes on in another', async () => {
  const { handle, trigger } = await running();
  await handle.update((described) => ({ ...described, policies: { ...described.policies, catchupWindow: '1 day' } }));
  await decommission();
  await minutesOfPasses(trigger, 59);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  await minutesOfPasses(trigger, 16);
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
  const { handle, trigger } = await running();
  await handle.update((described) => ({ ...described, policies: { ...described.policies, catchupWindow: '1 day' } }));
  await decommission();
  // As a process leaves the row that dies before the answer.
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = scheduled_time`,
  );
  await minutesOfPasses(trigger, 59);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  await minutesOfPasses(trigger, 16);
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T01:00:00 schedule abandoned start_uncertain',
    expect.stringMatching(/^03-01T02:00:00 \w+ linked$/),
  ]);
});

it.each([
  ['has not asked for it', undefined],
  ['gets no answer', UNAVAILABLE],
  ['is refused', UNAUTHENTICATED],
])(
  'a firing stays open while another trigger, which %s, may have the namespace on another server',
  async (_, status) => {
    const { handle, trigger } = await running();
    const connection = refusing(inject('temporalAddress'), status ?? 0, (method) => method !== 'GetSystemInfo');
    const other = await ledger().trigger({ connection });
    await decommission();
    ledger().clock.advance(60_000);
    if (status !== undefined) expect(await other.passes.observe()).toMatchObject({ unanswered: 1 });
    await minutesOfPasses(trigger, 75, () => other.passes.heartbeat());
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
    await minutesOfPasses(trigger, 62);
    expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule closed unknown');
  },
);

it('a firing whose namespace was deleted is closed although another trigger, which has no server for it, lives on', async () => {
  const { handle, trigger } = await running();
  const billing = { connection: { address: inject('temporalAddress') } };
  const other = await ledger().trigger({ connection: undefined, namespaces: { billing } });
  await decommission();
  ledger().clock.advance(60_000);
  expect(await other.passes.observe()).toMatchObject({ unanswered: 1 });
  await minutesOfPasses(trigger, 58, () => other.passes.heartbeat());
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  await minutesOfPasses(trigger, 17, () => other.passes.heartbeat());
  expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule closed unknown');
});

it('the hour after which a namespace counts as deleted begins once Temporal says that it does not exist', async () => {
  const { handle } = await running();
  await decommission();
  let isDenied = true;
  const isRefused = (method: string) => isDenied && method !== 'GetSystemInfo';
  const connection = refusing(inject('temporalAddress'), PERMISSION_DENIED, isRefused);
  const trigger = await ledger().trigger({ connection });
  await minutesOfPasses(trigger, 50);
  isDenied = false;
  await minutesOfPasses(trigger, 50);
  const first = async () => (await ledger().answers(handle.scheduleId))[0];
  expect(await first()).toBe('03-01T01:00:00 schedule linked');
  await minutesOfPasses(trigger, 16);
  expect(await first()).toBe('03-01T01:00:00 schedule closed unknown');
});

it('a firing stays open while its namespace refuses the trigger, however long', async () => {
  const { handle } = await running();
  const address = inject('temporalAddress');
  const connection = refusing(address, PERMISSION_DENIED, (method) => method !== 'GetSystemInfo');
  await minutesOfPasses(await ledger().trigger({ connection }), 75);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
});
