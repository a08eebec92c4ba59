import { expect, it } from 'vitest';
import type { PauseOptions } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';
import { runCommand } from '../../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);

async function paused(until: Parameters<ReturnType<typeof handleOf>['pause']>[0], spec = {}) {
  const handle = await ledger().client.create(
    someSchedule({
      scheduleId: 'nightly',
      spec: { cron: '0 * * * *', timezone: 'Europe/Berlin', ...spec },
      policies: { overlap: 'ALLOW_ALL' },
    }),
  );
  await handle.pause(until);
  return handle;
}

function handleOf() {
  return ledger().client.getHandle('nightly');
}

it('a pause with an end sleeps until then, and fires again by itself: what is due at its very end fires', async () => {
  const handle = await paused({ until: time('04:00:00'), note: 'the warehouse moves' });
  const { passes } = await ledger().trigger();
  for (const at of ['00:30:01', '01:00:00', '03:59:59']) {
    ledger().clock.set(`2026-03-01T${at}Z`);
    await passes.claim();
  }
  expect(await ledger().answers('nightly')).toEqual([]);
  expect(await ledger().query(`select wake_at from escapement.timers`)).toEqual([{ wake_at: time('04:00:00') }]);
  const { state } = await handle.describe();
  expect(state).toMatchObject({ paused: true, pausedUntil: time('04:00:00'), note: 'the warehouse moves' });

  ledger().clock.set('2026-03-01T04:00:00Z');
  await passes.claim();
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T03:00:00 gap 3 paused',
    '03-01T04:00:00 schedule claimed',
  ]);
  expect((await handle.describe()).state).toEqual({
    paused: false,
    note: 'its pause until 2026-03-01T04:00:00Z is over',
  });
  expect(ledger().log.lines.filter(({ message }) => message === 'unpaused')).toEqual([
    expect.objectContaining({ meta: expect.objectContaining({ scheduleId: 'nightly', actor: undefined }) }),
  ]);
});

it('behind an outage over its end the pause ends where it was to, and what came later was missed, not paused', async () => {
  await paused({ until: time('02:30:00') });
  const triggers = [await ledger().trigger(), await ledger().trigger()];
  await triggers[0]!.passes.claim();
  ledger().clock.set('2026-03-01T05:30:00Z');
  await Promise.all(triggers.map(({ passes }) => passes.claim()));
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    '03-01T03:00:00 catchup claimed',
    '03-01T04:00:00 catchup claimed',
    '03-01T05:00:00 catchup claimed',
  ]);
});

it('who unpauses or updates it behind its end, before a trigger came to it, makes no longer pause of it', async () => {
  const handle = await paused({ until: time('02:30:00') });
  ledger().clock.set('2026-03-01T03:30:00Z');
  await handle.update((previous) => ({ ...previous, spec: { cron: '15 * * * *' } }));
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    '03-01T03:00:00 catchup buffered',
  ]);
  ledger().clock.set('2026-03-01T04:20:00Z');
  await handle.unpause();
  // It had ended by itself.
  expect(await ledger().query('select unpaused_at, unpaused_by from escapement.schedules')).toEqual([
    { unpaused_at: time('02:30:00'), unpaused_by: null },
  ]);
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    '03-01T03:00:00 catchup claimed',
    '03-01T04:15:00 catchup claimed',
  ]);
});

it.each<[string, () => Promise<unknown>]>([
  ['pauses it', () => handleOf().pause('release')],
  ['pauses it with all others', () => ledger().client.bulk.pause({ all: true }, { note: 'release' })],
  [
    'updates it to be paused',
    () =>
      handleOf().update((previous) => ({ ...previous, state: { ...previous.state, paused: true, note: 'release' } })),
  ],
])('who %s behind its end, before a trigger came to it, pauses it for good', async (_, pause) => {
  const handle = await paused({ until: time('02:30:00') });
  ledger().clock.set('2026-03-01T03:30:00Z');
  await pause();
  expect((await handle.describe()).state).toEqual({
    ...{ paused: true, pausedAt: time('03:30:00'), pausedBy: 'test', note: 'release' },
  });
  const { passes } = await ledger().trigger();
  for (const at of ['03:30:01', '04:00:00', '05:00:00']) {
    ledger().clock.set(`2026-03-01T${at}Z`);
    await passes.claim();
  }
  await handle.unpause();
  const answers = (await ledger().answers('nightly')).join('\n');
  expect(answers).not.toMatch(/claimed|buffered/);
  expect(answers).toMatch(/03-01T05:00:00 gap \d paused$/);
});

