import { describe, expect, it } from 'vitest';
import { CalendarInUseError } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['action', 'null'],
  ['action', '7'],
  ['policies', 'null'],
  ['policies', '[]'],
  ['spec', 'null'],
  ['spec', '"hourly"'],
])(
  'a schedule whose stored %s is %s is described and explained, hides no other in a list, and is mended by an update',
  async (column, stored) => {
    const { client } = ledger();
    const bad = await client.create(someSchedule());
    const good = await client.create(someSchedule());
    await ledger().query(`update escapement.schedule_versions set ${column} = $2::jsonb where schedule_id = $1`, [
      bad.scheduleId,
      stored,
    ]);
    const { state } = await bad.describe();
    expect(state.specError).toContain('not an object');
    const listed: string[] = [];
    for await (const { scheduleId } of client.list()) listed.push(scheduleId);
    expect(listed.sort()).toEqual([bad.scheduleId, good.scheduleId].sort());
    const versions: number[] = [];
    for await (const { version } of bad.versions()) versions.push(version);
    expect(versions).toEqual([1]);
    const { answer, sentence } = await bad.explain('2026-03-01T01:00:00Z');
    expect(answer).toBe(column === 'spec' ? 'spec_error' : 'not_yet');
    expect(sentence).toMatch(/definition.*, version 1 in schedule_versions, cannot be used \(.*object/);
    expect(sentence).toMatch(
      /; write the definition again with 'escapement schedule update', or delete the schedule\.$/,
    );
    const { spec, action, policies } = someSchedule();
    await bad.update(() => ({ spec, action, ...(policies ? { policies } : {}) }));
    expect((await bad.describe()).state.specError).toBeUndefined();
  },
);

describe.each([
  ['action', 'null'],
  ['policies', 'null'],
  ['spec', 'null'],
  ['spec', '{"cron": "0 0 * * W"}'],
])('a schedule whose stored %s is %s', (column, stored) => {
  const damage = async (scheduleId: string) => {
    await ledger().query(`update escapement.schedule_versions set ${column} = $2::jsonb where schedule_id = $1`, [
      scheduleId,
      stored,
    ]);
    await ledger().query(`update escapement.schedules set spec_error = 'cannot be used' where schedule_id = $1`, [
      scheduleId,
    ]);
  };
  const WHOLE = '03-01T01:00:00..03-01T03:00:00 gap 3';

  it.each([
    ['set_aside', false],
    ['paused', true],
  ])('has a gap, %s, for the times that pass until an update mends it', async (reason, paused) => {
    const { client, clock } = ledger();
    const { spec, action } = someSchedule();
    const handle = await client.create({ ...someSchedule(), state: { paused } });
    await damage(handle.scheduleId);
    clock.set('2026-03-01T03:10:00Z');
    await handle.update(() => ({ spec, action, state: { paused } }));
    expect(await ledger().answers(handle.scheduleId)).toEqual([`${WHOLE} ${reason}`]);
    // A time is explained by the definition of then.
    const { answer } = await handle.explain('2026-03-01T02:00:00Z');
    expect(answer).toBe(column === 'spec' ? 'spec_error' : 'gap');
  });

  it('is mended by apply in the same way', async () => {
    const { client, clock } = ledger();
    const declared = { ...someSchedule(), scheduleId: 'declared' };
    await client.apply([declared], { source: 'here', revision: 1 });
    await damage('declared');
    clock.set('2026-03-01T03:10:00Z');
    expect(await client.apply([declared], { source: 'here', revision: 2 })).toMatchObject({
      updated: [{ scheduleId: 'declared' }],
    });
    expect(await ledger().answers('declared')).toEqual([`${WHOLE} set_aside`]);
  });

  it.each([
    ['set_aside', {}],
    ['completed', { remainingActions: 0 }],
  ])('has gaps of both kinds, %s first, if somebody paused it later', async (reason, state) => {
    const { client, clock } = ledger();
    const { spec, action } = someSchedule();
    const handle = await client.create(someSchedule());
    await handle.update((previous) => ({ ...previous, state: { ...previous.state, ...state } }));
    await damage(handle.scheduleId);
    clock.set('2026-03-01T01:30:00Z');
    await handle.pause();
    clock.set('2026-03-01T03:10:00Z');
    await handle.update(() => ({ spec, action, state: { paused: true } }));
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      `03-01T01:00:00..03-01T01:00:00 gap 1 ${reason}`,
      '03-01T02:00:00..03-01T03:00:00 gap 2 paused',
    ]);
  });

  it('has a gap by its own spec if that is intact, whatever the new one is', async () => {
    const { client, clock } = ledger();
    const { action } = someSchedule();
    const handle = await client.create(someSchedule());
    await damage(handle.scheduleId);
    clock.set('2026-03-01T03:10:00Z');
    await handle.update(() => ({ spec: { cron: '0 2 * * *' }, action }));
    const byNew = '03-01T02:00:00..03-01T02:00:00 gap 1 set_aside';
    expect(await ledger().answers(handle.scheduleId)).toEqual([column === 'spec' ? byNew : `${WHOLE} set_aside`]);
  });

  it('has a gap once it is deleted and created again', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    await damage(handle.scheduleId);
    await handle.delete();
    clock.set('2026-03-01T03:10:00Z');
    await client.create({ ...someSchedule(), scheduleId: handle.scheduleId });
    expect(await ledger().answers(handle.scheduleId)).toEqual([`${WHOLE} deleted`]);
  });

  it('is paused and goes on, and its times are answered only if its spec can be read', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule());
    await damage(handle.scheduleId);
    clock.set('2026-03-01T01:30:00Z');
    await handle.pause();
    clock.set('2026-03-01T03:10:00Z');
    await handle.unpause();
    const gaps = ['03-01T01:00:00..03-01T01:00:00 gap 1 set_aside', '03-01T02:00:00..03-01T03:00:00 gap 2 paused'];
    expect(await ledger().answers(handle.scheduleId)).toEqual(column === 'spec' ? [] : gaps);
    expect((await handle.describe()).state.specError).toBeDefined();
    const [timer] = await ledger().query<{ at: Date }>('select answered_to as at from escapement.timers');
    expect(timer!.at).toEqual(new Date(column === 'spec' ? '2026-03-01T00:30:00Z' : '2026-03-01T03:10:00Z'));
  });
});

