import { beforeEach, expect, it } from 'vitest';
import { type OpenStore, openStore } from '../../../store/connection';
import { adoptFiring, type LostRow } from '../../../store/firings/adopt';
import { closeFirings } from '../../../store/firings/close';
import { closed, running, writeFiring } from '../../support/alerts/alerts';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T01:00:00Z');
const AT = '2026-03-01T01:00:00.000Z';
const scheduledTime = new Date(AT);
const now = new Date('2026-03-01T01:00:30Z');
const OWNER = '00000000-0000-4000-8000-000000000001';

let store: OpenStore;
beforeEach(() => {
  store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
});

/** The columns of a firing's row before its restart, and the actions that remain after the restart is adopted. */
const ROWS = {
  buffered: { columns: { state: 'buffered' }, actions: 4 },
  claimed: { columns: { state: 'claimed', workflow_id: 'w', first_attempted_at: AT }, actions: 5 },
  linked: { columns: { ...running(AT), stalled: 'no_worker' }, actions: 5 },
  closed: { columns: closed('canceled', AT), actions: 5 },
} as const;

it.each(['buffered', 'claimed', 'linked', 'closed'] as const)(
  'a restart that a failover lost is adopted with nothing of the earlier run, which the ledger has as %s',
  async (state) => {
    const { columns, actions } = ROWS[state];
    const { scheduleId } = await ledger().client.create(someSchedule({ state: { remainingActions: 5 } }));
    const interrupt = { interrupt: 'cancel', interrupt_at: AT, interrupted_at: AT };
    const startsAt = '2026-03-01T01:10:00Z';
    await writeFiring(ledger(), AT, { schedule_id: scheduleId, ...interrupt, starts_at: startsAt, ...columns });
    const lost: LostRow = {
      ...{ scheduleId, scheduledTime, kind: 'schedule', actor: null, epoch: 1, version: 1, namespace: 'default' },
      ...{ workflowId: 'again', runId: 'run', startedAt: now, cancelAt: null, state, rowEpoch: 0, startsAt: null },
    };
    await ledger().query(
      `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
        values (gen_random_uuid(), $1, $2, 0, 'parked', 'step_failed', 'default', $2, $2)`,
      [scheduleId, AT],
    );
    expect(await adoptFiring(store, lost, { owner: OWNER, now })).toBe('adopted');
    const hadRun = state === 'claimed' || state === 'linked';
    expect(await ledger().query('select kind, state from escapement.dead_letters')).toEqual([
      { kind: hadRun ? 'workflow' : 'parked', state: 'open' },
    ]);
    expect(
      await ledger().query(
        `select state, epoch, workflow_id, run_id, check_at, stalled, interrupt, interrupted_at from escapement.firings`,
      ),
    ).toEqual([
      {
        ...{ state: 'linked', epoch: 1, workflow_id: 'again', run_id: 'run', check_at: now },
        ...{ stalled: null, interrupt: null, interrupted_at: null },
      },
    ]);
    expect(await adoptFiring(store, { ...lost, epoch: 0 }, { owner: OWNER, now })).toBe('there');
    expect(await ledger().query('select remaining_actions from escapement.timers')).toEqual([
      { remaining_actions: actions },
    ]);
  },
);

it.each([
  ['ran again', 'backfill', { version: 2, paused: true }],
  ['restarted', 'schedule', { version: 1, paused: false }],
] as const)(
  'a firing that a person %s has the definition of that run once the run is adopted, and pauses only its own schedule',
  async (_, kind, { version, paused }) => {
    const options = someSchedule({ policies: { pauseOnFailure: true } });
    const { scheduleId } = await ledger().client.create(options);
    await writeFiring(ledger(), AT, { schedule_id: scheduleId, ...closed('failed', AT) });
    await ledger().client.getHandle(scheduleId).delete();
    ledger().clock.set('2026-03-01T01:00:20Z');
    await ledger().client.create(options);
    const [latest] = await ledger().query<{ version: number }>('select version from escapement.schedules');
    expect(latest).toEqual({ version: 2 });
    const lost: LostRow = {
      ...{ scheduleId, scheduledTime, kind, actor: null, epoch: 1, version: 2, namespace: 'default' },
      ...{
        workflowId: 'again',
        runId: 'run',
        startedAt: now,
        cancelAt: null,
        state: 'closed',
        rowEpoch: 0,
        startsAt: null,
      },
    };
    expect(await adoptFiring(store, lost, { owner: OWNER, now })).toBe('adopted');
    expect(await ledger().query('select schedule_version as version from escapement.firings')).toEqual([{ version }]);
    const end = { outcome: 'failed', closedAt: now, runId: 'run', endedRunId: 'run', failedStep: undefined } as const;
    const { paused: schedules } = await closeFirings(store, [{ scheduleId, scheduledTime, epoch: 1, ...end }], {
      now,
      resetCheckAt: now,
    });
    expect(schedules).toEqual(paused ? [scheduleId] : []);
  },
);
