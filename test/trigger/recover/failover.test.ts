import { temporal as proto } from '@temporalio/proto';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { createTestDatabase } from '../../../testing';
import { Trigger } from '../../../trigger';
import { DatabaseClock } from '../../../trigger/clock';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { isAdoptionDue, NOTHING_HELD } from '../../../trigger/recover/adoption';
import { announceAll } from '../../support/announced';
import { proxyOf } from '../../support/connections/proxy';
import { watchedPool } from '../../support/connections/watched-pool';
import { refusing } from '../../support/failures/refusing';
import { grantLeastAt } from '../../support/least-privilege';
import { someSchedule, TestLedger, uniqueName } from '../../support/ledger';
import { ManualClock } from '../../support/ledger-clock';
import { MemoryLogger } from '../../support/logger';
import { useWorker } from '../../support/temporal';

// What is adopted is found among all that the namespace has.
const worker = useWorker({ ownNamespace: true });
// Long before Temporal’s own clock, whose times are compared with the ledger’s.
const START = '2020-03-01T00:30:00Z';
const DUE = '2020-03-01T01:00:00Z';

let original: string;
const undo: (() => Promise<void>)[] = [];
beforeEach(async () => {
  const database = await createTestDatabase({ databaseUrl: inject('databaseUrl') });
  original = database.databaseUrl;
  undo.push(database.drop);
  await grantLeastAt(original);
});
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

/** Work on a ledger, and leave no connection to it behind. */
async function on<Result>(databaseUrl: string, work: (ledger: TestLedger) => Promise<Result>, at = START) {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  const ledger = new TestLedger(databaseUrl, sql, new ManualClock(at));
  return work(ledger).finally(() => ledger.close());
}

/** The database after the failover: what the standby had received, or the last backup. */
async function copyOf(databaseUrl: string): Promise<string> {
  const name = uniqueName('copy').replaceAll('-', '_');
  const copy = new URL(databaseUrl);
  const admin = async (text: string) => {
    const client = new Client({ connectionString: inject('databaseUrl') });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await admin(`create database ${name} template ${copy.pathname.slice(1)}`);
  undo.push(() => admin(`drop database ${name} with (force)`));
  copy.pathname = `/${name}`;
  return copy.href;
}

/** Swap the names of two databases, as when a backup replaces the former database. */
async function swap(one: string, other: string): Promise<void> {
  const [name, otherName] = [one, other].map((url) => new URL(url).pathname.slice(1));
  const admin = new Client({ connectionString: inject('databaseUrl') });
  await admin.connect();
  try {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [
      [name, otherName],
    ]);
    await admin.query(`alter database ${name} rename to ${name}_was`);
    await admin.query(`alter database ${otherName} rename to ${name}`);
    await admin.query(`alter database ${name}_was rename to ${otherName}`);
  } finally {
    await admin.end();
  }
}

function schedule(workflowType: string, options: Partial<ScheduleOptions> = {}): ScheduleOptions {
  return someSchedule({
    action: { type: 'startWorkflow', workflowType, taskQueue: worker().taskQueue },
    namespace: worker().namespace,
    ...options,
  });
}

/** Claim and start what is due at these instants. */
async function fireAt(ledger: TestLedger, ...instants: string[]): Promise<Trigger> {
  const trigger = await ledger.trigger();
  for (const instant of instants) {
    ledger.clock.set(instant);
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    await trigger.passes.dispatch();
  }
  return trigger;
}

/** Workflow and first run of each firing, in the order of time. */
async function runsOf(ledger: TestLedger, scheduleId: string): Promise<[string, string][]> {
  const firings = (await ledger.firings(scheduleId)).filter((firing) => firing.runId != null);
  return firings.reverse().map((firing) => [firing.workflowId!, firing.runId!]);
}

