import { beforeEach, describe, expect, it } from 'vitest';
import { nextOccurrences } from '../../index';
import { useApi } from '../support/api';
import { fillDashboardLedger } from '../support/dashboard/dashboard-ledger';
import { someSchedule } from '../support/ledger';

const api = useApi({}, '2026-03-05T06:40:00Z');
const get = async (path: string) => {
  const { status, body, text } = await api().ask({ url: `/v1/${path}` });
  expect(status, text).toBe(200);
  return body;
};

describe('of a ledger with something of everything', () => {
  beforeEach(() => fillDashboardLedger(api().ledger, new Date(api().ledger.clock.now())));

  it('the overview says the worst first, and what is alive, open and coming', async () => {
    const overview = await get('overview');
    expect(overview.verdict).toMatchObject({ status: 'warning', sentence: expect.stringContaining('dead letters') });
    expect(overview).toMatchObject({ due: 0, running: 1, letters: { open: expect.any(Number) } });
    expect(overview.alerts).toHaveLength(1);
    expect(overview.triggers).toHaveLength(2);
    expect(overview.namespaces).toEqual([{ namespace: 'default', schedules: 46 }]);
    expect(overview.coming[0]).toMatchObject({ at: '2026-03-05T06:45:00.000Z', schedules: 2 });
    await api().ledger.query(`update escapement.triggers set heartbeat_at = '2026-03-01Z'`);
    expect((await get('overview')).verdict).toMatchObject({ status: 'critical', id: 'no_trigger' });
  });

  it('outcomes over time count what the ledger has, and the lag of what was started', async () => {
    const { buckets } = await get('overview/outcomes?hours=24');
    const sum = (name: string) => buckets.reduce((total: number, one: Record<string, number>) => total + one[name]!, 0);
    const [counted] = await api().ledger.query(
      `select count(*) filter (where outcome = 'completed')::int as completed, count(*) filter (where outcome = 'failed')::int as failed,
        count(*) filter (where state = 'skipped')::int as skipped from escapement.firings
        where scheduled_time >= '2026-03-04T07:00Z'`,
    );
    expect({ completed: sum('completed'), failed: sum('failed'), skipped: sum('skipped') }).toEqual(counted);
    expect(buckets.at(-1)).toMatchObject({ lagMax: expect.any(Number) });
  });

  it('a strip has firings and gaps in the order of time, and says why', async () => {
    const { strips } = await get('strips?scheduleId=nightly-report&scheduleId=card-charges&errors=true&last=20');
    expect(strips['nightly-report'].at(-1)).toMatchObject({ answer: 'gap', look: 'gap', reason: 'paused', count: 3 });
    expect(strips['nightly-report'].at(-2)).toMatchObject({ look: 'completed', lag: expect.any(Number) });
    expect(strips['card-charges']).toHaveLength(20);
    expect(strips['card-charges'].at(-1)).toMatchObject({ look: 'running' });
    expect(strips['card-charges'].at(-2)).toMatchObject({
      look: 'failed',
      error: 'the issuer declined: limit exceeded',
    });
  });

  it('schedules are listed by how long they fail, by being late, and by when they were paused', async () => {
    const failing = await get('schedule-rows?orderBy=failing');
    expect(failing).toMatchObject({ total: 1, rows: [{ scheduleId: 'card-charges', trouble: { count: 8 } }] });
    const paused = await get('schedule-rows?orderBy=pausedAt');
    expect(paused.rows).toMatchObject([{ scheduleId: 'cleanup', state: { pausedBy: 'ann@example.com' } }]);
    expect((await get('schedule-rows?orderBy=late')).rows).toEqual([]);
    api().ledger.clock.set('2026-03-05T07:10:00Z');
    const late = await get('schedule-rows?orderBy=late&pageSize=2');
    expect(late.rows.map((row: { scheduleId: string }) => row.scheduleId)).toEqual(['card-charges', 'fx-rates']);
    expect(late).toMatchObject({ total: 3, nextCursor: '2' });
    const next = await get('schedule-rows?orderBy=late&pageSize=2&cursor=2');
    expect(next.rows).toMatchObject([{ scheduleId: 'hourly-sync' }]);
    const named = await get('schedule-rows?orderBy=nextFireAt&text=digest&pageSize=3');
    expect(named.rows[0]).toMatchObject({
      scheduleId: 'tenant-01-digest',
      words: ['At 07:00, Monday through Friday'],
      timezone: 'Europe/Berlin',
      marks: [],
    });
  });

  it('a calendar has what was, what did not fire, and what is to come', async () => {
    const { days, zone, today } = await get('schedules/nightly-report/calendar');
    const of = (day: string) => days.find((one: { day: string }) => one.day === day);
    expect({ zone, today, days: days.length }).toEqual({ zone: 'Europe/Berlin', today: '2026-03-05', days: 365 });
    expect(of('2026-03-05')).toMatchObject({ gap: 'paused', ahead: 0 });
    expect(of('2026-03-01')).toMatchObject({ completed: 1, failed: 0, ahead: 0 });
    expect(of('2026-03-06')).toMatchObject({ completed: 0, ahead: 1 });
    expect(days.filter((one: { ahead: number }) => one.ahead > 0)).toHaveLength(270);
  });

  it('a calendar is in the zone of the expression, and in zones that Intl alone knows', async () => {
    const days = async (query = '') =>
      (await get(`schedules/nightly-report/calendar${query}`)).days.find(
        (one: { day: string }) => one.day === '2026-03-01',
      );
    expect(await days('?timezone=VST')).toMatchObject({ completed: 1, ahead: 0 });
    const cronExpressions = ['CRON_TZ=Asia/Tokyo 0 2 * * *'];
    await api().ledger.client.create(someSchedule({ scheduleId: 'tokyo', spec: { cronExpressions } }));
    expect(await get('schedules/tokyo/calendar')).toMatchObject({ zone: 'Asia/Tokyo' });
  });

  it('a calendar has what is to come from the end of a pause on', async () => {
    const { client } = api().ledger;
    const handle = await client.create(someSchedule({ scheduleId: 'paused', spec: { cron: '0 12 * * *' } }));
    await handle.pause({ until: '2026-03-07T13:00:00Z' });
    const { days } = await get('schedules/paused/calendar');
    const ahead = days.filter((one: { ahead: number }) => one.ahead > 0);
    expect(ahead[0]).toMatchObject({ day: '2026-03-08', ahead: 1 });
  });

  it('a firing has its life in instants, and an occurrence without one its answer', async () => {
    const [{ at }] = (await get('strips?scheduleId=card-charges&last=2')).strips['card-charges'];
    const { explanation, life } = await get(`schedules/card-charges/firings/${at}/life`);
    expect(explanation).toMatchObject({ answer: 'firing', cause: { kind: 'failed' } });
    expect(life).toMatchObject({ taskQueue: 'billing', epoch: 0, firstAttemptedAt: expect.any(String) });
    const gap = await get('schedules/nightly-report/firings/2026-03-05T01:00:00Z/life');
    expect(gap).toMatchObject({ life: null, explanation: { answer: 'gap', gap: { reason: 'paused' } } });
  });

  it('an occurrence that failed is run again by its nominal time', async () => {
    const [{ at }] = (await get('strips?scheduleId=card-charges&last=2')).strips['card-charges'];
    const url = `/v1/schedules/card-charges/firings/${at}/run-again`;
    const { status, body } = await api().ask({ method: 'POST', url, body: { note: 'card renewed' } });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { state: 'buffered', again: { note: 'card renewed' } },
    });
  });
});