describe('an update of a schedule', () => {
  const damaged = async (column: string) => {
    const handle = await ledger().client.create(someSchedule({ policies: { catchupLimit: 7 } }));
    await ledger().query(`update escapement.schedule_versions set ${column} = 'null'`);
    return handle;
  };
  const versions = () =>
    ledger().query("select version, policies -> 'catchupLimit' as limit from escapement.schedule_versions order by 1");

  it('does not take what stands in for a damaged spec for a spec without times', async () => {
    const handle = await damaged('spec');
    await expect(handle.update((previous) => ({ ...previous, owner: 'ops' }))).rejects.toThrow(
      'is damaged in the ledger; give the whole spec',
    );
    await expect(handle.update(({ action }) => ({ spec: {}, action }))).rejects.toThrow('give the whole spec');
    expect(await versions()).toHaveLength(1);
  });

  it('writes the default policies if the stored ones are damaged and it gives none', async () => {
    const handle = await damaged('policies');
    await handle.update((previous) => ({ ...previous, owner: 'ops' }));
    expect(await versions()).toMatchObject([{ version: 1 }, { version: 2, limit: 100 }]);
    expect((await handle.describe()).state.specError).toBeUndefined();
  });

  it('shows and writes the defaults of what the stored policies lack, if nothing can fire by them', async () => {
    const handle = await ledger().client.create(someSchedule({ policies: { catchupLimit: 7 } }));
    await ledger().query(`update escapement.schedule_versions set policies = '{"pauseOnFailure": true}'`);
    expect((await handle.describe()).policies).toMatchObject({ catchupLimit: 100, pauseOnFailure: true });
    await handle.update((previous) => ({ ...previous, owner: 'ops' }));
    expect(await versions()).toMatchObject([{ version: 1 }, { version: 2, limit: 100 }]);
    expect((await handle.describe()).policies).toMatchObject({ overlap: 'SKIP', pauseOnFailure: true });
  });

  it.each([
    ['spec', '{"cron": "0 0 * * W"}'],
    ['policies', '{}'],
    ['policies', '{"overlap": "SOMEHOW"}'],
  ])('whose %s is %s here, and that no trigger set aside, leaves no time without an answer', async (column, stored) => {
    const { client, clock } = ledger();
    const { spec, action } = someSchedule();
    const one = await client.create(someSchedule());
    const paused = await client.create(someSchedule({ state: { paused: true } }));
    await ledger().query(`update escapement.schedule_versions set ${column} = $1::jsonb`, [stored]);
    clock.set('2026-03-01T03:10:00Z');
    for (const handle of [one, paused]) await handle.update(() => ({ spec, action }));
    const gap = '03-01T01:00:00..03-01T03:00:00 gap 3';
    expect(await ledger().answers(one.scheduleId)).toEqual([`${gap} set_aside`]);
    expect(await ledger().answers(paused.scheduleId)).toEqual([`${gap} paused`]);
  });

  it.each([
    ['policies', '{"overlap": "SOMEHOW"}', null],
    ['policies', '{"onUncertain": "ASK"}', 'SKIP'],
    ['action', '{"taskQueue": {"of": "newer"}}', 'SKIP'],
  ])(
    'whose former %s has %s of a newer version hands over what is due, and any trigger starts it',
    async (column, stored, overlap) => {
      const { client, clock } = ledger();
      const { spec, action } = someSchedule();
      const handle = await client.create(someSchedule());
      await ledger().query(`update escapement.schedule_versions set ${column} = ${column} || $1::jsonb`, [stored]);
      clock.set('2026-03-01T03:10:00Z');
      await handle.update(() => ({ spec, action }));
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        '03-01T01:00:00 catchup buffered',
        '03-01T02:00:00 catchup buffered',
        '03-01T03:00:00 catchup buffered',
      ]);
      const rows = await ledger().query('select distinct overlap, schedule_version as version from escapement.firings');
      expect(rows).toEqual([{ overlap, version: 2 }]);
      const { passes } = await ledger().trigger();
      await passes.claim();
      expect(await passes.dispatch()).toMatchObject({ linked: 1, deferred: 0 });
    },
  );
});