/** Temporal's list shows as many runs of a schedule; it lags behind. */
async function listed(scheduleId: string, count: number): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const runs: string[] = [];
      for await (const run of worker().client.workflow.list({ query: `WorkflowId STARTS_WITH '${scheduleId}-'` })) {
        runs.push(run.runId);
      }
      expect(runs).toHaveLength(count);
      return runs;
    },
    // Temporal allows few lists a second.
    { timeout: 60_000, interval: 500 },
  );
}

/** Adopt until every namespace has answered: Temporal allows few lists a second, and other tests take some. */
async function adoptAll(ledger: TestLedger, trigger: Trigger): Promise<{ adopted: number; reopened: number }> {
  const sum = { adopted: 0, reopened: 0 };
  for (;;) {
    const { adopted, reopened, complete } = await trigger.passes.adopt();
    sum.adopted += adopted;
    sum.reopened += reopened;
    if (complete) return sum;
    ledger.clock.advance(2_000);
  }
}

describe('after a failover that lost transactions', () => {
  it('each lost firing is adopted with its run, none is doubled, and no gap covers one that ran', async () => {
    const policies = { overlap: 'ALLOW_ALL', catchupLimit: 1 } as const;
    const scheduleId = await on(original, async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { policies }));
      await fireAt(ledger, DUE);
      return handle.scheduleId;
    });
    const copy = await copyOf(original);
    const lost = await on(
      original,
      async (ledger) => {
        await fireAt(ledger, '2020-03-01T02:00:00Z', '2020-03-01T04:00:00Z');
        await ledger.newClient({ identity: 'alice' }).getHandle(scheduleId).trigger();
        await fireAt(ledger, '2020-03-01T04:30:00Z');
        return runsOf(ledger, scheduleId);
      },
      DUE,
    );
    expect(lost).toHaveLength(4);
    await listed(scheduleId, 4);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        // The gap would cover times that ran: after the first pass, and after a heartbeat.
        expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
        await trigger.passes.heartbeat();
        expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 3, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect(ledger.log.messages().filter((message) => message === 'adopted')).toHaveLength(3);

        ledger.clock.advance(1_000);
        expect((await trigger.passes.claim()).claimed).toHaveLength(1);
        expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
        expect(await ledger.answers(scheduleId)).toEqual([
          '03-01T01:00:00 schedule linked',
          '03-01T02:00:00 schedule linked',
          '03-01T03:00:00..03-01T03:00:00 gap 1 over_catchup_limit',
          '03-01T04:00:00 schedule linked',
          '03-01T04:00:00.001 manual linked',
          '03-01T05:00:00..03-01T05:00:00 gap 1 over_catchup_limit',
          '03-01T06:00:00 schedule linked',
        ]);
        expect(await listed(scheduleId, 5)).toEqual(expect.arrayContaining(lost.map(([, runId]) => runId)));
        const manual = (await ledger.firings(scheduleId)).find((firing) => firing.kind === 'manual');
        expect(manual).toMatchObject({ actor: 'alice', scheduleVersion: 1 });

        // Asked again it finds nothing.
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 0, reopened: 0 });
      },
      '2020-03-01T06:00:00Z',
    );
  });

  it('SKIP honours a running chain that was adopted', async () => {
    const scheduleId = await on(original, async (ledger) => {
      return (await ledger.client.create(schedule('untilFinished'))).scheduleId;
    });
    // A trigger has seen the database before it was lost.
    await on(original, (ledger) => ledger.trigger());
    const copy = await copyOf(original);
    const [[workflowId, runId]] = (await on(original, async (ledger) => {
      await fireAt(ledger, DUE);
      return runsOf(ledger, scheduleId);
    })) as [[string, string]];
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        await trigger.passes.claim();
        expect(await ledger.answers(scheduleId)).toEqual([]);
        expect(await adoptAll(ledger, trigger)).toMatchObject({ adopted: 1 });
        ledger.clock.advance(1_000);
        await trigger.passes.claim();
        expect((await trigger.passes.verify()).skipped).toHaveLength(1);
        expect(await ledger.answers(scheduleId)).toEqual([
          '03-01T01:00:00 schedule linked',
          '03-01T02:00:00 schedule skipped overlap',
        ]);
        expect(await runsOf(ledger, scheduleId)).toEqual([[workflowId, runId]]);

        await worker().client.workflow.getHandle(workflowId).signal('finish');
        await worker().client.workflow.getHandle(workflowId).result();
        await trigger.passes.observe();
        expect((await ledger.answers(scheduleId))[0]).toBe('03-01T01:00:00 schedule closed completed');
      },
      '2020-03-01T02:00:00Z',
    );
  });

  it('nothing is skipped and no gap is written while Temporal cannot be asked', async () => {
    const scheduleId = await on(original, async (ledger) => {
      const handle = await ledger.client.create(
        schedule('echoFiring', { policies: { overlap: 'ALLOW_ALL', catchupLimit: 1 } }),
      );
      await fireAt(ledger, DUE);
      return handle.scheduleId;
    });
    const copy = await copyOf(original);
    const proxy = await proxyOf(inject('temporalAddress'));
    await on(
      copy,
      async (ledger) => {
        const options: Partial<TunedTriggerOptions> = { connection: { address: proxy.address } };
        const trigger = await ledger.trigger(options);
        proxy.cut();
        // After its first pass, and after a question without an answer.
        expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
        expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
        await trigger.passes.claim();
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);

        // Another trigger claims meanwhile, and this one is replaced. Its last known heartbeat still counts.
        await ledger.client.getHandle(scheduleId).trigger();
        proxy.restore();
        const next = await ledger.trigger();
        expect(
          await ledger.query(`select value #>> '{}' as at from escapement.meta where key = 'last_claim_at'`),
        ).toEqual([{ at: expect.stringContaining('2020-03-01T01:00:00') }]);
        await adoptAll(ledger, next);
        // The first one hears of it with its next heartbeat.
        await trigger.passes.heartbeat();
        ledger.clock.advance(6_000);
        await trigger.passes.claim();
        expect((await ledger.answers(scheduleId))[1]).toBe('03-01T02:00:00..03-01T02:00:00 gap 1 over_catchup_limit');
      },
      '2020-03-01T03:00:00Z',
    );
  });

  it.each(['claimed', 'abandoned'] as const)(
    'what the ledger still has as %s is linked with the run that was started since',
    async (state) => {
      const scheduleId = await on(original, async (ledger) => {
        const handle = await ledger.client.create(
          schedule('echoFiring', { policies: { catchupWindow: '1 hour' }, state: { remainingActions: 5 } }),
        );
        const trigger = await ledger.trigger();
        ledger.clock.set(DUE);
        await trigger.passes.claim();
        if (state === 'claimed') return handle.scheduleId;
        await announceAll(ledger, trigger);
        await handle.pause();
        ledger.clock.advance(31_000);
        expect(await (await ledger.trigger()).passes.reconcile()).toMatchObject({ abandoned: 1 });
        return handle.scheduleId;
      });
      const copy = await copyOf(original);
      const lost = await on(
        original,
        async (ledger) => {
          const trigger = await ledger.trigger();
          const { deadLetters } = ledger.client;
          for await (const { letterId } of deadLetters.list()) await deadLetters.redrive(letterId);
          await trigger.passes.redrive();
          await trigger.passes.reconcile();
          expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
          return runsOf(ledger, scheduleId);
        },
        '2020-03-01T01:02:00Z',
      );
      await listed(scheduleId, 1);

      await on(
        copy,
        async (ledger) => {
          const trigger = await ledger.trigger();
          await trigger.passes.heartbeat();
          expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0, restarted: 0, abandoned: 0 });
          expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
          expect(await runsOf(ledger, scheduleId)).toEqual(lost);
          const left = await ledger.query('select remaining_actions from escapement.timers');
          expect(left).toEqual([{ remaining_actions: 4 }]);
        },
        '2020-03-01T05:00:00Z',
      );
    },
  );

  it('what the ledger still has as skipped is linked with the run that a person has asked for since', async () => {
    const scheduleId = await on(original, async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring'));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      await handle.pause();
      await handle.unpause();
      expect(await ledger.answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
      return handle.scheduleId;
    });
    const copy = await copyOf(original);
    const lost = await on(
      original,
      async (ledger) => {
        await ledger.newClient({ identity: 'alice' }).getHandle(scheduleId).runAgain(DUE);
        await fireAt(ledger, '2020-03-01T01:02:00Z');
        return runsOf(ledger, scheduleId);
      },
      '2020-03-01T01:01:00Z',
    );
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect((await ledger.firings(scheduleId))[0]).toMatchObject({
          state: 'linked',
          kind: 'backfill',
          actor: 'alice',
        });
      },
      '2020-03-01T01:05:00Z',
    );
  });

  it('what a pause has skipped since is linked with its run, which had been started and lost its announcement', async () => {
    const state = { remainingActions: 5 };
    const scheduleId = await on(original, async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { state }));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      return handle.scheduleId;
    });
    const copy = await copyOf(original);
    const lost = await on(
      original,
      async (ledger) => {
        await fireAt(ledger, '2020-03-01T01:00:01Z');
        return runsOf(ledger, scheduleId);
      },
      '2020-03-01T01:00:01Z',
    );
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const handle = ledger.client.getHandle(scheduleId);
        await handle.pause();
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
        expect((await handle.describe()).state).toMatchObject({ remainingActions: 5 });
        const trigger = await ledger.trigger();
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
        expect((await handle.describe()).state).toMatchObject({ remainingActions: 4 });
      },
      '2020-03-01T01:00:05Z',
    );
  });

  it('a schedule that somebody keeps locked waits by itself for its lost firing, and its namespace goes on', async () => {
    await on(original, async (ledger) => {
      const policies = { overlap: 'ALLOW_ALL' } as const;
      const some = [
        await ledger.client.create(schedule('echoFiring', { policies })),
        await ledger.client.create(schedule('echoFiring', { policies })),
      ];
      const [kept, free] = some.map(({ scheduleId }) => scheduleId) as [string, string];
      const trigger = await fireAt(ledger, DUE);
      for (const scheduleId of [kept, free]) await listed(scheduleId, 1);
      ledger.clock.set('2020-03-01T02:00:00Z');
      await trigger.passes.claim();
      await ledger.query('delete from escapement.firings where scheduled_time = $1', [DUE]);
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(trigger.health().reasons).toContainEqual(
        expect.stringContaining('nothing is claimed until Temporal has reported what it started'),
      );
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept]);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: false });
      expect(trigger.health().reasons.at(-1)).toContain(`1 schedule waits for the rows of lost firings: '${kept}'`);
      expect(ledger.log.lines).toContainEqual({
        level: 'warn',
        message: 'what Temporal has started could not be adopted',
        meta: expect.objectContaining({
          scheduleId: kept,
          heldBy: [expect.stringContaining('idle in transaction')],
        }),
      });
      await holder.query('rollback');
      await holder.end();

      // The lock is free by now, but the row is still missing.
      ledger.clock.set('2020-03-01T03:00:00Z');
      await trigger.passes.claim();
      await trigger.passes.dispatch();
      const linked = ['01', '02', '03'].map((hour) => `03-01T${hour}:00:00 schedule linked`);
      expect(await ledger.answers(free)).toEqual(linked);
      ledger.clock.advance(2_000);
      expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0 });
      expect(await ledger.answers(kept)).toEqual(['03-01T02:00:00 schedule claimed']);

      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: true });
      ledger.clock.advance(6_000);
      await trigger.passes.claim();
      await trigger.passes.dispatch();
      expect(await ledger.answers(kept)).toEqual(linked);
    });
  });

  it('a namespace that is not there holds nothing up', async () => {
    await on(original, async (ledger) => {
      await ledger.client.create(schedule('echoFiring', { namespace: uniqueName('gone') }));
      await ledger.trigger();
    });
    const copy = await copyOf(original);
    await on(copy, async (ledger) => {
      const trigger = await ledger.trigger();
      expect(await trigger.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: true });
    });
  });

  it('a namespace that is not there holds nothing up either where another call has found that out', async () => {
    const namespace = uniqueName('gone');
    await on(original, async (ledger) => {
      await ledger.client.create(schedule('echoFiring', { namespace }));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0 });
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toMatchObject({ complete: true });
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      // It is asked again once its pause is over.
      ledger.clock.advance(5_000);
      expect(await trigger.passes.adopt()).toMatchObject({ complete: true });
    });
  });

  it('a namespace whose server is gone holds nothing up where no live schedule has named it since, and nothing waits', async () => {
    const [deleted, moved, late] = [uniqueName('deleted'), uniqueName('moved'), uniqueName('late')];
    const connection = { address: inject('temporalAddress') };
    const dead = { connection: { address: '127.0.0.1:1' } };
    const namespaces = { [deleted]: dead, [moved]: dead, [late]: dead };
    await on(original, async (ledger) => {
      const moves = async (namespace: string) => {
        const handle = await ledger.client.create(schedule('echoFiring', { namespace }));
        await handle.delete();
        await ledger.client.create(schedule('echoFiring', { scheduleId: handle.scheduleId }));
      };
      await (await ledger.client.create(schedule('echoFiring', { namespace: deleted }))).delete();
      await moves(moved);
      ledger.clock.advance(3_600_000);
      const trigger = await ledger.trigger({ connection, namespaces });
      await trigger.passes.heartbeat();
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      await adoptAll(ledger, trigger);

      // The row of its last start may have been lost just before.
      await moves(late);
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
      expect(ledger.log.messages()).toContain('Temporal does not answer: due firings wait');
    });
  });
});

