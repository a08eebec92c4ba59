import { describe, expect, inject, it, vi } from 'vitest';
import { uniqueName, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker();

const environment = () => ({ DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') });
const escapement = (...args: string[]) => runCommand(args, environment());
const action = (more: object = {}) => ({
  ...{ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue, ...more },
});
const exported = async (...args: string[]) => {
  const { code, stdout } = await escapement('export', '--json', ...args);
  const rows = stdout.split('\n').filter(Boolean);
  return { code, rows: rows.map((line) => JSON.parse(line)) };
};

describe('escapement export', () => {
  it('lists what has no counterpart, leaves what cannot be the same, and goes on', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const { schedule } = worker().client;
    const prefix = uniqueName('export');
    const create = (name: string, spec: object, more: object = {}) =>
      client.create({
        scheduleId: `${prefix}-${name}`,
        spec,
        action: action({ workflowId: prefix }),
        ...more,
      } as never);
    await create('berlin', { cron: '30 2 * * *', timezone: 'Europe/Berlin' });
    await create('either', { cron: '0 0 13 * FRI' }, { policies: { catchupLimit: Number.POSITIVE_INFINITY } });
    await create('anchor', {
      intervals: [{ every: '24 hours', offset: '5m', anchor: new Date('2026-01-01T00:20:00Z') }],
    });
    await create('last', { cron: '0 0 L * *' });
    await create('once', { at: new Date('2099-01-01T00:00:00Z') });
    await create('taken', { cron: '@daily' }, { policies: { maxConcurrent: 2 } });
    await create('resting', { cron: '@daily' }, { state: { paused: true, note: 'until May' } });
    const taken = { scheduleId: `${prefix}-taken`, spec: { cronExpressions: ['0 5 * * *'] }, action: action() };
    await schedule.create(taken as never);

    const query = `ScheduleId STARTS_WITH "${prefix}"`;
    const { code, rows } = await exported('--query', query);
    expect(code).toBe(1);
    const of = (name: string) => rows.find(({ scheduleId }) => scheduleId === `${prefix}-${name}`);
    expect(of('berlin')).toMatchObject({ status: 'created' });
    expect(of('berlin').notes[0]).toMatch(/where the clock changes it fires otherwise: first at 20\d\d-(03|10)-\d\d/);
    expect(of('either')).toMatchObject({ status: 'created', notes: [] });
    expect(of('anchor')).toMatchObject({ status: 'created' });
    expect(of('last')).toMatchObject({ status: 'left', reason: expect.stringContaining("'l'") });
    expect(of('once')).toMatchObject({ status: 'left', reason: expect.stringContaining('spec.at') });
    expect(of('taken')).toMatchObject({ status: 'left', reason: expect.stringContaining('differs') });
    expect(of('resting')).toMatchObject({ status: 'created' });

    const paused = async (name: string) => {
      const ours = await client.getHandle(`${prefix}-${name}`).describe();
      const native = await schedule.getHandle(`${prefix}-${name}`).describe();
      return [ours.state.paused, native.state.paused];
    };
    expect(await paused('berlin')).toEqual([true, false]);
    expect(await paused('resting')).toEqual([true, true]);
    expect(await paused('taken')).toEqual([false, false]);
    const { info } = await schedule.getHandle(`${prefix}-anchor`).describe();
    expect(info.nextActionTimes.map((time) => time.getUTCMinutes())).toEqual(
      Array(info.nextActionTimes.length).fill(25),
    );

    const again = await exported('--query', query);
    expect(again.rows.map(({ status }) => status)).toEqual(
      rows.map(({ status }) => (status === 'created' ? 'unchanged' : status)),
    );
    for (const { scheduleId, status } of rows)
      if (status === 'created' || scheduleId.endsWith('taken')) await schedule.getHandle(scheduleId).delete();
  });

  it('lists who is responsible, what is handed over ahead, and which times are kept from firing here', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const scheduleId = uniqueName('silent');
    const policies = { preStart: '30s', catchupLimit: Number.POSITIVE_INFINITY } as const;
    const handle = await client.create({
      ...{ scheduleId, owner: 'team-billing', runbook: 'https://wiki.example/invoices', externalId: 'job-7' },
      ...{ spec: { cron: '0 0 1 1 *' }, action: action(), policies },
    });
    await handle.exclude('2099-01-01T00:00:00Z');
    const from = new Date('2098-12-01T00:00:00Z');
    const to = new Date('2098-12-31T00:00:00Z');
    const { freeze } = await client.freezes.create({ scheduleIds: [scheduleId], from, to });
    await client.freezes.create({ scheduleIds: ['another'], from, to });
    const { rows } = await exported('--dry-run', '--query', `ScheduleId = "${scheduleId}"`);
    expect(rows[0].notes).toEqual([
      'preStart 30000 ms',
      'owner team-billing',
      'runbook https://wiki.example/invoices',
      'externalId job-7',
      'excluded times fire, 1 from 2099-01-01T00:00:00.000Z on',
      `freeze ${freeze.freezeId} from 2098-12-01T00:00:00.000Z to 2098-12-31T00:00:00.000Z: its times fire`,
    ]);
  });

  it('keeps a pause that somebody makes meanwhile, and pauses the native one too', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const scheduleId = uniqueName('meanwhile');
    const native = worker().client.schedule.getHandle(scheduleId);
    const handle = await client.create({ scheduleId, spec: { cron: '* * * * * *' }, action: action() });
    // Without a trigger the export waits for what is due.
    const exporting = exported('--query', `ScheduleId = "${scheduleId}"`);
    await vi.waitFor(async () => expect((await native.describe()).state.paused).toBe(false), { timeout: 60_000 });
    await handle.pause({ note: 'an incident' });
    expect((await exporting).rows[0]).toMatchObject({
      status: 'created',
      notes: [expect.any(String), expect.stringContaining('paused too')],
    });
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'an incident' });
    expect((await native.describe()).state.paused).toBe(true);
    await native.delete();
  });

  it('pauses the native one of a schedule that somebody deletes meanwhile, and goes on', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const [scheduleId, next] = [uniqueName('deleted-1'), uniqueName('deleted-2')];
    const natives = [scheduleId, next].map((one) => worker().client.schedule.getHandle(one));
    const handle = await client.create({ scheduleId, spec: { cron: '* * * * * *' }, action: action() });
    await client.create({ scheduleId: next, spec: { cron: '@daily' }, action: action() });
    const exporting = exported('--query', `ScheduleId IN ("${scheduleId}", "${next}")`);
    await vi.waitFor(async () => expect((await natives[0]!.describe()).state.paused).toBe(false), { timeout: 60_000 });
    await handle.delete();
    const { rows } = await exporting;
    expect(rows).toMatchObject([
      { scheduleId, notes: [expect.any(String), expect.stringContaining('paused too')] },
      { scheduleId: next, status: 'created' },
    ]);
    expect((await natives[0]!.describe()).state.paused).toBe(true);
    for (const native of natives) await native.delete();
  });

  it('leaves native ones paused and ours as they are where that is asked', async () => {
    const client = ledger().newClient({ now: undefined as never });
    const scheduleId = uniqueName('paused');
    await client.create({ scheduleId, spec: { cron: '@daily' }, action: action() });
    expect((await exported('--paused', '--query', `ScheduleId = "${scheduleId}"`)).rows[0].status).toBe('created');
    const native = worker().client.schedule.getHandle(scheduleId);
    expect((await native.describe()).state.paused).toBe(true);
    expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(false);
    await native.delete();
  });
});