describe('what will fire', () => {
  const from = new Date('2026-03-06T00:00:00Z');
  const to = new Date('2026-03-06T03:00:00Z');
  const agenda = (more = '') => get(`agenda?from=${from.toISOString()}&to=${to.toISOString()}${more}`);

  it('is what each schedule computes for itself, with H and with jitter, without those that sleep', async () => {
    const { client } = api().ledger;
    const specs = { cron: '*/10 * * * *', hashed: 'H H(0-4) * * *', hashedToo: 'H H(0-4) * * *', nightly: '0 2 * * *' };
    const ids = { cron: 3, hashed: 4, hashedToo: 4, nightly: 2 };
    const expected: string[] = [];
    for (const [name, cron] of Object.entries(specs)) {
      for (let n = 0; n < ids[name as keyof typeof ids]; n++) {
        const scheduleId = `${name}-${n}`;
        const spec = { cron, ...(n === 1 ? { jitter: '1 minute' as const } : {}) };
        await client.create(someSchedule({ scheduleId, spec }));
        for (const at of nextOccurrences(spec, { after: new Date(from.getTime() - 1), count: 30, scheduleId })) {
          if (at < to) expected.push(`${at.toISOString()} ${scheduleId}`);
        }
      }
    }
    await client.create(someSchedule({ scheduleId: 'asleep', spec: { cron: '* * * * *' }, state: { paused: true } }));
    const answer = await agenda();
    const found = answer.entries.map((one: { at: string; scheduleId: string }) => `${one.at} ${one.scheduleId}`);
    expect(found.sort()).toEqual(expected.sort());
    expect(answer).toMatchObject({ firings: expected.length, leftOut: 0 });
    expect(answer.minutes.reduce((sum: number, count: number) => sum + count, 0)).toBe(expected.length);
    expect(answer.minutes[120]).toBe(expected.filter((one) => one.startsWith('2026-03-06T02:00')).length);
    expect(await agenda('&text=nightly')).toMatchObject({ firings: 2, schedules: 2 });
    expect(await agenda('&namespace=elsewhere')).toMatchObject({ firings: 0, schedules: 0 });
  });

  it('has what fires after a pause that ends before, or within', async () => {
    const { client } = api().ledger;
    const ends = { before: '2026-03-05T23:00:00Z', within: '2026-03-06T01:30:00Z', after: '2026-03-06T09:00:00Z' };
    for (const [scheduleId, until] of Object.entries(ends)) {
      const handle = await client.create(someSchedule({ scheduleId, spec: { cron: '0 * * * *' } }));
      await handle.pause({ until });
    }
    const times = async () =>
      (await agenda()).entries.map(
        (one: { at: string; scheduleId: string }) => `${one.scheduleId} ${one.at.slice(11, 16)}`,
      );
    expect((await times()).sort()).toEqual(['before 00:00', 'before 01:00', 'before 02:00', 'within 02:00']);
    expect(await get('agenda/what-if?at=2026-03-06T01:00:00Z')).toMatchObject({ firings: 1 });
    await client.getHandle('within').pause();
    expect((await times()).sort()).toEqual(['before 00:00', 'before 01:00', 'before 02:00']);
    expect((await get('overview')).namespaces).toEqual([]);
  });

  it('has the schedules behind many that wake from a pause each at its own time', async () => {
    const { client } = api().ledger;
    for (let n = 0; n < 25; n++) {
      const handle = await client.create(someSchedule({ scheduleId: `busy-${n}`, spec: { cron: '* * * * * *' } }));
      await handle.pause({ until: new Date(from.getTime() + n * 1_000) });
    }
    await client.create(someSchedule({ scheduleId: 'quiet', spec: { cron: '0 12 * * *' } }));
    const { firings, schedules, leftOut, forms } = await get(
      `agenda?from=${from.toISOString()}&to=2026-03-07T00:00:00Z`,
    );
    const busy = 25 * 86_400 - (24 * 25) / 2;
    expect({ firings, schedules, leftOut }).toEqual({ firings: busy + 1, schedules: 26, leftOut: 0 });
    expect(forms).toMatchObject([
      { firings: busy, schedules: 25 },
      { firings: 1, scheduleIds: ['quiet'] },
    ]);
  });

  it('knows each change at the next question: of specs, of pauses, of what is deleted, completed or purged', async () => {
    const { ledger } = api();
    const { client } = ledger;
    const names = async () => (await agenda()).entries.map((one: { scheduleId: string }) => one.scheduleId).sort();
    const nightly = { cron: '0 2 * * *' };
    for (const scheduleId of ['changed', 'completed', 'deleted', 'kept', 'paused', 'purged']) {
      await client.create(someSchedule({ scheduleId, spec: nightly }));
    }
    expect(await names()).toEqual(['changed', 'completed', 'deleted', 'kept', 'paused', 'purged']);
    await client.getHandle('changed').update((former) => ({ ...former, spec: { cron: '0 1,2 * * *' } }));
    await client.getHandle('paused').pause();
    await client.getHandle('deleted').delete();
    await ledger.query(
      `update escapement.timers set completed_at = now(), next_fire_at = null where schedule_id = 'completed'`,
    );
    await ledger.query(`delete from escapement.schedules where schedule_id = 'purged'`);
    await client.create(someSchedule({ scheduleId: 'made', spec: nightly }));
    expect(await names()).toEqual(['changed', 'changed', 'kept', 'made']);
    await client.getHandle('paused').unpause();
    expect(await names()).toEqual(['changed', 'changed', 'kept', 'made', 'paused']);
  });

  it('says what H, jitter and pre-start make of a minute, by the ID of each schedule and as each is set', async () => {
    const { client } = api().ledger;
    const preStarts = [true, true, '2 minutes', false] as const;
    for (let n = 0; n < 40; n++) {
      const policies = { preStart: preStarts[n % 4]! };
      await client.create(someSchedule({ scheduleId: `crowd-${n}`, spec: { cron: '0 2 * * *' }, policies }));
    }
    const at = new Date('2026-03-06T02:00:00Z');
    const inMinutes = new Map<string, number>();
    for (let n = 0; n < 40; n++) {
      const spec = { cron: 'H 2 * * *' };
      const [time] = nextOccurrences(spec, {
        after: new Date('2026-03-06T01:59:59Z'),
        count: 1,
        scheduleId: `crowd-${n}`,
      });
      inMinutes.set(time!.toISOString(), (inMinutes.get(time!.toISOString()) ?? 0) + 1);
    }
    expect(await get(`agenda/what-if?at=${at.toISOString()}`)).toEqual({
      firings: 40,
      looked: 40,
      hashed: Math.max(...inMinutes.values()),
      jittered: expect.toSatisfy((most: number) => most >= 1 && most < 10),
      preStart: [
        { milliseconds: null, schedules: 20 },
        ...[0, 120_000].map((milliseconds) => ({ milliseconds, schedules: 10 })),
      ],
    });
  });

  it('is refused for no stretch, and for one that is too long', async () => {
    for (const end of ['2026-03-06T00:00:00Z', '2026-06-06T00:00:00Z']) {
      const { status, body } = await api().ask({ url: `/v1/agenda?from=2026-03-06T00:00:00Z&to=${end}` });
      expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path: 'to' });
    }
  });
});