describe('a database that is not the one that it was', () => {
  /** Whether a trigger's next heartbeat takes it for the same one. */
  async function isSame(change: (ledger: TestLedger) => Promise<unknown>): Promise<boolean> {
    return on(original, async (ledger) => {
      const trigger = await ledger.trigger();
      await ledger.client.create(schedule('echoFiring'));
      await change(ledger);
      await trigger.passes.heartbeat();
      return !ledger.log.messages().includes('the database was replaced: a failover?');
    });
  }

  it('is noticed though a backup was restored in its place, on the same timeline', async () => {
    const restored = (ledger: TestLedger) =>
      ledger.query(`begin; create table escapement.again (like escapement.meta including all);
        insert into escapement.again select * from escapement.meta;
        drop table escapement.meta cascade; alter table escapement.again rename to meta; commit`);
    expect(await isSame(async () => {})).toBe(true);
    expect(await isSame(restored)).toBe(false);
  });

  it('is noticed though another server gave it the same OID and timeline', async () => {
    const server = (ledger: TestLedger) =>
      ledger.query<{ system: string; noticed: string }>(
        `select system_identifier::text as system, value ->> 'systemIdentifier' as noticed
         from pg_control_system(), escapement.meta where key = 'incarnation'`,
      );
    const elsewhere = async (ledger: TestLedger) => {
      const [row] = await server(ledger);
      expect(row!.noticed).toBe(row!.system);
      await ledger.query(
        `update escapement.meta set value = value || '{"systemIdentifier": "7"}' where key = 'incarnation'`,
      );
    };
    expect(await isSame(elsewhere)).toBe(false);
  });

  it('is noticed where a person says so, since a disk that was put back shows nothing', async () => {
    const told = (ledger: TestLedger) =>
      ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    expect(await isSame(told)).toBe(false);
  });

  it('is not what a role takes it for that may ask less', async () => {
    await on(original, async (ledger) => {
      const role = uniqueName('role').replaceAll('-', '_');
      const ask = 'select escapement.incarnation() as incarnation';
      const [asOwner] = await ledger.query(ask);
      await ledger.query(`create role ${role}; grant usage on schema escapement to ${role};
        revoke execute on function pg_control_system(), pg_current_wal_lsn() from public`);
      try {
        await ledger.query(`set role ${role}`);
        await expect(ledger.query('select pg_control_system()')).rejects.toMatchObject({ code: '42501' });
        expect(await ledger.query(ask)).toEqual([asOwner]);
      } finally {
        await ledger.query(`reset role; drop owned by ${role}; drop role ${role}`);
      }
    });
  });
});