it('who updates something else behind its end, before a trigger came to it, does not pause it', async () => {
  const handle = await paused({ until: time('02:30:00') });
  ledger().clock.set('2026-03-01T03:30:00Z');
  await handle.update((previous) => {
    expect(previous.state).toEqual({ paused: false, note: 'Paused via Escapement' });
    return { ...previous, owner: 'ann' };
  });
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    '03-01T03:00:00 catchup claimed',
  ]);
  expect((await handle.describe()).state).toEqual({
    paused: false,
    note: 'its pause until 2026-03-01T02:30:00Z is over',
  });
});

it('what waits for its jitter when the pause ends fires', async () => {
  const handle = await paused({ until: time('03:00:01') }, { jitter: '30 minutes' });
  await (await ledger().trigger()).passes.claim();
  ledger().clock.set('2026-03-01T03:59:59Z');
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    expect.stringMatching(/^03-01T03:00:00 (schedule|catchup) claimed$/),
  ]);
  expect((await handle.describe()).state.paused).toBe(false);
});

it('a person ends it early, gives it another end, or takes its end away', async () => {
  const handle = await paused({ until: '2026-03-01T06:00' });
  const { passes } = await ledger().trigger();
  await passes.claim();
  // By the schedule's zone, and by a duration.
  expect((await handle.describe()).state.pausedUntil).toEqual(time('05:00:00'));
  await handle.pause({ until: '90 minutes' });
  expect((await handle.describe()).state.pausedUntil).toEqual(time('02:00:00'));
  await handle.pause('for good');
  expect((await handle.describe()).state).not.toHaveProperty('pausedUntil');
  ledger().clock.set('2026-03-01T05:30:00Z');
  await passes.claim();
  expect(await ledger().answers('nightly')).toEqual([]);

  await handle.pause({ until: time('09:00:00') });
  await passes.claim();
  ledger().clock.set('2026-03-01T06:30:00Z');
  await handle.unpause();
  await passes.claim();
  ledger().clock.set('2026-03-01T07:00:00Z');
  await passes.claim();
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00..03-01T06:00:00 gap 6 paused',
    '03-01T07:00:00 schedule claimed',
  ]);
});

it('a trigger that does not know of it leaves such a schedule alone, and only while it is paused so', async () => {
  const formats = () => ledger().query<{ spec_format: number }>('select spec_format from escapement.timers');
  const handle = await paused({ until: '1 hour' });
  expect(await formats()).toEqual([{ spec_format: 2 }]);
  await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }));
  expect(await formats()).toEqual([{ spec_format: 2 }]);
  ledger().clock.set('2026-03-01T01:30:00Z');
  await (await ledger().trigger()).passes.claim();
  expect(await formats()).toEqual([{ spec_format: 1 }]);
});

it('an end that is no time to come is refused, and nothing is written', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'nightly' }));
  const never = [new Date('soon'), new Date(8.64e15), Number.NaN, Number.POSITIVE_INFINITY];
  for (const until of [...never, time('00:30:00'), '2026-02-28', 'soon', -5, 0, Date.now(), '11 years'] as string[])
    await expect(handle.pause({ until })).rejects.toMatchObject({ path: 'until' });
  expect((await handle.describe()).state).toEqual({ paused: false });
});

it('explain says until when it is paused, and that what comes at its end fires', async () => {
  const handle = await paused({ until: time('02:00:00'), note: 'moving' });
  const [within, at] = [await handle.explain(time('01:00:00')), await handle.explain(time('02:00:00'))];
  expect(within.sentence).toContain(
    "the schedule is paused until Sun 2026-03-01 03:00:00 +01:00 ('moving'); it will not fire unless the schedule is unpaused before then",
  );
  expect(at).toMatchObject({ answer: 'not_yet', because: 'ahead', checkAt: time('02:00:00') });
});

