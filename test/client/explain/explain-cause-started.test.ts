import { describe, expect, it } from 'vitest';
import { causeOf, LETTER, ONE, TWO, useExplained } from './explained';

const { ledger, claimed, set, writeLetter } = useExplained();

describe('explain names what is wrong with what was started', () => {
  it('that no worker polls, or a workflow task fails', async () => {
    const { handle } = await claimed();
    await set(`state = 'linked', linked_at = claimed_at, stalled = 'no_worker'`);
    expect(await causeOf(handle)).toMatchObject({
      cause: { kind: 'stalled', reason: 'no_worker', taskQueue: 'nobody-polls' },
      words: expect.stringMatching(
        /it was started as workflow '\S+' at .* and makes no progress: no worker takes its workflow task from task queue 'nobody-polls'\.$/,
      ),
    });
    await set(`stalled = 'task_failing'`);
    expect((await causeOf(handle)).words).toMatch(/its workflow task fails again and again/);
  });

  it('of one that was handed over ahead: when it begins, and from then on what keeps it', async () => {
    const { handle } = await claimed();
    await set(`state = 'linked', linked_at = claimed_at, starts_at = '2026-03-01T01:00:10Z'`);
    expect((await causeOf(handle)).words).toMatch(
      /^it was handed to Temporal ahead of time, and workflow '\S+' begins at Sun 2026-03-01 01:00:10/,
    );
    ledger().clock.set('2026-03-01T01:00:10Z');
    expect((await causeOf(handle)).words).toMatch(/^it has run as workflow '\S+' since Sun 2026-03-01 01:00:10/);
    await set(`stalled = 'no_worker'`);
    expect((await causeOf(handle)).words).toMatch(/^it was started as .* 01:00:10 \+00:00 and makes no progress: /);
    await writeLetter('parked');
    expect((await causeOf(handle)).words).toMatch(/^it was started as .* 01:00:10 \+00:00 and is parked: /);
  });

  it('since when a step is parked, with its failure and its letter', async () => {
    const { handle } = await claimed();
    await set(`state = 'linked', linked_at = claimed_at, stalled = 'no_worker'`);
    await writeLetter('parked');
    expect(await causeOf(handle)).toMatchObject({
      cause: {
        kind: 'parked',
        since: new Date('2026-03-01T01:02:00Z'),
        step: 'charge',
        holds: true,
        until: undefined,
        letterId: LETTER,
        letterState: 'open',
      },
      words: expect.stringContaining(
        "and is parked: its step 'charge' has waited for a person since Sun 2026-03-01 01:02:00 +00:00; " +
          `it failed with CardDeclined (no money); dead letter ${LETTER} is open; the firing counts as running meanwhile`,
      ),
    });
    const policies = { parkedHolds: false, parkedAtMost: '1 hour' } as const;
    await handle.update((described) => ({ ...described, policies }));
    expect(await causeOf(handle)).toMatchObject({
      cause: { holds: false, until: new Date('2026-03-01T02:02:00Z') },
      words: expect.stringMatching(
        /has waited for a person since .*, and fails at Sun 2026-03-01 02:02:00 \+00:00 unless somebody decides; .*; the firing does not count as running meanwhile\.$/,
      ),
    });
    // The decision waits to be carried out, and is then told to the run, which goes on.
    const redrive = (request: string) =>
      ledger().query(`update escapement.dead_letters set state = 'redriving', redrive = $1`, [request]);
    await redrive('{"mode": "continue", "lookAt": "2026-03-01T01:05:00Z"}');
    expect((await causeOf(handle)).cause).toMatchObject({ kind: 'parked', letterState: 'redriving' });
    await redrive('{"mode": "continue", "told": {}}');
    expect((await causeOf(handle)).cause).toMatchObject({ kind: 'stalled' });
    await ledger().query(`update escapement.dead_letters set state = 'resolved', redrive = null`);
    expect((await causeOf(handle)).cause).toMatchObject({ kind: 'stalled' });
  });

  it('of one that was skipped, which parked firing held it by then, since when and by which letter', async () => {
    const { handle, trigger } = await claimed();
    await set(`state = 'linked', linked_at = claimed_at`);
    await writeLetter('parked');
    ledger().clock.set(TWO);
    await trigger.passes.heartbeat();
    await ledger().query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace,
        schedule_version, workflow_id, claimed_at)
      select schedule_id, $1, 'skipped', 'overlap', 'schedule', namespace, 1, 'w', $1 from escapement.firings`,
      [TWO],
    );
    const parked = { kind: 'behind_parked', scheduledTime: new Date(ONE), since: new Date('2026-03-01T01:02:00Z') };
    expect(await causeOf(handle, TWO)).toMatchObject({
      cause: { ...parked, step: 'charge', letterId: LETTER, letterState: 'open' },
      words:
        'it was skipped at Sun 2026-03-01 02:00:00 +00:00, because an earlier firing was still running: the firing of ' +
        "Sun 2026-03-01 01:00:00 +00:00 was parked, and its step 'charge' waited for a person since Sun 2026-03-01 " +
        `01:02:00 +00:00; it failed with CardDeclined (no money); dead letter ${LETTER} is open.`,
    });
    const letter = (change: string) => ledger().query(`update escapement.letters set ${change}`);
    const told = (at: string) =>
      letter(`state = 'resolved', redrive = '{"mode": "continue", "carriedOutAt": "${at}"}'`);
    // Settled in the meantime: it was parked when the other firing was skipped.
    await told('2026-03-01T02:30:00Z');
    expect((await causeOf(handle, TWO)).cause).toMatchObject({ ...parked, letterState: 'resolved' });
    // The firing ran again, was parked later, or did not hold its schedule, so the park was not the reason.
    await told('2026-03-01T01:30:00Z');
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
    await letter(`state = 'open', redrive = null, created_at = '2026-03-01T02:01Z'`);
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
    await letter(`created_at = '2026-03-01T01:02Z'`);
    await set(`reason = 'paused'`, TWO);
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
    await set(`reason = 'overlap'`, TWO);
    expect((await causeOf(handle, TWO)).cause).toMatchObject(parked);
    await handle.update((described) => ({ ...described, policies: { parkedHolds: false } }));
    expect((await causeOf(handle, TWO)).cause).toBeUndefined();
  });

  it('what it failed with, and what became of its letter', async () => {
    const { handle } = await claimed();
    await set(`state = 'closed', outcome = 'failed', closed_at = claimed_at`);
    await writeLetter('workflow', 'discarded');
    expect(await causeOf(handle)).toMatchObject({
      cause: {
        kind: 'failed',
        failure: { type: 'CardDeclined', message: 'no money' },
        letterId: LETTER,
        letterState: 'discarded',
      },
      words: expect.stringMatching(
        /failed at .*: the failure was CardDeclined \(no money\); dead letter \S+ is discarded\.$/,
      ),
    });
    await set(`epoch = epoch + 1`);
    expect((await causeOf(handle)).cause).toBeUndefined();
  });
});