it('what was known of a schedule is forgotten: the same version may be another one by now', async () => {
  await on(original, async (ledger) => {
    const { scheduleId } = await ledger.client.create(schedule('echoFiring', { policies: { overlap: 'ALLOW_ALL' } }));
    const trigger = await fireAt(ledger, DUE);
    // The standby had not received the version, and somebody has written another one since.
    await ledger.query(`update escapement.schedule_versions set spec = '{"cron": "30 * * * *"}'`);
    await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await trigger.passes.heartbeat();
    await adoptAll(ledger, trigger);
    ledger.clock.set('2020-03-01T01:30:00Z');
    await ledger.query(`update escapement.timers set wake_at = '2020-03-01T01:30Z', seq = seq + 1`);
    await trigger.passes.claim();
    expect((await ledger.answers(scheduleId))[1]).toBe('03-01T01:30:00 schedule claimed');
  });
});

describe('a trigger that runs', () => {
  it('writes nothing to another database at its address before it has noticed it', async () => {
    const policies = { overlap: 'ALLOW_ALL', catchupLimit: 1 } as const;
    const scheduleId = await on(original, async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { policies }));
      await fireAt(ledger, DUE);
      return handle.scheduleId;
    });
    const copy = await copyOf(original);
    const [clock, logger] = [new ManualClock(DUE), new MemoryLogger()];
    const connection = { address: inject('temporalAddress') };
    const trigger = await Trigger.createTuned({ connectionString: original, connection, clock, logger });
    const { passes } = trigger;
    await passes.heartbeat();
    await swap(original, copy);
    undo.push(() => swap(original, copy));
    undo.push(() => trigger.close());

    clock.set('2020-03-01T04:00:00Z');
    const claimed = () =>
      passes.claim().then(
        () => 'claimed',
        ({ message }: Error) => message,
      );
    // The first calls may meet connections that the old one has closed.
    await expect.poll(claimed).toContain('it is {');
    const answers = () => on(original, (ledger) => ledger.answers(scheduleId));
    expect(await answers()).toEqual(['03-01T01:00:00 schedule linked']);
    await passes.heartbeat();
    expect(logger.messages()).toContain('the database was replaced: a failover?');
    expect(await passes.claim()).toMatchObject({ due: 0, complete: false });
    expect(await answers()).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('notices a failover with a heartbeat, and adopts by itself', async () => {
    await on(original, async (ledger) => {
      // By the trigger's clock, by which the month of a firing from before would be retired.
      const client = ledger.newClient({ now: undefined });
      // By the real clock its hour may come at any time.
      const handle = await client.create({ ...schedule('echoFiring'), state: { paused: true } });
      const { scheduleId } = handle;
      const trigger = await ledger.trigger({ clock: new DatabaseClock() });
      const running = trigger.run();
      try {
        await handle.trigger();
        const linked = await vi.waitFor(async () => {
          const runs = await runsOf(ledger, scheduleId);
          expect(runs).toHaveLength(1);
          return runs;
        }, 60_000);
        // Else it would be found by the second poll only, a minute later.
        await listed(scheduleId, 1);
        // What an asynchronous standby had not received yet, and the timeline that its promotion began.
        await ledger.query(`delete from escapement.firings`);
        await ledger.query(
          `update escapement.meta set value = value || '{"timeline": "00000000"}' where key = 'incarnation'`,
        );
        await vi.waitFor(async () => expect(await runsOf(ledger, scheduleId)).toEqual(linked), 60_000);
        await vi.waitFor(async () => {
          const [row] = await ledger.query(`select value ->> 'timeline' as timeline from escapement.meta
            where key = 'incarnation'`);
          expect(row!.timeline).not.toBe('00000000');
        }, 60_000);
        expect(ledger.log.messages()).toContain('the database was replaced: a failover?');
      } finally {
        trigger.shutdown();
        await running;
      }
    });
  });
});

