import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Firing, ScheduleOptions } from '../../index';
import {
  createTestDatabase,
  DoubleTakenError,
  expectFirings,
  NobodyToRunError,
  nextDstChange,
  TestScheduleEnvironment,
  type TestScheduleEnvironmentOptions,
  TimeGoesForwardError,
  TooManyFiringsError,
  TornDownError,
  UnknownFaultError,
} from '../../testing';

/** An environment that is gone after the test. */
async function environment(options: TestScheduleEnvironmentOptions = {}): Promise<TestScheduleEnvironment> {
  const env = await TestScheduleEnvironment.create({
    database: inject('databaseUrl'),
    startTime: '2026-03-27T00:00:00Z',
    ...options,
  });
  onTestFinished(() => env.teardown());
  return env;
}

function nightly(env: TestScheduleEnvironment, options: Partial<ScheduleOptions> = {}) {
  return env.client.create({
    scheduleId: 'nightly-report',
    spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
    action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue },
    ...options,
  });
}

const hourly = { spec: { cron: '0 * * * *' } };

describe('an environment of doubles, without a Temporal server', () => {
  it('returns what happened in a stretch and nothing twice, each end at its instant on the virtual clock', async () => {
    const env = await environment();
    env.double('nightlyReport', { takes: '90 minutes' });
    await nightly(env);
    const first = await env.advanceTo('2026-03-27T01:00:00Z');
    expectFirings(first).toBe(['02:00 linked']);
    const rest = await env.advanceBy('2 days');
    expectFirings(rest).toBe(['2026-03-28 02:00 completed', '2026-03-29 03:00 linked']);
    expect(rest[0]!.closedAt).toEqual(new Date('2026-03-28T02:30:00Z'));
    expect(env.now()).toEqual(new Date('2026-03-29T01:00:00Z'));
    expectFirings(await env.answers('nightly-report')).toBe([
      '2026-03-27 02:00 completed',
      '2026-03-28 02:00 completed',
      '2026-03-29 03:00 linked',
    ]);
  });

  it('shows answers in the zone of their schedule, one that is deleted or in its expression too', async () => {
    const env = await environment();
    env.double('nightlyReport');
    const handle = await nightly(env);
    await nightly(env, { scheduleId: 'tokyo', spec: { cronExpressions: ['CRON_TZ=Asia/Tokyo 0 12 * * *'] } });
    expectFirings(await env.advanceTo('2026-03-27T04:00:00Z')).toBe(['02:00 completed', '12:00 completed']);
    await handle.delete();
    expectFirings(await env.answers('nightly-report')).toBe(['02:00 completed']);
    expectFirings(await env.answers('tokyo')).toBe(['12:00 completed']);
  });

  it('hands over a second ahead what may be handed over ahead, when asked to, and it begins at its time', async () => {
    const env = await environment({ preStart: true });
    env.double('nightlyReport', { takes: '10 minutes' });
    await nightly(env, hourly);
    await nightly(env, { ...hourly, scheduleId: 'at-its-time', policies: { preStart: false } });
    const firings = await env.advanceBy('2 hours');
    const shown = firings.map(({ scheduleId, linkedAt, startsAt, closedAt }) => [
      scheduleId,
      ...[linkedAt, startsAt, closedAt].map((instant) => instant?.toISOString().slice(11, 19)),
    ]);
    expect(shown).toEqual([
      ['at-its-time', '01:00:00', undefined, '01:10:00'],
      ['nightly-report', '00:59:59', '01:00:00', '01:10:00'],
      ['at-its-time', '02:00:00', undefined, undefined],
      ['nightly-report', '01:59:59', '02:00:00', undefined],
    ]);
  });

  it('hands nothing over ahead by default', async () => {
    const env = await environment();
    env.double('nightlyReport');
    await nightly(env, hourly);
    const [firing] = await env.advanceBy('1 hour');
    expect(firing).toMatchObject({ startsAt: null, linkedAt: new Date('2026-03-27T01:00:00Z') });
  });

  it('has a start refused with a search attribute, or in a namespace, that the test did not name', async () => {
    const env = await environment({ namespaces: ['reports'], searchAttributes: { Team: 'KEYWORD' } });
    env.double('nightlyReport');
    const action = { type: 'startWorkflow' as const, workflowType: 'nightlyReport', taskQueue: env.taskQueue };
    const create = (scheduleId: string, namespace: string, searchAttributes: Record<string, string[]>) =>
      nightly(env, { ...hourly, scheduleId, namespace, action: { ...action, searchAttributes } });
    await create('known', 'reports', { Team: ['billing'] });
    await create('misspelt', 'reports', { Taem: ['billing'] });
    await create('nowhere', 'default', {});
    await env.advanceBy('100 minutes');
    expectFirings(await env.answers('known')).toBe(['01:00 completed']);
    expectFirings(await env.answers('misspelt')).toBe(['01:00 abandoned (start_rejected)']);
    expectFirings(await env.answers('nowhere')).toBe(['01:00 claimed']);
  });

  it('skips by overlap while a double runs, and fires again once it has ended', async () => {
    const env = await environment();
    env.double('nightlyReport', { takes: '90 minutes' });
    await nightly(env, hourly);
    expectFirings(await env.advanceBy('3 hours')).toBe(['01:00 completed', '02:00 skipped (overlap)', '03:00 linked']);
  });

  it('has a fresh trigger start at once what one that died after its claim left waiting', async () => {
    const env = await environment();
    env.double('nightlyReport');
    await nightly(env);
    env.crashTrigger({ after: 'claim' });
    await env.advanceTo('2026-03-27T01:00:05Z');
    const [firing] = (await env.answers('nightly-report')) as Firing[];
    expect(firing).toMatchObject({ state: 'closed', outcome: 'completed', recovery: null });
    expect(firing!.linkedAt).toEqual(new Date('2026-03-27T01:00:00Z'));
  });

  it.each([
    [10, undefined],
    [20, '20 seconds'],
  ] as const)(
    'has a fresh trigger link after %i seconds what one that died after a start left',
    async (seconds, staleAfter) => {
      const env = await environment();
      env.double('nightlyReport');
      await nightly(env);
      if (staleAfter) await env.client.settings.set({ staleAfter });
      env.crashTrigger({ after: 'start' });
      const [crashed] = await env.advanceTo('2026-03-27T01:00:05Z');
      expect(crashed).toMatchObject({ state: 'claimed', runId: null });
      await env.advanceTo('2026-03-27T01:01:00Z');
      const [firing] = (await env.answers('nightly-report')) as Firing[];
      expect(firing).toMatchObject({ state: 'closed', outcome: 'completed', recovery: { reason: 'trigger_lost' } });
      // A heartbeat every 4 s and dead after 10 or `staleAfter`, as on a clock on the wall.
      expect(firing!.linkedAt).toEqual(new Date(`2026-03-27T01:00:${seconds}.001Z`));
    },
  );

  it('starts what was due while Temporal was down, once it is back', async () => {
    const env = await environment();
    env.double('nightlyReport');
    await nightly(env);
    const down = await env.withTemporalDown(() => env.advanceTo('2026-03-27T01:10:00Z'));
    expectFirings(down).toBe(['02:00 claimed']);
    await env.advanceBy('1 minute');
    expectFirings(await env.answers('nightly-report')).toBe(['02:00 completed']);
  });

  it.each([
    ['ends', { takes: '10 minutes' }, {}, 'completed'],
    ['is to be cancelled', { takes: '1 day' }, { softTimeout: '10 minutes' }, 'canceled'],
  ] as const)('sees once Temporal is back what %s while it is down', async (_, behaviour, limits, outcome) => {
    const env = await environment();
    env.double('nightlyReport', behaviour);
    const action = { type: 'startWorkflow' as const, workflowType: 'nightlyReport', taskQueue: env.taskQueue };
    await nightly(env, { action: { ...action, ...limits } });
    env.double('beside');
    await nightly(env, { scheduleId: 'beside', ...hourly, action: { ...action, workflowType: 'beside' } });
    await env.advanceTo('2026-03-27T01:05:00Z');
    // Its starts keep the namespace from being asked when Temporal is back.
    await env.withTemporalDown(() => env.advanceBy('1 hour'));
    expectFirings(await env.answers('nightly-report')).toBe(['02:00 linked']);
    await env.advanceBy('2 minutes');
    expectFirings(await env.answers('nightly-report')).toBe([`02:00 ${outcome}`]);
  });

  it('passes days without Temporal over a schedule that a firing holds', async () => {
    const env = await environment();
    env.double('nightlyReport', { takes: '30 hours' });
    await nightly(env);
    await env.advanceBy('12 hours');
    await env.withTemporalDown(() => env.advanceBy('3 days'));
    await env.advanceBy('1 minute');
    expectFirings((await env.answers('nightly-report')).slice(0, 1)).toBe(['02:00 completed']);
  });

  it('passes any time over a schedule that fires no more', async () => {
    const env = await environment();
    await nightly(env, { spec: { cron: '@secondly' }, state: { remainingActions: 0 } });
    expect(await env.advanceBy('2 days')).toEqual([]);
  });

  it('catches up what was missed without a trigger', async () => {
    const env = await environment();
    env.double('nightlyReport');
    await nightly(env, { ...hourly, policies: { catchupWindow: '2 hours', overlap: 'ALLOW_ALL' } });
    await env.withoutTrigger(() => env.advanceTo('2026-03-27T04:30:00Z'));
    expectFirings(await env.advanceBy('1 hour')).toBe([
      '03:00 catchup completed',
      '04:00 catchup completed',
      '05:00 completed',
    ]);
    expectFirings(await env.answers('nightly-report')).toBe([
      '01:00..02:00 gap of 2 (outside_catchup_window)',
      '03:00 catchup completed',
      '04:00 catchup completed',
      '05:00 completed',
    ]);
  });

  it('plays failures', async () => {
    const env = await environment();
    env.double('nightlyReport', { fails: true });
    await nightly(env);
    expectFirings(await env.advanceBy('2 hours')).toBe(['02:00 failed']);
  });
});

