import { describe, expect, it } from 'vitest';
import { someSchedule } from '../../support/ledger';
import { causeOf, LETTER, ONE, TWO, useExplained } from './explained';

const { ledger, claimed, set, sayAway, beside, writeLetter } = useExplained();

describe('explain names what keeps a claim from being started', () => {
  it('that no trigger is alive, and when one last was', async () => {
    const { handle } = await claimed();
    expect(await causeOf(handle)).toMatchObject({
      cause: undefined,
      words: expect.stringContaining('is being started'),
    });
    ledger().clock.set('2026-03-01T01:00:10Z');
    expect(await causeOf(handle)).toMatchObject({
      cause: { kind: 'no_trigger', lastHeartbeatAt: new Date(ONE) },
      words: expect.stringMatching(
        /workflow '\S+' has not started yet: no trigger is alive; the last heartbeat was at Sun 2026-03-01 01:00:00/,
      ),
    });
  });

  it('who holds the lock of its row', async () => {
    const { handle } = await claimed();
    await beside('select from escapement.firings for update', async (pid) => {
      expect(await causeOf(handle)).toMatchObject({
        cause: { kind: 'locked', holders: [{ pid, state: 'idle in transaction' }] },
        words: expect.stringContaining(`yet: a row that it needs is locked by process ${pid} (`),
      });
    });
    expect((await causeOf(handle)).cause).toBeUndefined();
  });

  it('that adoption comes first', async () => {
    const { handle } = await claimed();
    await ledger().query(`insert into escapement.meta values ('last_claim_at', to_jsonb(now()))
      on conflict (key) do update set value = excluded.value`);
    expect(await causeOf(handle)).toMatchObject({ cause: { kind: 'adoption' } });
  });

  it('that Temporal is away, with how many that is so and since when, or refuses this one', async () => {
    const { handle } = await claimed({ policies: { overlap: 'ALLOW_ALL' } });
    await sayAway('2026-03-01T00:59:30Z');
    expect(await causeOf(handle)).toMatchObject({
      cause: { kind: 'temporal_away', namespace: 'default', since: new Date('2026-03-01T00:59:30Z'), waiting: 1 },
      words: expect.stringMatching(
        /yet: Temporal has not answered for namespace 'default', .* since Sun 2026-03-01 00:59:30 .* \(UNAVAILABLE\); one claim waits\.$/,
      ),
    });
    await set(
      `owner = (select id from escapement.triggers), last_error = 'cut off', check_at = '2026-03-01T01:00:02Z'`,
    );
    expect(await causeOf(handle)).toMatchObject({
      cause: { kind: 'temporal_away', error: 'UNAVAILABLE', nextTryAt: new Date('2026-03-01T01:00:02Z') },
      words: expect.stringMatching(/; it is tried again at .* 01:00:02 .*; the last error was: cut off\.$/),
    });
    await set(`refused_since = '2026-03-01T00:59:00Z'`);
    expect(await causeOf(handle)).toMatchObject({ cause: { kind: 'temporal_away' } });
    await ledger().query(`update escapement.triggers set away = '[]'`);
    expect(await causeOf(handle)).toMatchObject({
      cause: { kind: 'start_failing', since: new Date('2026-03-01T00:59:00Z'), error: 'cut off' },
      words: expect.stringMatching(/yet: its start has failed since Sun 2026-03-01 00:59:00/),
    });
    await set(`refused_since = null, start_attempts = 2`);
    expect(await causeOf(handle)).toMatchObject({ cause: { kind: 'start_rejected', attempts: 2 } });
  });

  it.each([
    { cap: { namespaces: { default: 0.5 } }, named: { namespace: 'default' }, words: "in namespace 'default'" },
    { cap: { taskQueues: { jobs: 0.5 } }, named: { taskQueue: 'jobs' }, words: "on task queue 'jobs'" },
  ])('which cap on starts holds it back: $words', async ({ cap, named, words }) => {
    const { client, clock } = ledger();
    const action = { ...someSchedule().action, taskQueue: 'jobs' };
    const handles = await Promise.all(
      ['a-first', 'b-second'].map((scheduleId) => client.create(someSchedule({ scheduleId, action }))),
    );
    clock.set(ONE);
    const trigger = await ledger().trigger({ maxStartsPerSecond: cap, monotonic: () => 0 });
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 1 });
    expect(await trigger.passes.dispatch()).toMatchObject({ taken: 0, isHeldBack: true });
    await trigger.passes.heartbeat();
    const held = await causeOf(handles[1]!);
    expect(held).toMatchObject({
      cause: { kind: 'cap', ...named, perSecond: 0.5, since: expect.any(Date), before: 0 },
      words: expect.stringContaining(`a cap of 0.5 starts a second ${words} has held starts back since`),
    });
  });

  it('how many claims of its namespace come before it', async () => {
    const { handle, trigger } = await claimed({ policies: { overlap: 'ALLOW_ALL' } });
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { kind: 'queue', namespace: 'default', before: 1 },
      words: expect.stringContaining("it waits for its turn behind one claim of namespace 'default'"),
    });
    expect((await causeOf(handle)).cause).toBeUndefined();
  });
});

