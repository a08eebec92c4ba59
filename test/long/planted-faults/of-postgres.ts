import { Client } from 'pg';
import { grantsFor } from '../../../store/grants';
import { endSessions } from '../../support/connections/sessions';
import { uniqueName } from '../../support/ledger';
import type { Fault } from '../../support/scenes/planted-fault';

const readOnly: Fault = {
  fault: 'a read-only Postgres',
  finding: 'read_only',
  condition: 'ledger_unavailable',
  async plant(scene) {
    const trigger = await scene.trigger();
    const name = new URL(scene.ledger.databaseUrl).pathname.slice(1);
    await scene.ledger.query(`alter database "${name}" set default_transaction_read_only = on`);
    await endSessions(scene.ledger);
    for (let pass = 0; pass < 3; pass++) await scene.go(trigger, 14);
    const heal = async () => {
      await scene.ledger.query(`alter database "${name}" reset default_transaction_read_only`);
      await endSessions(scene.ledger);
    };
    return { trigger, heal };
  },
};

const lockHeld: Fault = {
  fault: 'a lock held',
  finding: 'lock_held',
  condition: 'lock_held',
  async plant(scene) {
    const scheduleId = await scene.schedule();
    const trigger = await scene.trigger();
    const holder = new Client({ connectionString: scene.ledger.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
    await scene.goTo(trigger, '01:00:05');
    await scene.go(trigger, 4);
    await scene.go(trigger, 4);
    const heal = async () => {
      await holder.query('rollback');
      await holder.end();
    };
    return { trigger, heal };
  },
};

const missingPartition: Fault = {
  fault: 'a missing partition',
  finding: 'partition_missing',
  condition: 'partition_missing',
  async plant(scene) {
    const { ledger } = scene;
    const role = uniqueName('runtime').replaceAll('-', '_');
    await ledger.query(`create role ${role}`);
    ledger.beforeClose(async () => {
      await ledger.query(`drop owned by ${role}`);
      await ledger.query(`drop role ${role}`);
    });
    for (const grant of grantsFor('escapement', role, ['trigger'])) await ledger.query(grant);
    const url = new URL(ledger.databaseUrl);
    url.searchParams.set('options', `-c role=${role}`);
    const trigger = await scene.trigger({ connectionString: url.href });
    const right = 'execute on function escapement.ensure_partition';
    await ledger.query(`revoke ${right} from ${role}`);
    await ledger.query('drop table escapement.firings_202603');
    await scene.go(trigger, 5);
    await scene.go(trigger, 6);
    return { trigger, heal: () => ledger.query(`grant ${right} to ${role}`) };
  },
};

const clockOff: Fault = {
  fault: 'a clock that is off',
  finding: 'clock_off',
  condition: 'clock_off',
  async plant(scene) {
    let offMilliseconds = 7_000;
    // The clock of Postgres advances by itself, since the trigger compares it only with that of its host.
    const trigger = await scene.trigger({ hostClock: () => Date.now() + offMilliseconds });
    await scene.go(trigger, 6);
    const heal = async () => {
      offMilliseconds = 0;
    };
    return { trigger, heal };
  },
};

const retentionHeld: Fault = {
  fault: 'a retention that is held up',
  finding: 'retention_held',
  condition: 'retention_held',
  async plant(scene) {
    const { ledger } = scene;
    await ledger.query(`select escapement.ensure_partition('2025-06-01Z')`);
    await ledger.query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id, claimed_at)
        values ('gone', '2025-06-02Z', 'buffered', 'backfill', 'default', 1, 'w', '2025-06-02Z')`,
    );
    const trigger = await scene.trigger();
    const heal = () =>
      ledger.query(`update escapement.firings set state = 'skipped', reason = 'excluded' where schedule_id = 'gone'`);
    return { trigger, heal };
  },
};

/** Faults of Postgres, and of the hosts of triggers. */
export const OF_POSTGRES = [readOnly, lockHeld, missingPartition, clockOff, retentionHeld];
