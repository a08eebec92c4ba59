import { describe, expect, it } from 'vitest';
import { type ScheduleHandle, ScheduleNotFoundError } from '../../../index';
import { SHADOW_FORMAT } from '../../../store/spec-format';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const BERLIN = { cron: '0 * * * *', timezone: 'Europe/Berlin' };
const policies = { overlap: 'ALLOW_ALL' } as const;

const berlin = (options: Parameters<typeof someSchedule>[0] = {}) =>
  ledger().client.create(someSchedule({ scheduleId: 'nightly', spec: BERLIN, policies, ...options }));

async function settle(time: string): Promise<void> {
  ledger().clock.set(time);
  const trigger = await ledger().trigger();
  await trigger.passes.heartbeat();
  await trigger.passes.claim();
}

describe('explain says in a sentence, in the schedule’s zone', () => {
  it('what became of a firing', async () => {
    const handle = await berlin();
    await settle('2026-03-01T01:00:00Z');
    expect(await handle.explain('2026-03-01T02:00')).toMatchObject({
      answer: 'firing',
      time: new Date('2026-03-01T01:00:00Z'),
      firing: { state: 'claimed' },
      sentence:
        'Sun 2026-03-01 02:00:00 +01:00: it was claimed at Sun 2026-03-01 02:00:00 +01:00 and ' +
        "workflow 'nightly-workflow-2026-03-01T01:00:00Z' is being started.",
    });
    const firing = (change: string) =>
      ledger()
        .query(`update escapement.firings set ${change}`)
        .then(() => handle.explain('2026-03-01T01:00:00Z'));
    expect((await firing(`state = 'linked', linked_at = claimed_at`)).sentence).toMatch(
      / it has run as workflow '\S+' since Sun 2026-03-01 02:00:00/,
    );
    expect((await firing(`state = 'closed', outcome = 'failed', closed_at = '2026-03-01T01:05Z'`)).sentence).toMatch(
      / it ran as workflow '\S+', which failed at Sun 2026-03-01 02:05:00/,
    );
    const abandoned = `state = 'abandoned', outcome = null, reason = 'start_rejected', start_attempts = 3, last_error = 'no such type',
      recovery = '{"number": 2, "recoveredAt": "2026-03-01T01:01:00Z", "reason": "trigger_lost"}'`;
    expect((await firing(abandoned)).sentence).toMatch(
      /was abandoned at .*, because Temporal refused to start it; .*refused its start 3 times; it was taken over 2 times, the last time because its trigger had died; the last error was: no such type\.$/,
    );
    expect((await firing(`recovery = recovery || '{"reason": "check_overdue"}'`)).sentence).toMatch(
      /taken over 2 times, the last time because its start was not recorded in time; /,
    );
    expect((await firing(`reason = 'start_uncertain'`)).sentence).toMatch(/; it may have started workflow '\S+'; /);
    expect((await firing(`state = 'skipped', reason = 'overlap'`)).sentence).toMatch(/was skipped at .*still running/);
  });

  it('who asked for a manual firing, and who excluded an occurrence', async () => {
    const handle = await berlin();
    const { scheduledTime } = await handle.trigger();
    expect((await handle.explain(scheduledTime)).sentence).toMatch(
      / the manual firing \(asked for by test\) has waited since/,
    );
    await handle.exclude('2026-03-01T03:00:00Z');
    expect(await handle.explain('2026-03-01T03:00:00Z')).toMatchObject({
      answer: 'firing',
      sentence: 'Sun 2026-03-01 04:00:00 +01:00: it does not fire: test excluded it at Sun 2026-03-01 01:30:00 +01:00.',
    });
  });

  it('why an occurrence lies in a gap, and that a firing beats it', async () => {
    const handle = await berlin();
    await handle.pause();
    ledger().clock.set('2026-03-01T03:30:00Z');
    await handle.unpause();
    expect(await handle.explain('2026-03-01T02:00:00Z')).toMatchObject({
      answer: 'gap',
      gap: { count: 3, reason: 'paused', from: new Date('2026-03-01T01:00:00Z'), to: new Date('2026-03-01T03:00:00Z') },
      sentence:
        'Sun 2026-03-01 03:00:00 +01:00: it did not fire, because the schedule was paused; the gap has 3 occurrences, from ' +
        'Sun 2026-03-01 02:00:00 +01:00 to Sun 2026-03-01 04:00:00 +01:00. ' +
        "A backfill or 'escapement firing run-again' can still fire it.",
    });
    expect(await handle.explain('2026-03-01T02:30:00Z')).toMatchObject({ answer: 'not_an_occurrence' });
    const time = new Date('2026-03-01T02:00:00Z');
    await handle.backfill({ start: time, end: time });
    expect(await handle.explain(time)).toMatchObject({
      answer: 'firing',
      sentence: expect.stringContaining('its backfill (asked for by test) has waited since'),
    });
  });

  it.each([
    ['deleted', (handle: ScheduleHandle) => handle.delete()],
    [
      'in shadow',
      async () => void (await ledger().query(`update escapement.timers set spec_format = ${SHADOW_FORMAT}`)),
    ],
  ])('nothing of a backfill if the schedule is %s, which starts none', async (_, stop) => {
    const handle = await berlin();
    await handle.pause();
    ledger().clock.set('2026-03-01T03:30:00Z');
    await handle.unpause();
    const says = async () => (await handle.explain('2026-03-01T02:00:00Z')).sentence;
    expect(await says()).toMatch(/ A backfill or 'escapement firing run-again' can still fire it\.$/);
    await stop(handle);
    expect(await says()).toMatch(
      / the gap has 3 occurrences, from \S+ \S+ \S+ \S+ to Sun 2026-03-01 04:00:00 \+01:00\.$/,
    );
  });

  it('that an occurrence of a paused schedule fires after its nominal time, if the schedule is unpaused before its jitter ends', async () => {
    const handle = await berlin({ spec: { ...BERLIN, jitter: '30 minutes' } });
    const time = '2026-03-01T01:00:00Z';
    const { checkAt } = (await handle.explain(time)) as { checkAt?: Date };
    const start = checkAt!.getTime();
    expect(start - Date.parse(time)).toBeGreaterThan(1_000);
    await handle.pause();
    ledger().clock.set(new Date(start - 1_000).toISOString());
    const shown = `${checkAt!.toISOString().slice(11, 19).replace('01:', '02:')} +01:00`;
    expect((await handle.explain(time)).sentence).toContain(
      `it will not fire unless the schedule is unpaused before Sun 2026-03-01 ${shown}.`,
    );
    await handle.unpause();
    await settle(checkAt!.toISOString());
    expect(await handle.explain(time)).toMatchObject({ answer: 'firing', firing: { state: 'claimed' } });
  });

  it('that a coming occurrence waits for a newer trigger, if only a newer one reads the schedule', async () => {
    const handle = await berlin();
    await ledger().query('update escapement.timers set spec_format = 1000');
    const told = await handle.explain('2026-03-02T02:00:00Z');
    expect(told).toMatchObject({ answer: 'not_yet', because: 'ahead', cause: { kind: 'newer_trigger' } });
    expect(told.sentence).toContain(
      'not yet; it is due at Mon 2026-03-02 03:00:00 +01:00, but it waits for a newer trigger',
    );
  });

  it('that a time is no occurrence by the definition in force then, with the nearest two', async () => {
    const handle = await berlin();
    await settle('2026-03-01T02:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: { ...BERLIN, cron: '30 * * * *' } }));
    await settle('2026-03-01T03:30:00Z');
    const answers = ['01:00', '01:30', '02:30', '03:00'].map(async (time) => {
      const { answer, sentence } = await handle.explain(`2026-03-01T${time}:00Z`);
      return `${answer} ${/version \d/.exec(sentence)?.[0] ?? ''}`.trim();
    });
    expect(await Promise.all(answers)).toEqual([
      'firing',
      'not_an_occurrence version 1',
      'firing',
      'not_an_occurrence version 2',
    ]);
    expect(await handle.explain('2026-03-01T03:00:00Z')).toMatchObject({
      nearest: { before: new Date('2026-03-01T02:30:00Z'), after: new Date('2026-03-01T03:30:00Z') },
    });
  });

  it('when a coming occurrence is planned, and that a due one waits for a trigger', async () => {
    const handle = await berlin();
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'not_yet',
      because: 'ahead',
      checkAt: new Date('2026-03-01T01:00:00Z'),
      sentence: 'Sun 2026-03-01 02:00:00 +01:00: not yet; it starts at Sun 2026-03-01 02:00:00 +01:00.',
    });
    ledger().clock.set('2026-03-01T01:30:00Z');
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'not_yet',
      because: 'due',
      cause: { kind: 'no_trigger', lastHeartbeatAt: null },
      sentence: 'Sun 2026-03-01 02:00:00 +01:00: it is due and not claimed yet: no trigger is alive.',
    });
  });

  it('that a schedule in shadow starts nothing', async () => {
    const handle = await berlin();
    await ledger().query(`update escapement.timers set spec_format = ${SHADOW_FORMAT}`);
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      because: 'ahead',
      sentence:
        'Sun 2026-03-01 02:00:00 +01:00: it will be skipped at Sun 2026-03-01 02:00:00 +01:00, because the schedule is in ' +
        'shadow, and Temporal’s own schedule of this name runs it.',
    });
  });

  it('what becomes of an occurrence of a schedule that sleeps', async () => {
    const handle = await berlin({ state: { remainingActions: 0 } });
    const explain = async () => {
      const past = await handle.explain('2026-03-01T01:00:00Z');
      const coming = await handle.explain('2026-03-01T05:00:00Z');
      return [past, coming].map((one) =>
        one.answer === 'not_yet' ? `${one.because}: ${one.sentence.slice(32)}` : one,
      );
    };
    ledger().clock.set('2026-03-01T01:30:00Z');
    expect(await explain()).toEqual([
      "completed: the schedule has no actions left; a gap 'completed' will record it once the schedule gets more by an update.",
      'completed: the schedule has no actions left; it will not fire unless the schedule gets more by an update before then.',
    ]);
    await handle.pause('audit');
    const since = 'Sun 2026-03-01 02:30:00 +01:00';
    expect(await explain()).toEqual([
      `paused: the schedule is paused ('audit'), last changed at ${since}; a gap 'paused' will record it once the schedule is unpaused.`,
      `paused: the schedule is paused ('audit'), last changed at ${since}; it will not fire unless the schedule is unpaused before then.`,
    ]);
    await handle.delete();
    expect(await explain()).toEqual([
      `deleted: the schedule was deleted at ${since}; a gap 'deleted' will record it once the schedule is created again.`,
      `deleted: the schedule was deleted at ${since}; it will not fire unless the schedule is created again before then.`,
    ]);
  });

  it('that the schedule did not exist, and that there never was one', async () => {
    const handle = await berlin();
    expect(await handle.explain('2026-02-28T23:00:00Z')).toMatchObject({
      answer: 'before_creation',
      createdAt: new Date('2026-03-01T00:30:00Z'),
      sentence:
        'Sun 2026-03-01 00:00:00 +01:00: the schedule did not exist; it was created at Sun 2026-03-01 01:30:00 +01:00.',
    });
    const nobody = ledger().client.getHandle('nobody').explain('2026-03-01T01:00:00Z');
    await expect(nobody).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });

  it('that the time is retired', async () => {
    const handle = await berlin();
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-02-01T00:00:00Z"')`);
    expect(await handle.explain('2026-01-28T23:00:00Z')).toMatchObject({
      answer: 'retired',
      floor: new Date('2026-02-01T00:00:00Z'),
    });
  });

  it('that the definition of then cannot be evaluated, and that the schedule is set aside', async () => {
    const handle = await berlin();
    await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "0 0 * * W"}'`);
    await settle('2026-03-01T01:00:00Z');
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'spec_error',
      version: 1,
      sentence: expect.stringMatching(
        /: it is not known whether this was an occurrence, because the definition of that time, version 1 in schedule_versions, cannot be used \(spec\.cron.*\); write the definition again with 'escapement schedule update', or delete the schedule\.$/,
      ),
    });
    await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "0 * * * *"}'`);
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'not_yet',
      because: 'spec_error',
      sentence: expect.stringMatching(
        /: the schedule is set aside, because its definition, version 1 in schedule_versions, cannot be used \(spec\.cron.*\); write the definition again with 'escapement schedule update', or delete the schedule\.$/,
      ),
    });
    // A version that is no longer in force cannot be repaired.
    await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "0 0 * * W"}'`);
    ledger().clock.advance(60_000);
    await handle.update((previous) => ({ ...previous, spec: BERLIN }));
    const { sentence } = await handle.explain('2026-03-01T01:00:00Z');
    expect(sentence).toMatch(/version 1 in schedule_versions, cannot be used \(.*\)\.$/);
  });

  it('in UTC where the zone of a definition is none that is known here', async () => {
    const handle = await berlin();
    await ledger().query(
      `update escapement.schedule_versions set spec = '{"cron": "0 * * * *", "timezone": "Europe/Atlantis"}'`,
    );
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'spec_error',
      sentence: expect.stringMatching(
        /^Sun 2026-03-01 01:00:00 \+00:00: .*the definition of that time.*Europe\/Atlantis/,
      ),
    });
    await expect(handle.explain('2026-03-01T01:00')).rejects.toMatchObject({ path: 'time' });
  });

  it('that a row is missing', async () => {
    const handle = await berlin();
    await settle('2026-03-01T01:00:00Z');
    await ledger().query('delete from escapement.firings');
    expect(await handle.explain('2026-03-01T01:00:00Z')).toMatchObject({
      answer: 'missing',
      sentence: expect.stringMatching(/it has no row; .* 'escapement firing run-again' can fire it\.$/),
    });
    await handle.delete();
    expect((await handle.explain('2026-03-01T01:00:00Z')).sentence).toMatch(/ may also have answered it\.$/);
  });

  it('a local time that the clock shows twice or never', async () => {
    const handle = await berlin();
    const time = async (local: string) => (await handle.explain(local)).time.toISOString();
    expect(await time('2026-10-25 02:00')).toBe('2026-10-25T00:00:00.000Z');
    expect(await time('2026-10-25T02:00:00+01:00')).toBe('2026-10-25T01:00:00.000Z');
    expect(await time('2026-03-29 02:30')).toBe('2026-03-29T01:00:00.000Z');
    await expect(handle.explain('yesterday')).rejects.toMatchObject({ path: 'time' });
  });
});