describe('bad input', () => {
  it('is refused at once, and nothing has happened', async () => {
    const env = await environment();
    await expect(env.advanceTo('2026-03-26T00:00:00Z')).rejects.toThrow(TimeGoesForwardError);
    await expect(env.advanceTo('soon')).rejects.toThrow(TypeError);
    expect(() => env.failStep('collect')).toThrow(UnknownFaultError);
    expect(() => env.crashTrigger({ after: 'lunch' as never })).toThrow(UnknownFaultError);
    await expect(env.withoutWorker(async () => {})).rejects.toThrow(UnknownFaultError);

    await nightly(env, { action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: 'reports' } });
    const lonely = env.advanceBy('1 day');
    await expect(lonely).rejects.toThrow(NobodyToRunError);
    await expect(lonely).rejects.toThrow(/'nightly-report'.*'nightlyReport'.*'reports'.*env\.double/);
    env.double('nightlyReport');
    expect(() => env.double('nightlyReport')).toThrow(DoubleTakenError);
    await nightly(env, { scheduleId: 'each-second', spec: { cron: '* * * * * *' } });
    await expect(env.advanceBy('2 days')).rejects.toThrow(TooManyFiringsError);
    expect(await env.answers('nightly-report')).toEqual([]);
    await env.client.getHandle('each-second').pause({ until: new Date('2026-03-27T01:00:00Z') });
    await expect(env.advanceBy('2 days')).rejects.toThrow(TooManyFiringsError);
    expect(env.now()).toEqual(new Date('2026-03-27T00:00:00Z'));
  });

  it('of one who passes time twice at once is refused', async () => {
    const env = await environment();
    const first = env.advanceBy('1 day');
    await expect(env.advanceBy('1 day')).rejects.toThrow('await advanceTo');
    await first;
  });
});