it('a schedule whose stored days of calendars are no object keeps no other from the new days of a calendar', async () => {
  const { client } = ledger();
  await client.calendars.put('closed', { days: ['2026-03-02'] });
  const spec = { cron: '0 2 * * *', skipDays: ['closed'] };
  const bad = await client.create(someSchedule({ spec }));
  const good = await client.create(someSchedule({ spec }));
  await ledger().query(
    `update escapement.schedule_versions set spec = jsonb_set(spec, '{calendarDays}', '"2026-03-02"') where schedule_id = $1`,
    [bad.scheduleId],
  );
  const put = await client.calendars.put('closed', { days: ['2026-03-03'] });
  expect(put).toMatchObject({ schedules: 1, failed: [] });
  expect((await good.describe()).spec.calendarDays).toEqual({ closed: '2026-03-03' });
});

it('a schedule in a form that only a newer version knows takes over the days of its calendar, which stays', async () => {
  const { client } = ledger();
  await client.calendars.put('closed', { days: ['2026-03-02'] });
  const handle = await client.create(someSchedule({ spec: { cron: '0 * * * *', skipDays: ['closed'] } }));
  await ledger().query('update escapement.timers set spec_format = 1000');
  const put = await client.calendars.put('closed', { days: ['2026-03-03'] });
  expect(put).toMatchObject({ schedules: 1, failed: [] });
  expect((await handle.describe()).spec.calendarDays).toEqual({ closed: '2026-03-03' });
  await expect(client.calendars.delete('closed')).rejects.toThrow(CalendarInUseError);
});

it('a schedule with a value that only a newer version knows is not called set aside, and explain says who fires it', async () => {
  const handle = await ledger().client.create(someSchedule());
  const newer = `update escapement.schedule_versions set policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"') where schedule_id = $1`;
  await ledger().query(newer, [handle.scheduleId]);
  expect((await handle.describe()).state).not.toHaveProperty('specError');
  ledger().clock.set('2026-03-01T01:00:10Z');
  const { because, sentence } = (await handle.explain('2026-03-01T01:00:00Z')) as {
    because?: string;
    sentence: string;
  };
  expect(because).toBe('due');
  expect(sentence).toMatch(
    /waits for a newer trigger, because this version cannot read its definition: the stored policies\.overlap is not one of/,
  );
  expect(sentence).not.toContain('write the definition again');
});

it('explain says that a newer trigger decides a schedule in a newer form, or a firing with an unknown policy', async () => {
  const handle = await ledger().client.create(someSchedule());
  const { scheduledTime } = await handle.trigger();
  await ledger().query(`update escapement.firings set overlap = 'SOMEHOW'`);
  expect(await handle.explain(scheduledTime)).toMatchObject({
    cause: { kind: 'newer_trigger', problem: "this version does not know its overlap policy 'SOMEHOW'" },
    sentence: expect.stringContaining(
      'waits for a newer trigger, because this version does not know its overlap policy',
    ),
  });
  await ledger().query('update escapement.timers set spec_format = 1000');
  ledger().clock.set('2026-03-01T01:00:10Z');
  for (const time of [scheduledTime, '2026-03-01T01:00:00Z']) {
    expect(await handle.explain(time)).toMatchObject({
      cause: { kind: 'newer_trigger' },
      sentence: expect.stringContaining('it is in form 1000 of a newer program'),
    });
  }
});

it('explain does not advise an update of a schedule whose form and keys only a newer program knows', async () => {
  const handle = await ledger().client.create(someSchedule());
  await ledger().query('update escapement.timers set spec_format = 1000');
  await ledger().query(`update escapement.schedule_versions set spec = spec || '{"newer": 1}'`);
  const { sentence } = await handle.explain('2026-03-01T01:00:00Z');
  expect(sentence).toMatch(/its form is of a newer program: upgrade this one/);
  expect(sentence).not.toContain('schedule update');
});
