import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('several triggers on one ledger', () => {
  it('claim each occurrence once between them', async () => {
    const { client, clock } = ledger();
    for (let index = 0; index < 40; index++) await client.create(someSchedule());
    const triggers = [await ledger().trigger(), await ledger().trigger(), await ledger().trigger()];
    clock.set('2026-03-01T01:00:00Z');
    const results = await Promise.all(triggers.map((trigger) => trigger.passes.claim()));
    const claimed = results.flatMap((result) => result.claimed.map((key) => key.scheduleId));
    expect(new Set(claimed).size).toBe(claimed.length);
    // What one found locked, it leaves; a later look of any of them takes the rest.
    const rest = await triggers[0]!.passes.claim();
    expect(claimed.length + rest.claimed.length).toBe(40);
  });

  it('start what a dead one had claimed, ten seconds after its last heartbeat', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    const dead = await ledger().trigger();
    const alive = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.heartbeat();
    await dead.passes.claim();

    clock.advance(9_000);
    await alive.passes.heartbeat();
    expect(await alive.passes.reconcile()).toMatchObject({ deadTriggers: [], taken: 0 });
    clock.advance(2_000);
    expect(await alive.passes.reconcile()).toMatchObject({ deadTriggers: [dead.id] });
    expect(await alive.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1 });
    expect(await alive.passes.start()).toMatchObject({ linked: 1 });
    const [firing] = await ledger().firings(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'linked',
      recovery: { number: 1, reason: 'trigger_lost', recoveredAt: '2026-03-01T01:00:11.000Z' },
    });
  });

  it('leave alone what a living one has just claimed', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const owner = await ledger().trigger();
    const other = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await owner.passes.heartbeat();
    await owner.passes.claim();
    expect(await other.passes.reconcile()).toMatchObject({ taken: 0 });
  });

  it('cannot start what was taken over from them', async () => {
    const { client, clock } = ledger();
    await client.create(someSchedule());
    const frozen = await ledger().trigger();
    const other = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await frozen.passes.claim();
    clock.advance(31_000);
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1 });
    expect(await frozen.passes.start()).toEqual({ linked: 0, deferred: 0, refused: 0 });
    expect(await other.passes.start()).toMatchObject({ linked: 1 });
  });
});

describe('a lost firing is abandoned with its reason, never started', () => {
  const cases: [string, string, (id: string) => Promise<unknown>][] = [
    ['when its schedule was paused', 'schedule_paused', (id) => ledger().client.getHandle(id).pause()],
    ['when its schedule was deleted', 'schedule_deleted', (id) => ledger().client.getHandle(id).delete()],
    [
      'when it is older than the catch-up window',
      'outside_catchup_window',
      async () => ledger().clock.advance(3_600_001),
    ],
  ];
  it.each(cases)('%s', async (_, reason, change) => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { catchupWindow: '1 hour' } }));
    const dead = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.claim();
    await change(handle.scheduleId);
    clock.advance(60_000);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 1, restarted: 0 });
    expect(await ledger().answers(handle.scheduleId)).toEqual([`03-01T01:00:00 schedule abandoned ${reason}`]);
  });
});