it('a tenant sees nothing of another one in any of these', async () => {
  const { ledger, open, ask } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'of-acme', tenant: 'acme' }));
  await ledger.client.create(someSchedule({ scheduleId: 'of-beta', tenant: 'beta' }));
  await ledger.client.getHandle('of-beta').trigger();
  const server = open({ tenant: 'acme' });
  const range = 'from=2026-03-05T07:00:00Z&to=2026-03-05T09:30:00Z';
  const paths = [
    'overview',
    'overview/outcomes',
    'strips?scheduleId=of-beta',
    'dead-letters/over-time',
    'dead-letters',
    'dead-letters/groups',
    'alerts',
    `agenda?${range}`,
    ...['scheduleId', 'failing', 'lastOutcome', 'late', 'pausedAt'].map((order) => `schedule-rows?orderBy=${order}`),
  ];
  ledger.clock.set('2026-03-05T07:20:00Z');
  for (const path of paths) {
    const { status, text } = await ask({ url: `/v1/${path}`, of: server });
    expect({ path, status, sees: text.includes('of-beta') }).toEqual({ path, status: 200, sees: false });
  }
  for (const path of ['calendar', 'firings/2026-03-05T07:00:00Z/life']) {
    expect((await ask({ url: `/v1/schedules/of-beta/${path}`, of: server })).status).toBe(404);
  }
  expect((await ask({ url: `/v1/agenda?${range}`, of: server })).body).toMatchObject({ firings: 3, schedules: 1 });
});

it('the dashboard is served with a policy that allows nothing but itself, and is not sent twice', async () => {
  const { ask, open } = api();
  const page = await ask({ url: '/' });
  expect(page.text).toContain('<script src="app.js" defer>');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  for (const file of ['app.js', 'app.css', 'icon.svg']) {
    const { status, headers, text } = await ask({ url: `/${file}` });
    expect({ file, status, isLarge: text.length > 300_000 }).toEqual({ file, status: 200, isLarge: false });
    const again = await ask({ url: `/${file}`, headers: { 'if-none-match': String(headers.etag) } });
    expect(again.status).toBe(304);
  }
  const behind = open({ basePath: '/jobs' });
  expect((await ask({ url: '/jobs', of: behind })).headers.location).toBe('/jobs/');
  expect((await ask({ url: '/jobs/app.js', of: behind })).status).toBe(200);
});