it('tears down once, however often it is asked, and says so to whoever goes on', async () => {
  const env = await environment();
  await env.advanceBy('1 hour');
  await Promise.all([env.teardown(), env.teardown()]);
  await expect(env.advanceBy('1 hour')).rejects.toThrow(TornDownError);
  await expect(env.advanceTo('2031-01-01T00:00:00Z')).rejects.toThrow(TornDownError);
  await expect(env.answers('nightly-report')).rejects.toThrow(TornDownError);
  await expect(env.withoutTrigger(async () => {})).rejects.toThrow(TornDownError);
  await expect(env.withoutWorker(async () => {})).rejects.toThrow(TornDownError);
  await expect(env.withTemporalDown(async () => {})).rejects.toThrow(TornDownError);
  expect(() => env.double('nightlyReport')).toThrow(TornDownError);
  expect(() => env.failStep('send')).toThrow(TornDownError);
  expect(() => env.crashTrigger({ after: 'claim' })).toThrow(TornDownError);
  expect(env.now()).toEqual(new Date('2026-03-27T01:00:00Z'));
});

it('drops its database, and leaves one that it was given', async () => {
  const database = await createTestDatabase({ databaseUrl: inject('databaseUrl') });
  onTestFinished(() => database.drop());
  const isThere = (url: string) => {
    const client = new Client({ connectionString: url });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  };
  const [own, given] = [await environment(), await environment({ database })];
  await Promise.all([own.teardown(), given.teardown()]);
  expect(given.databaseUrl).toBe(database.databaseUrl);
  expect([await isThere(own.databaseUrl), await isThere(given.databaseUrl)]).toEqual([false, true]);
});

it('refuses a startTime that is no instant', async () => {
  await expect(TestScheduleEnvironment.create({ startTime: 'soon' })).rejects.toThrow(TypeError);
});

it('reads a time without an offset as UTC, whatever zone the machine has', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = await environment({ startTime: '2026-03-27T00:30' });
  expect(env.now()).toEqual(new Date('2026-03-27T00:30:00Z'));
  await env.advanceTo('2026-03-28');
  expect(env.now()).toEqual(new Date('2026-03-28T00:00:00Z'));
});

it('nextDstChange finds the next change of a zone, and says where there is none', () => {
  const change = nextDstChange('Europe/Berlin', new Date('2026-01-01T00:00:00Z'));
  expect(change).toEqual(new Date('2026-03-29T01:00:00Z'));
  expect(nextDstChange('Europe/Berlin', change)).toEqual(new Date('2026-10-25T01:00:00Z'));
  expect(() => nextDstChange('Asia/Tokyo', change)).toThrow(RangeError);
});
