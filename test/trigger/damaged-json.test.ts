import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { leaveUncalled } from '../support/announced';
import { writeLetter } from '../support/failures/letters';
import { someSchedule, useLedger } from '../support/ledger';
import { triggerOnDouble } from '../support/watched-double';

const ledger = useLedger('2026-03-01T00:30:00Z');
const NO_INSTANTS = [['"soon"'], ['7'], ['{}'], ['null'], ['"2026-02-30T00:00:00.000Z"'], ['"2026-03-01"']];

const meta = (key: string, value: string) =>
  ledger().query(
    `insert into escapement.meta values ($1, $2::jsonb) on conflict (key) do update set value = excluded.value`,
    [key, value],
  );

it.each(NO_INSTANTS)(
  'a letter that is to be redriven at %s waits, others are redriven, and upkeep is carried out',
  async (instant) => {
    const { client, clock, query } = { ...ledger(), query: ledger().query.bind(ledger()) };
    const [bad, good] = [await writeLetter(ledger()), await writeLetter(ledger())];
    for (const letterId of [bad, good]) await client.deadLetters.redrive(letterId, { mode: 'restart' });
    const [row] = await query<{ redrive: { lookAt: string } }>(
      'select redrive from escapement.letters where letter_id = $1',
      [bad],
    );
    const write = (lookAt: string) =>
      query(`update escapement.letters set redrive = jsonb_set(redrive, '{lookAt}', $2::jsonb) where letter_id = $1`, [
        bad,
        lookAt,
      ]);
    await write(instant);
    const { passes } = await triggerOnDouble(ledger());
    clock.advance(1_000);
    expect(await passes.reconcile()).toMatchObject({ anythingToRedrive: true });
    expect(await passes.redrive()).toMatchObject({ taken: 1, restarted: 1 });
    await passes.sweep();
    await write(JSON.stringify(row!.redrive.lookAt));
    expect(await passes.redrive()).toMatchObject({ taken: 1, restarted: 1 });
  },
);

it.each(NO_INSTANTS)('a step that was parked at %s hides no alert', async (instant) => {
  const letterId = await writeLetter(ledger(), { kind: 'parked', firing: { state: 'linked' } });
  await ledger().query(
    `update escapement.letters set created_at = '2026-03-01T00:29Z',
       failed_step = jsonb_set(failed_step, '{failedAt}', $2::jsonb) where letter_id = $1`,
    [letterId, instant],
  );
  const { passes } = await triggerOnDouble(ledger());
  await passes.alert();
  ledger().clock.set('2026-03-03T00:30:00Z');
  await passes.alert();
  expect(
    await ledger().query(`select 1 from escapement.alerts where condition = 'parked'`),
    JSON.stringify(ledger().log.lines),
  ).toHaveLength(1);
});

it('a takeover at no instant hides no alert', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await ledger().client.getHandle(scheduleId).trigger();
  await ledger().query(`update escapement.firings set recovery = '{"number": 2, "recoveredAt": "soon"}'`);
  const { passes } = await triggerOnDouble(ledger());
  await passes.alert();
  ledger().clock.advance(60_000);
  expect(await passes.alert()).toMatchObject({ reminded: [] });
});

it.each([
  ['7', { readTo: '7' }],
  ['no instant', { readTo: '{"readTo": "soon", "places": null}' }],
])('the alert pass goes on from the present if it was at %s', async (_, { readTo }) => {
  const { passes } = await triggerOnDouble(ledger());
  await passes.alert();
  await meta('alerts', readTo);
  await passes.alert();
  const [row] = await ledger().query<{ value: unknown }>(`select value from escapement.meta where key = 'alerts'`);
  expect(row!.value).toMatchObject({ readTo: '2026-03-01T00:30:00.000Z' });
});

it.each([
  ['alive_since', '{"at": "soon"}'],
  ['alive_since', '[]'],
  ['outages', '"many"'],
  ['outages', '1e30'],
  ['settings', '7'],
  ['settings', '{"staleAfterMilliseconds": "soon", "retentionMilliseconds": {}, "archiveFirst": 1, "alerts": 7}'],
  ['settings', '{"staleAfterMilliseconds": 1e15}'],
  ['daily_look', '{"owner": "nobody", "begunAt": "soon", "since": 7, "places": 7}'],
  ['ends:default', '{"listedAt": "soon", "listedTo": 7, "openUntil": [], "lateListDueAt": {}}'],
  ['ends:default', '7'],
  ['parked_round', '7'],
  ['parked_round', '{"owner": "nobody", "name": "at once", "againAt": "soon", "places": {}}'],
])('every pass works, and fires, if %s in meta is %s', async (key, value) => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const { passes } = await triggerOnDouble(ledger());
  await meta(key, value);
  ledger().clock.set('2026-03-01T01:00:00Z');
  for (const pass of ['heartbeat', 'reconcile', 'claim', 'dispatch'] as const) await passes[pass]();
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  ledger().clock.advance(1_000);
  for (const pass of ['observe', 'adopt', 'askParked', 'redrive', 'sweep', 'alert', 'report'] as const)
    await passes[pass]();
});

