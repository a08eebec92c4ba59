import { Client } from 'pg';
import { expect, it } from 'vitest';
import type { ScheduleHandle } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const action = () => ({ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue });

/** As a newer program, or a damage, would write it. The next trigger reads it, since definitions are kept by version. */
async function store(scheduleId: string, change: string): Promise<void> {
  await ledger().query(`update escapement.schedule_versions set ${change} where schedule_id = $1`, [scheduleId]);
}

const WAKES = 'select isfinite(wake_at) as wakes from escapement.timers';

const specError = async (scheduleId: string) =>
  (await ledger().query('select spec_error from escapement.schedules where schedule_id = $1', [scheduleId]))[0]!
    .spec_error;

it.each([
  ['policies', 'null', 'the stored policies of the schedule is not an object'],
  ['action', '7', 'the stored action of the schedule is not an object'],
  ['action', '[]', 'the stored action of the schedule is not an object'],
  ['spec', '"hourly"', 'the stored spec of the schedule is not an object'],
  ['spec', '{"cron": null}', 'spec.cron: is null, and the spec has no other times'],
  ['spec', '{"at": null, "calendars": []}', 'spec.at: is null, and the spec has no other times'],
  [undefined, undefined, 'its version 1 is not in the ledger'],
])('a schedule is set aside whose stored %s is %s, and says so; the others fire', async (column, stored, problem) => {
  const { client, clock, query } = { ...ledger(), query: ledger().query.bind(ledger()) };
  const bad = await client.create(someSchedule());
  const good = await client.create(someSchedule());
  const rows = `escapement.schedule_versions`;
  const change = column === undefined ? `delete from ${rows}` : `update ${rows} set ${column} = $2::jsonb`;
  await query(`${change} where schedule_id = $1`, [bad.scheduleId, ...(stored === undefined ? [] : [stored])]);
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  const { claimed } = await passes.claim();
  expect(claimed.map(({ scheduleId }) => scheduleId)).toEqual([good.scheduleId]);
  const [row] = await query<{ spec_error: string }>(
    'select spec_error from escapement.schedules where schedule_id = $1',
    [bad.scheduleId],
  );
  expect(row!.spec_error).toContain(problem);
});

it('a schedule that is set aside fires only by hand until somebody changes it, though this trigger can use its definition', async () => {
  const { client, clock, query } = { ...ledger(), query: ledger().query.bind(ledger()) };
  const handle = await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  await query(`update escapement.schedules set spec_error = 'unknown here', set_aside_at = now()`);
  await query(`update escapement.timers set wake_at = 'infinity', next_fire_at = null`);
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T05:00:30Z');
  await handle.trigger();
  await passes.claim();
  expect(await query('select kind, state from escapement.firings')).toEqual([{ kind: 'manual', state: 'claimed' }]);
  await handle.update((previous) => previous);
  clock.set('2026-03-01T06:00:00Z');
  await passes.claim();
  const ofSpec = `select scheduled_time as at from escapement.firings where kind = 'schedule'`;
  expect(await query(ofSpec)).toEqual([{ at: new Date('2026-03-01T06:00:00Z') }]);
});

it('a damaged schedule whose row another transaction keeps locked stops no others, and is set aside later', async () => {
  const bad = await ledger().client.create(someSchedule());
  const good = await ledger().client.create(someSchedule());
  await store(bad.scheduleId, `spec = '"hourly"'`);
  const holder = new Client({ connectionString: ledger().databaseUrl });
  await holder.connect();
  ledger().beforeClose(() => holder.end());
  await holder.query('begin');
  await holder.query('select from escapement.schedules where schedule_id = $1 for update', [bad.scheduleId]);
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  const { claimed } = await passes.claim();
  expect(claimed.map(({ scheduleId }) => scheduleId)).toEqual([good.scheduleId]);
  await holder.query('rollback');
  ledger().clock.advance(10_000);
  await passes.claim();
  expect(await specError(bad.scheduleId)).toContain('the stored spec of the schedule');
});