it('a client of one tenant is told nothing of how much of others waits', async () => {
  const { client, clock } = ledger();
  const [acme, other] = ['acme', 'other'].map((tenant) => ledger().newClient({ tenant }));
  for (let index = 0; index < 3; index++) await other!.create(someSchedule({ scheduleId: `other-${index}` }));
  await client.create(someSchedule({ scheduleId: 'a-first', tenant: 'acme' }));
  const handle = await acme!.create(someSchedule({ scheduleId: 'zz-last' }));
  clock.set(ONE);
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  await trigger.passes.claim();
  expect(await causeOf(client.getHandle('zz-last'))).toMatchObject({ cause: { kind: 'queue', before: 4 } });
  expect(await causeOf(handle)).toMatchObject({ cause: { kind: 'queue', before: 1 } });
  await acme!.getHandle('a-first').delete();
  await ledger().query(`delete from escapement.firings where schedule_id = 'a-first'`);
  expect(await causeOf(handle)).toMatchObject({
    cause: { kind: 'queue', namespace: 'default', before: 0 },
    words: expect.stringContaining("it waits for its turn in namespace 'default', behind others"),
  });

  await sayAway(ONE);
  expect(await causeOf(client.getHandle('zz-last'))).toMatchObject({ cause: { kind: 'temporal_away', waiting: 4 } });
  expect(await causeOf(handle)).toMatchObject({
    cause: { kind: 'temporal_away', waiting: 1 },
    words: expect.stringContaining('one claim waits'),
  });
});

describe('explain names what keeps an occurrence from being decided', () => {
  it('who holds the schedule, and what runs', async () => {
    const { handle, trigger } = await claimed({ policies: { overlap: 'SKIP' } });
    await set(`state = 'linked', linked_at = claimed_at, stalled = 'no_worker'`);
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { kind: 'behind', firing: { scheduledTime: new Date(ONE) }, cause: { kind: 'stalled' } },
    });
    await beside('select from escapement.timers for no key update', async (pid) => {
      expect(await causeOf(handle, TWO)).toMatchObject({
        cause: { kind: 'locked', holders: [{ pid }] },
        words: expect.stringContaining(
          `it is due and not claimed yet: a row that it needs is locked by process ${pid} (`,
        ),
      });
    });
  });

  it('that nothing does, where a trigger is alive', async () => {
    const { handle, trigger } = await claimed({ policies: { overlap: 'ALLOW_ALL' } });
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    expect(await causeOf(handle, TWO)).toEqual({
      cause: undefined,
      words: 'it is due and not claimed yet; a trigger is alive, and claims it within a second.',
    });
    ledger().clock.advance(11_000);
    await trigger.passes.heartbeat();
    expect((await causeOf(handle, TWO)).words).toBe(
      'it has been due since Sun 2026-03-01 02:00:00 +00:00 and is not claimed, though a trigger is alive; its log may say why.',
    );
  });

  it('behind which firing one waits, and what keeps that one', async () => {
    const { handle, trigger } = await claimed({ policies: { overlap: 'BUFFER_ALL' } });
    await set(`state = 'linked', linked_at = claimed_at`);
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { kind: 'behind', firing: { scheduledTime: new Date(ONE), state: 'linked' }, cause: undefined },
      words: expect.stringMatching(
        /it has waited since .* to be claimed .*: it waits behind the firing of Sun 2026-03-01 01:00:00 \+00:00: it has run as/,
      ),
    });
    await writeLetter('parked');
    expect(await causeOf(handle, TWO)).toMatchObject({ cause: { cause: { kind: 'parked', letterId: LETTER } } });
    await set(`state = 'buffered', overlap = 'ALLOW_ALL'`, TWO);
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
  });

  it('which freeze holds one that its schedule had buffered, and none for one that a person asked for', async () => {
    const { handle, trigger } = await claimed({ policies: { overlap: 'BUFFER_ALL' } });
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    const to = new Date('2026-03-01T06:00:00Z');
    const { freeze } = await ledger().client.freezes.create({ scheduleIds: ['nightly'], to, note: 'release' });
    await set(`state = 'closed', outcome = 'completed', linked_at = claimed_at, closed_at = claimed_at`);
    await trigger.passes.claim();
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { kind: 'frozen', freeze: { freezeId: freeze.freezeId, note: 'release' } },
      words: expect.stringMatching(
        /to be claimed as workflow '\S+': it is held back by freeze \S+ \('release'\) from .* to Sun 2026-03-01 06:00:00 \+00:00\.$/,
      ),
    });
    const [from, until] = [to, new Date('2026-03-01T08:00:00Z')];
    await ledger().client.freezes.create({ scheduleIds: ['nightly'], from, to: until });
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { kind: 'frozen', freeze: { freezeId: freeze.freezeId }, until },
      words: expect.stringMatching(/06:00:00 \+00:00, and by later freezes until Sun 2026-03-01 08:00:00 \+00:00\.$/),
    });
    await set(`kind = 'backfill', actor = 'ops'`, TWO);
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
  });
});
