import { randomUUID } from 'node:crypto';
import type { ScheduleOptions } from '../../../index';
import { TemporalDouble } from '../../../testing';
import { closed, running, writeFiring } from '../alerts/alerts';
import { triggerAnswering } from '../answering';
import type { TestLedger } from '../ledger';

/** The schedules of the scene: rows of the bad ones are damaged, and the good ones beside them must not notice. */
export const BAD = ['bad', 'bad-held'] as const;
export const GOOD = ['good', 'good-held'] as const;

export const BEGIN = '2026-03-01T00:25:30Z';
export const PERIOD_MILLISECONDS = 600_000;
const at = (minute: number, rest = ':00') => `2026-03-01T00:${String(minute).padStart(2, '0')}${rest}Z`;

/** A ledger with two schedules of each kind, and firings, letters and more of them in all states. */
export async function damageScene(ledger: TestLedger): Promise<TemporalDouble> {
  const { client, clock } = ledger;
  const double = new TemporalDouble(clock, { searchAttributes: { Team: 'KEYWORD_LIST' } });
  double.play('quick', { takes: 0 });
  clock.set('2026-03-01T00:00:30Z');
  await client.calendars.put('closed', { days: ['2026-12-25'] });
  for (const scheduleId of [...BAD, ...GOOD]) await client.create(options(scheduleId));
  clock.set(BEGIN);
  const { passes, trigger } = await triggerAnswering(ledger, {}, { double });
  for (const pass of ['heartbeat', 'claim', 'dispatch', 'observe', 'alert', 'sweep'] as const) await passes[pass]();
  await trigger.close();
  for (const scheduleId of ['bad', 'good']) await fill(ledger, scheduleId);
  await client.freezes.create({ scheduleIds: ['bad'], from: new Date('2026-03-02Z'), to: new Date('2026-03-03Z') });
  await client.alerts.silence({
    scheduleId: 'bad',
    condition: 'late',
    until: new Date('2026-03-02Z'),
    reason: 'known',
  });
  await client.bulk.pause({ scheduleIds: ['bad'] }, { note: 'a release' });
  await client.getHandle('bad').unpause();
  await client.settings.set({ staleAfter: '40 seconds', retention: '90 days', alerts: { late: '10 minutes' } });
  return double;
}

function options(scheduleId: string): ScheduleOptions {
  const isHeld = scheduleId.endsWith('held');
  return {
    scheduleId,
    spec: { cron: '*/10 * * * *', timezone: 'Europe/Berlin', skipDays: ['closed'] },
    action: {
      type: 'startWorkflow',
      workflowType: isHeld ? 'slow' : 'quick',
      taskQueue: 'jobs',
      workflowId: `${scheduleId}-run`,
      args: [1],
      retry: { maximumAttempts: 2, initialInterval: 1_000 },
      softTimeout: '5 hours',
      workflowExecutionTimeout: '1 day',
      memo: { for: 'finance' },
      searchAttributes: { Team: ['billing'] },
      staticSummary: 'a job',
      priority: { priorityKey: 2 },
    },
    policies: {
      overlap: isHeld ? 'BUFFER_ALL' : 'ALLOW_ALL',
      catchupWindow: '1 day',
      onUncertain: 'START',
      parkedHolds: !isHeld,
      parkedAtMost: '30 days',
      alerts: { late: '1 hour', failing: 2, parked: '2 days' },
    },
    memo: { of: 'finance' },
    searchAttributes: { Team: ['billing'] },
    owner: 'finance',
    runbook: 'https://example.com/run-book',
    externalId: `crm-${scheduleId}`,
  };
}