// An old trigger in a rolling upgrade must not stop what newer ones can fire.
it.each([
  ['policies', 'overlap', `'"SOMEHOW"'`, `'"SKIP"'`],
  ['policies', 'onUncertain', `'"ASK"'`, `'"SKIP"'`],
  ['action', 'taskQueue', `'{"of": "newer"}'`, `'"q"'`],
])(
  'a schedule is left to newer triggers whose stored %s.%s this one does not know',
  async (column, field, newer, known) => {
    const { client, clock, log } = ledger();
    const unknown = await client.create(someSchedule());
    const good = await client.create(someSchedule());
    await store(unknown.scheduleId, `${column} = jsonb_set(${column}, '{${field}}', ${newer})`);
    const { passes } = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    const { claimed } = await passes.claim();
    await passes.claim();
    expect(claimed.map(({ scheduleId }) => scheduleId)).toEqual([good.scheduleId]);
    expect(await specError(unknown.scheduleId)).toBeNull();
    const meta = { scheduleId: unknown.scheduleId, problem: expect.stringContaining(`the stored ${column}.${field}`) };
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: expect.stringContaining('left to'), meta },
    ]);

    await store(unknown.scheduleId, `${column} = jsonb_set(${column}, '{${field}}', ${known})`);
    const newerTrigger = await ledger().trigger();
    expect((await newerTrigger.passes.claim()).claimed.map(({ scheduleId }) => scheduleId)).toEqual([
      unknown.scheduleId,
    ]);
  },
);

it('what a person asked for of a paused schedule with such a value is left to newer triggers too', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule({ state: { paused: true } }));
  await handle.trigger();
  await store(handle.scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  expect((await (await ledger().trigger()).passes.claim()).claimed).toEqual([]);
  expect(await ledger().answers(handle.scheduleId)).toEqual([expect.stringMatching(/ manual buffered$/)]);
  await store(handle.scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SKIP"')`);
  ledger().clock.set('2026-03-01T00:31:01Z');
  expect((await (await ledger().trigger()).passes.claim()).claimed).toMatchObject([{ kind: 'manual' }]);
});

it('a paused schedule with such a value sleeps, and is not due for ever', async () => {
  const handle = await ledger().client.create(someSchedule());
  await store(handle.scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  await handle.pause();
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().query(WAKES)).toEqual([{ wakes: false }]);
});

it.each([
  ['paused', (handle: ScheduleHandle) => handle.pause()],
  ['deleted', (handle: ScheduleHandle) => handle.delete()],
])('a schedule with such a value sleeps once it is %s, though a trigger has left it to others', async (_, stop) => {
  const handle = await ledger().client.create(someSchedule());
  await store(handle.scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  expect(await passes.claim()).toMatchObject({ due: 1, locked: 0 });
  expect(await passes.claim()).toMatchObject({ due: 0 });
  await stop(handle);
  await passes.claim();
  expect(await ledger().query(WAKES)).toEqual([{ wakes: false }]);
});

it('a schedule with such a value is left to others again when its pause ends', async () => {
  const handle = await ledger().client.create(someSchedule());
  await store(handle.scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await handle.pause({ until: '1 hour' });
  expect(await passes.claim()).toMatchObject({ due: 1, locked: 1 });
  ledger().clock.set('2026-03-01T02:00:00Z');
  expect(await passes.claim()).toMatchObject({ due: 0 });
});

it('a firing with an overlap policy of its own that this version does not know ends no workflow, and waits for newer triggers', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ action: action() }));
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.dispatch();
  clock.set('2026-03-01T01:10:00Z');
  await handle.trigger();
  const overlap = (policy: string) =>
    ledger().query(`update escapement.firings set overlap = $1 where state = 'buffered'`, [policy]);
  await overlap('SOMEHOW');
  expect((await passes.claim()).claimed).toEqual([]);
  expect(
    await ledger().query('select state, overlap, interrupt from escapement.firings order by scheduled_time'),
  ).toEqual([
    { state: 'linked', overlap: null, interrupt: null },
    { state: 'buffered', overlap: 'SOMEHOW', interrupt: null },
  ]);
  // A newer trigger is not kept waiting until the next occurrence.
  await overlap('ALLOW_ALL');
  clock.set('2026-03-01T01:11:01Z');
  expect((await passes.claim()).claimed).toMatchObject([{ kind: 'manual' }]);
});