it('months are kept if the ledger’s settings cannot be read, and none is dropped before it is archived', async () => {
  await meta('settings', '{"retentionMilliseconds": "90 days", "archiveFirst": "yes"}');
  const keeps = { retentionMilliseconds: Number.POSITIVE_INFINITY, archiveFirst: true };
  expect(await ledger().client.settings.describe()).toMatchObject({ ...keeps, staleAfterMilliseconds: 10_000 });
  await meta('settings', '[]');
  expect(await ledger().client.settings.describe()).toMatchObject(keeps);
});

it.each([['[]'], ['"x"'], ['7']])(
  'a person who sets one setting over settings that are %s deletes nothing by the others',
  async (stored) => {
    const { settings } = ledger().client;
    await meta('settings', stored);
    expect(await settings.set({ staleAfter: '20 seconds' })).toMatchObject({
      staleAfterMilliseconds: 20_000,
      retentionMilliseconds: Number.POSITIVE_INFINITY,
      archiveFirst: true,
    });
    const retentionMilliseconds = 7_776_000_000;
    expect(await settings.set({ retention: '90 days' })).toMatchObject({ retentionMilliseconds, archiveFirst: true });
  },
);

it.each([['7'], ['{}'], ['[7]'], ['[{"since": 7}]'], ['[null]']])(
  'a trigger that reports %s hides no alert, and every trigger is listed',
  async (reported) => {
    const { passes } = await triggerOnDouble(ledger());
    await passes.heartbeat();
    await ledger().query(
      `insert into escapement.triggers (id, host, version, heartbeat_at, schema_version, away, caps, problems, start_caps)
       values ($1, 'other', '9.0.0', '2026-03-01T00:30Z', 99, $2::jsonb, $2::jsonb, $2::jsonb, $2::jsonb)`,
      [randomUUID(), reported],
    );
    await passes.alert();
    expect(await ledger().client.triggers()).toHaveLength(2);
  },
);

it.each([
  ['spec', `'null'`],
  ['spec', `jsonb_set(spec, '{timezone}', '"Mars/Olympus"')`],
  ['spec', `jsonb_set(spec, '{timezone}', '7')`],
  ['action', `jsonb_set(action, '{softTimeout}', '1e30')`],
])('a firing that was claimed starts, though its %s became %s', async (column, damaged) => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const claiming = await triggerOnDouble(ledger());
  ledger().clock.set('2026-03-01T01:00:00Z');
  await claiming.passes.claim();
  await ledger().query(`update escapement.schedule_versions set ${column} = ${damaged}`);
  const { passes } = await triggerOnDouble(ledger());
  expect(await passes.dispatch()).toMatchObject({ linked: 1 });
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
});

it('a firing starts, though the row of the former one lacks its end', async () => {
  await ledger().client.create(someSchedule());
  const { passes } = await triggerOnDouble(ledger());
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.dispatch();
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'completed', closed_at = null, workflow_id = null, check_at = null`,
  );
  ledger().clock.set('2026-03-01T02:00:00Z');
  await passes.claim();
  expect(await passes.dispatch()).toMatchObject({ linked: 1 });
});

it.each([
  ["action - 'taskQueue'", 'start_refused'],
  [`action || '{"taskQueue": ""}'`, 'start_refused'],
  ["'7'", 'start_rejected'],
])(
  'a firing that waited for another is decided, though the action of its version became %s, and its schedule fires',
  async (damaged, reason) => {
    const { client, clock } = ledger();
    const { spec, action, policies } = someSchedule({ policies: { overlap: 'BUFFER_ONE' } });
    const { scheduleId } = await client.create(someSchedule({ spec, action, policies }));
    const claiming = await triggerOnDouble(ledger());
    clock.set('2026-03-01T01:00:00Z');
    await claiming.passes.claim();
    await claiming.passes.dispatch();
    clock.set('2026-03-01T02:00:00Z');
    await claiming.passes.claim();
    await ledger().query(`update escapement.schedule_versions set action = ${damaged}`);
    await client.getHandle(scheduleId).update(() => ({ spec, action, policies }));
    await ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed', closed_at = linked_at
      where state = 'linked'`);
    clock.set('2026-03-01T02:01:00Z');
    await ledger().query('update escapement.timers set wake_at = $1', [new Date(clock.now())]);
    const releasing = await triggerOnDouble(ledger());
    await releasing.passes.claim();
    // As a trigger leaves it that could not call start.
    await leaveUncalled(ledger(), releasing.trigger);
    await releasing.passes.reconcile();
    const { passes } = await triggerOnDouble(ledger());
    for (let tries = 0; tries < 20; tries++) {
      await passes.dispatch();
      await passes.reconcile();
      clock.advance(5 * 60_000);
    }
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      `03-01T02:00:00 schedule abandoned ${reason}`,
    ]);
    await passes.claim();
    expect(await passes.dispatch()).toMatchObject({ linked: 1 });
  },
);
