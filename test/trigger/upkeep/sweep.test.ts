import { describe, expect, it } from 'vitest';
import { PostgresUnreachableError } from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A schedule with a step that has been parked too long, for each of these names. */
async function parked(names: string[]): Promise<void> {
  for (const scheduleId of names) {
    await ledger().client.create(someSchedule({ scheduleId, policies: { parkedAtMost: '1 minute' } }));
  }
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
       failed_step, created_at, updated_at)
     select gen_random_uuid(), id, '2026-02-28Z', 0, 'parked', 'open', 'step_failed', 'default',
       '{"activityType": "charge", "failedAt": "2026-03-01T00:00:00Z"}', '2026-03-01Z', '2026-03-01Z' from unnest($1::text[]) id`,
    [names],
  );
}

const letters = async () =>
  (await ledger().query('select schedule_id, state from escapement.dead_letters order by 1')).map(
    ({ schedule_id, state }) => `${schedule_id} ${state}`,
  );

/** Let Postgres refuse changes of a table, by a user's database trigger. */
async function refuse(table: string, condition = 'true'): Promise<void> {
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin if ${condition} then raise 'not this one'; end if; return new; end $$`);
  await ledger().query(`create trigger refuses before update on escapement.${table} for each row
    execute function escapement.refuses()`);
}

describe('a sweep', () => {
  it('expires parked steps although Postgres refuses one of them', async () => {
    await parked(['a', 'b', 'c']);
    const { passes } = await ledger().trigger();
    await refuse('letters', `new.schedule_id = 'b'`);
    await passes.sweep();
    expect(await letters()).toEqual(['a redriving', 'b open', 'c redriving']);
  });

  it('carries out its other parts where one fails', async () => {
    await parked(['a']);
    const { passes } = await ledger().trigger();
    await refuse('firings');
    await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
    await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace,
        schedule_version, claimed_at, check_at)
      values ('a', '2026-03-01Z', 'linked', 'schedule', 'default', 1, '2026-03-01Z', '2026-03-05Z')`);
    await expect(passes.sweep()).rejects.toThrow('not this one');
    expect(await letters()).toEqual(['a redriving']);
  });

  it('waits for a Postgres that cannot be reached only once', async () => {
    let isAway = false;
    const asked = new Set<string>();
    const pool = watchedPool(ledger(), {
      before: (text) => {
        if (!isAway) return;
        asked.add(text);
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      },
    });
    const { passes } = await ledger().trigger({ connectionString: undefined, pool });
    isAway = true;
    await expect(passes.sweep()).rejects.toThrow(PostgresUnreachableError);
    expect([...asked]).toHaveLength(1);
  });

  it('begins no part once the trigger is to stop', async () => {
    const sent: string[] = [];
    const pool = watchedPool(ledger(), { before: (text) => sent.push(text) });
    const trigger = await ledger().trigger({ connectionString: undefined, pool });
    sent.length = 0;
    trigger.shutdown();
    await trigger.passes.sweep();
    expect(sent).toEqual([]);
  });
});