it('a schedule in a form that only newer programs know stays in it, whatever this version changes, and is left to them', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule());
  await ledger().query('update escapement.timers set spec_format = 1000');
  await handle.pause({ until: '1 hour' });
  await handle.unpause();
  await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }));
  expect(await ledger().query('select spec_format from escapement.timers')).toEqual([{ spec_format: 1000 }]);
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:05:00Z');
  expect((await passes.claim()).claimed).toEqual([]);
  expect(await ledger().answers(handle.scheduleId)).toEqual([]);
});

it('a schedule in a form that only newer programs know is at rest once it is deleted', async () => {
  const handle = await ledger().client.create(someSchedule());
  await handle.trigger();
  await ledger().query('update escapement.timers set spec_format = 1000');
  await handle.delete();
  await (await ledger().trigger()).passes.claim();
  expect(await ledger().query(WAKES)).toEqual([{ wakes: false }]);
  expect(await ledger().answers(handle.scheduleId)).toEqual([expect.stringMatching(/ skipped schedule_deleted$/)]);
});

it('what is left to others is read anew after a failover, which may have given its version to another definition', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  await store(scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  expect((await passes.claim()).claimed).toEqual([]);
  await store(scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SKIP"')`);
  expect((await passes.claim()).claimed).toEqual([]);
  await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
  await passes.heartbeat();
  let adopted = await passes.adopt();
  for (let tries = 1; !adopted.complete && tries < 100; tries++) {
    clock.advance(2_000);
    adopted = await passes.adopt();
  }
  expect({ ...adopted, log: adopted.complete ? [] : ledger().log }).toMatchObject({ complete: true });
  expect((await passes.claim()).claimed).toMatchObject([{ scheduleId }]);
});

it('a firing that a newer trigger claimed waits for one that can read its definition', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ action: action() }));
  const newer = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await newer.passes.claim();
  await store(scheduleId, `policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"')`);
  const old = await ledger().trigger();
  expect(await old.passes.dispatch()).toMatchObject({ linked: 0, refused: 0, deferred: 1 });
  expect((await ledger().firings(scheduleId))[0]).toMatchObject({
    state: 'claimed',
    lastError: expect.stringContaining('policies.overlap'),
  });
  clock.advance(60_000);
  await newer.passes.reconcile();
  expect(await newer.passes.dispatch()).toMatchObject({ linked: 1 });
});

it('a firing whose stored action was damaged is refused with the reason, and so is its redrive', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ action: action() }));
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await store(scheduleId, `action = '7'`);
  const reads = await ledger().trigger();
  expect(await reads.passes.dispatch()).toMatchObject({ refused: 1 });
  for (let attempt = 2; attempt <= 4; attempt++) {
    clock.advance(20_000);
    await reads.passes.reconcile();
  }
  expect((await ledger().firings(scheduleId))[0]).toMatchObject({
    state: 'abandoned',
    reason: 'start_rejected',
    lastError: expect.stringContaining('action of the schedule is not an object'),
  });
  await client.deadLetters.redriveAll({ scheduleId });
  expect(await reads.passes.redrive()).toMatchObject({ refused: 1 });
  const note = expect.stringContaining('action of the schedule is not an object');
  for await (const letter of client.deadLetters.list({ scheduleId }))
    expect(letter).toMatchObject({ state: 'open', note });
  expect.assertions(4);
});

it('a schedule fires although the sequence number of its timer is too large for a number', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await ledger().query('update escapement.timers set seq = 9007199254740993');
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  const { claimed } = await passes.claim();
  expect(claimed.map((firing) => firing.scheduleId)).toEqual([scheduleId]);
});