it('the command pauses until a time, and describe and list say so', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly' }));
  const at = ['--database-url', ledger().databaseUrl];
  const until = new Date(Math.ceil(Date.now() / 60_000 + 600) * 60_000).toISOString().replace('.000Z', 'Z');
  const { stdout } = await runCommand(['schedule', 'pause', 'nightly', '--until', until, ...at]);
  expect(stdout).toBe(`Paused 'nightly' until ${until}.`);
  for (const command of [['describe', 'nightly'], ['list']]) {
    expect((await runCommand(['schedule', ...command, ...at])).stdout).toContain(`paused until ${until}`);
  }
});

it('to pause what sleeps without an end gives it another note, and a trigger nothing to plan', async () => {
  const handle = await paused('first');
  const { passes } = await ledger().trigger();
  expect(await passes.claim()).toMatchObject({ due: 1 });
  await handle.pause('second');
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'second' });
  expect(await passes.claim()).toMatchObject({ due: 0 });
  // An end is planned, and so is that it has none any more.
  await handle.pause({ until: time('04:00:00') });
  expect(await passes.claim()).toMatchObject({ due: 1 });
  await handle.pause('third');
  expect(await passes.claim()).toMatchObject({ due: 1 });
  expect(await ledger().query('select wake_at::text from escapement.timers')).toEqual([{ wake_at: 'infinity' }]);
});

it('what it left waiting is skipped before it ends by itself, and gives back its action', async () => {
  const handle = await ledger().client.create(
    someSchedule({ scheduleId: 'nightly', spec: { cron: '0 * * * *' }, state: { remainingActions: 1 } }),
  );
  await handle.pause({ until: time('02:30:00') });
  // As a pause of very many leaves them whose process dies.
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
      claimed_at, tenant, task_queue, late, ready_at)
    values ('nightly', '2026-03-01T00:00Z', 'claimed', 'schedule', 'default', 1, '2026-03-01T00:30Z', '', 'q', false, '2026-03-01T00:00Z')`);
  ledger().clock.set('2026-03-01T03:00:00Z');
  const { passes } = await ledger().trigger();
  expect(await passes.claim()).toMatchObject({ more: true });
  expect(await passes.claim()).toMatchObject({ more: false });
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T00:00:00 schedule skipped paused',
    '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
    '03-01T03:00:00 schedule claimed',
  ]);
  expect((await handle.describe()).state).toMatchObject({ paused: false, remainingActions: 1 });
});

it.each<[string, PauseOptions, () => Promise<unknown>]>([
  ['that ends by itself', { until: time('03:30:00') }, async () => undefined],
  ['that a person ends', {}, () => handleOf().unpause()],
  [
    'that an update ends',
    {},
    () => handleOf().update((previous) => ({ ...previous, state: { ...previous.state, paused: false } })),
  ],
])('what was buffered before a pause %s is skipped, though no trigger polled meanwhile', async (_, pause, end) => {
  const handle = await ledger().client.create(
    someSchedule({
      scheduleId: 'nightly',
      spec: { cron: '0 * * * *' },
      policies: { overlap: 'BUFFER_ALL' },
      state: { remainingActions: 4 },
    }),
  );
  await ledger().claimAt('01:00:00', '02:00:00', '03:00:00');
  ledger().clock.set('2026-03-01T03:10:00Z');
  await handle.trigger('BUFFER_ALL');
  await handle.pause(pause);
  ledger().clock.set('2026-03-01T03:40:00Z');
  await end();
  const { passes } = await ledger().trigger({ limits: { firingsPerScheduleAndPass: 1 } });
  for (const at of ['03:40:00', '03:40:01', '03:40:02', '04:00:00']) {
    ledger().clock.set(`2026-03-01T${at}Z`);
    await passes.claim();
  }
  expect(await ledger().answers('nightly')).toEqual([
    '03-01T01:00:00 schedule skipped paused',
    '03-01T02:00:00 schedule skipped paused',
    '03-01T03:00:00 schedule skipped paused',
    expect.stringMatching(/^03-01T03:10:00\S* manual claimed$/),
    '03-01T04:00:00 schedule buffered',
  ]);
  expect((await handle.describe()).state).toMatchObject({ paused: false, remainingActions: 4 });
});