/** Firings and letters in every state, as triggers and workers would have written them. */
async function fill(ledger: TestLedger, scheduleId: string): Promise<void> {
  const fired = (minute: number, columns: Record<string, unknown>, rest?: string) =>
    writeFiring(ledger, at(minute, rest), { schedule_id: scheduleId, claimed_at: at(5), ...columns });
  const letter = (minute: number, columns: Record<string, unknown>) => writeLetter(ledger, scheduleId, minute, columns);
  const request = { requestId: randomUUID(), force: false, askedAt: at(20), lookAt: '2026-03-01T00:20:00.000Z' };

  await fired(1, { ...running(at(1)), check_at: at(26), interrupt: 'cancel', interrupt_at: at(26) });
  await fired(2, { ...closed('failed', at(3)), check_at: at(26) });
  await letter(2, { resume_until: '2026-04-01Z' });
  await fired(3, closed('failed', at(4)));
  await letter(3, { state: 'redriving', redrive: { ...request, mode: 'restart', inTurn: true, perSecond: 20 } });
  await fired(4, running(at(4)));
  await letter(4, { kind: 'parked', state: 'redriving', redrive: { ...request, mode: 'continue' } });
  await fired(5, running(at(5)));
  await letter(5, { kind: 'parked' });
  await fired(6, { state: 'abandoned', reason: 'start_rejected', last_error: 'no such type' });
  await letter(6, { kind: 'start', reason: 'start_rejected', failed_step: null, run_id: null });
  const recovery = { number: 1, recoveredAt: '2026-03-01T00:09:00.000Z', reason: 'trigger_lost' };
  await fired(7, {
    ...{ state: 'claimed', owner: randomUUID(), workflow_id: `${scheduleId}-lost`, check_at: at(8), recovery },
    ...{ first_attempted_at: at(7), start_attempted_at: at(7), task_queue: 'jobs', ready_at: at(7), late: true },
  });
  await fired(8, { state: 'skipped', reason: 'overlap' });
  await fired(9, { state: 'buffered', kind: 'manual', overlap: 'ALLOW_ALL', actor: 'ops' }, ':00.001');
  const again = {
    number: 1,
    askedAt: at(20),
    actor: 'ops',
    note: 'why',
    former: { state: 'skipped', kind: 'schedule' },
  };
  await fired(12, { ...closed('completed', at(13)), again, kind: 'schedule', actor: 'ops' });
  await fired(13, closed('failed', at(14)));
  await letter(13, {
    ...{ state: 'resolved', actor: 'ops', note: 'paid' },
    redrive: { ...request, lookAt: undefined, mode: 'restart', carriedOutAt: '2026-03-01T00:25:29.000Z' },
  });
  await ledger.query(`insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
    values ('${scheduleId}', '2026-02-28T10:00Z', '2026-02-28T11:00Z', 7, 'paused', '2026-02-28T12:00Z')`);
}

async function writeLetter(
  ledger: TestLedger,
  scheduleId: string,
  minute: number,
  columns: Record<string, unknown>,
): Promise<void> {
  const failure = { type: 'CardDeclined', message: 'no money' };
  const step = { runId: randomUUID(), eventId: 11, activityType: 'charge', activityId: '1', attempts: 3, failure };
  const parked = { ...step, retryState: 'MAXIMUM_ATTEMPTS_REACHED', burial: 1, failedAt: '2026-03-01T00:05:00.000Z' };
  const row = {
    ...{ letter_id: randomUUID(), schedule_id: scheduleId, scheduled_time: at(minute), epoch: 0, namespace: 'default' },
    ...{ kind: 'workflow', state: 'open', reason: columns.kind === 'parked' ? 'step_failed' : 'failed' },
    ...{ workflow_id: 'w', run_id: 'r', workflow_type: 'quick', created_at: at(25, ':29'), updated_at: at(25, ':29') },
    failed_step: columns.kind === 'parked' ? parked : step,
    ...columns,
  };
  const names = Object.keys(row);
  await ledger.query(
    `insert into escapement.letters (${names.join()}) values (${names.map((_, i) => `$${i + 1}`).join()})`,
    Object.values(row),
  );
}

/** Keeps the rows of a ledger as they are. @returns puts them back, and the clock with them */
export async function keep(ledger: TestLedger): Promise<() => Promise<void>> {
  const tables = await ledger.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'escapement'::regnamespace
       and relkind in ('r', 'p') and not relispartition order by relname = 'bulk_schedules', relname`,
  );
  const names = tables.map(({ name }) => name);
  await ledger.query(
    ['create schema kept', ...names.map((name) => `create table kept.${name} as select * from only escapement.${name}`)]
      .join(';')
      .replace('only escapement.firings', 'escapement.firings'),
  );
  const back = [
    ...names.toReversed().map((name) => `delete from escapement.${name}`),
    ...names.map((name) => `insert into escapement.${name} overriding system value select * from kept.${name}`),
  ].join(';');
  return async () => {
    ledger.clock.set(BEGIN);
    await ledger.query(back);
  };
}