describe('the daily check of what Temporal knows', () => {
  it('links a closed firing again whose chain was reopened', async () => {
    await on(original, async (ledger) => {
      const { client } = worker();
      const { scheduleId } = await ledger.client.create(schedule('untilFinished'));
      const trigger = await fireAt(ledger, DUE);
      const [[workflowId, runId]] = (await runsOf(ledger, scheduleId)) as [[string, string]];
      const execution = client.workflow.getHandle(workflowId);
      // A signal before the first workflow task has ended would be part of what the reset keeps.
      await vi.waitFor(
        async () => expect((await execution.describe()).historyLength).toBeGreaterThanOrEqual(4),
        60_000,
      );
      await execution.signal('finish');
      await execution.result();
      ledger.clock.advance(1_000);
      await trigger.passes.observe();
      expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed completed']);
      await client.workflowService.resetWorkflowExecution({
        namespace: worker().namespace,
        workflowExecution: { workflowId, runId },
        // A Long of its own kind, which plain numbers are taken for.
        workflowTaskFinishEventId: 4 as never,
        resetReapplyType: proto.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE,
        requestId: uniqueName('reset'),
        reason: 'test',
      });
      await listed(scheduleId, 2);
      expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 0, reopened: 1 });
      expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
      expect(await adoptAll(ledger, trigger)).toMatchObject({ reopened: 0 });
    });
  });

  it('takes what it can though somebody keeps a schedule locked, and that one afterwards', async () => {
    await on(original, async (ledger) => {
      const some = [
        await ledger.client.create(schedule('untilFinished')),
        await ledger.client.create(schedule('untilFinished')),
      ];
      const [kept, free] = some.map(({ scheduleId }) => scheduleId) as [string, string];
      const trigger = await fireAt(ledger, DUE);
      for (const scheduleId of [kept, free]) await listed(scheduleId, 1);
      await ledger.query('delete from escapement.firings');
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept]);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1 });
      expect(await ledger.answers(free)).toEqual(['03-01T01:00:00 schedule linked']);
      await holder.query('rollback');
      await holder.end();
      ledger.clock.advance(2_000);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: true });
    });
  });

  it('adopts many lost firings of one schedule in one pass, which do not keep it locked from each other', async () => {
    await on(original, async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      const hours = ['01', '02', '03', '04', '05', '06', '07', '08'].map((hour) => `2020-03-01T${hour}:00:00Z`);
      await fireAt(ledger, ...hours);
      await listed(scheduleId, hours.length);
      await ledger.query('delete from escapement.firings');
      const trigger = await ledger.trigger();
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toEqual({ adopted: hours.length, reopened: 0, complete: true });
      expect(await ledger.firings(scheduleId)).toHaveLength(hours.length);
    });
  });

  it('is taken by one trigger, page by page, and gone on with by another where that one died', async () => {
    await on(original, async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      const hours = ['01', '02', '03', '04', '05'].map((hour) => `2020-03-01T${hour}:00:00Z`);
      await fireAt(ledger, ...hours);
      await listed(scheduleId, 5);
      await ledger.query('delete from escapement.firings');

      let pages = 0;
      const connection = refusing(inject('temporalAddress'), 0, (method) => {
        if (method === 'ListWorkflowExecutions') pages += 1;
        return false;
      });
      // Pages follow each other at once: of the namespace are all runs of this file.
      const limits = { batchSize: 2, listPagePauseMilliseconds: 0 };
      // The trigger dies before it has recorded that its second batch is done.
      let places = 0;
      const before = (text: string) => {
        if (text.includes('jsonb_set') && ++places === 2) throw new Error('killed');
      };
      const dying = await ledger.trigger({ connection, limits, pool: watchedPool(ledger, { before }) });
      const other = await ledger.trigger({ connection, limits });
      await dying.passes.heartbeat();
      await expect(dying.passes.adopt()).rejects.toThrow('killed');
      expect(pages).toBe(2);

      expect(await other.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: false });
      expect(pages).toBe(2);
      ledger.clock.advance(11_000);
      await other.passes.heartbeat();
      expect(await other.passes.adopt()).toMatchObject({ complete: true });
      expect(await ledger.firings(scheduleId)).toHaveLength(5);
      const goneOn = pages - 2;

      // The next one begins again.
      expect(await other.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: true });
      expect(pages - 2 - goneOn).toBe(goneOn + 1);
    });
  });

  it('goes on with the page on which a schedule was locked, where the trigger that left it died', async () => {
    await on(original, async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      await fireAt(ledger, ...['01', '02', '03'].map((hour) => `2020-03-01T${hour}:00:00Z`));
      await listed(scheduleId, 3);
      await ledger.query('delete from escapement.firings');
      const limits = { batchSize: 1, listPagePauseMilliseconds: 0 };
      // The trigger dies at its second batch. On the first one, another session holds the lock of the schedule.
      let locks = 0;
      const before = (text: string) => {
        if (text.includes('timers') && text.includes('for no key update skip locked') && ++locks === 2) {
          throw new Error('killed');
        }
      };
      const dying = await ledger.trigger({ limits, pool: watchedPool(ledger, { before }) });
      const other = await ledger.trigger({ limits });
      await dying.passes.heartbeat();
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
      await expect(dying.passes.adopt()).rejects.toThrow('killed');
      await holder.query('rollback');
      await holder.end();

      ledger.clock.advance(11_000);
      await other.passes.heartbeat();
      expect(await other.passes.adopt()).toMatchObject({ adopted: 3, complete: true });
    });
  });

  it('is due once a day, once more after a failover, and at once after one', () => {
    const clock = new ManualClock(START);
    const adoption = {
      incarnation: '',
      held: NOTHING_HELD,
      done: new Set<string>(),
      complaints: new Map(),
      adoptedAt: new Date(START),
      again: undefined,
    };
    const due = (changed: object = {}) => isAdoptionDue({ adoption, clock, ...changed });
    expect(due()).toBe(false);
    expect(due({ adoption: { ...adoption, held: 'all' } })).toBe(true);
    const again = { since: new Date(START), at: Date.parse(START) + 60_000 };
    expect(due({ adoption: { ...adoption, again } })).toBe(false);
    clock.advance(60_000);
    expect(due({ adoption: { ...adoption, again } })).toBe(true);
    expect(due()).toBe(false);
    clock.advance(86_400_000);
    expect(due()).toBe(true);
  });

  it('is not taken on a ledger that is new, so that a first start asks nothing', async () => {
    await on(original, async (ledger) => {
      const trigger = await ledger.trigger();
      await ledger.client.create(schedule('echoFiring', { policies: { catchupLimit: 0 } }));
      ledger.clock.set('2020-03-01T02:30:00Z');
      expect((await trigger.passes.claim()).gaps).toHaveLength(1);
      await trigger.passes.heartbeat();
      expect(ledger.log.messages()).not.toContain('the database was replaced: a failover?');
    });
  });
});
