import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { ApplyConflictError, type EscapementClient, StaleRevisionError } from '../../../index';
import { patient, watchedPool } from '../../support/connections/watched-pool';
import { hourly, list, many, useBilling } from './billing';

const { ledger, apply, live } = useBilling();

describe('several applies of one source at once', () => {
  it.each([[[1, 2]], [[2, 1]], [[3, 1, 2, 3]]])('(revisions %j) end in the state of the highest', async (revisions) => {
    const clients = revisions.map(() => ledger().newClient(patient(ledger())));
    const cronOf = (revision: number) => `${revision} * * * *`;
    await apply(many(700), { revision: 0 });
    const results = await Promise.all(
      revisions.map((revision, index) =>
        apply(
          [...many(700, { cron: cronOf(revision) }), hourly(`only-${revision}`)],
          { revision, prune: true, onStale: 'ignore' },
          clients[index],
        ),
      ),
    );
    const highest = Math.max(...revisions);
    const crons = await ledger().query(`select distinct v.spec ->> 'cron' as cron from escapement.schedule_versions v
      join escapement.schedules s using (schedule_id, version) where s.schedule_id like 's%'`);
    expect(crons).toEqual([{ cron: cronOf(highest) }]);
    expect((await live()).filter((id) => id.startsWith('only'))).toEqual([`only-${highest}`]);
    for (const { revision, status } of results) if (revision === highest) expect(status).toBe('applied');
    expect(await sourceState()).toMatchObject({ revision: highest, complete: true });
  });

  it('of one revision create each schedule once, and all succeed', async () => {
    const results = await Promise.all([1, 2, 3].map(() => apply(many(600), {}, ledger().newClient(patient(ledger())))));
    const created = results.flatMap((result) => result.created);
    expect(new Set(created).size).toBe(600);
    expect(created).toHaveLength(600);
    for (const result of results) expect(result.created.length + result.unchanged.length).toBe(600);
    expect(await ledger().query('select from escapement.schedule_versions')).toHaveLength(600);
  });
});

describe('an apply that was interrupted', () => {
  it('is finished by the next, and not taken for done before', async () => {
    const interrupted = apply(many(1_100), {
      revision: 7,
      progress: ({ written, total }) => {
        expect(total).toBe(1_100);
        if (written === 500) throw new Error('killed');
      },
    });
    await expect(interrupted).rejects.toThrow('killed');
    expect(await live()).toHaveLength(500);
    expect(await sourceState()).toMatchObject({ revision: 7, complete: false });
    await expect(apply(many(2), { revision: 6, prune: true })).rejects.toBeInstanceOf(StaleRevisionError);

    const seen: number[] = [];
    const result = await apply(many(1_100), { revision: 7, progress: ({ written }) => void seen.push(written) });
    expect([result.created.length, result.unchanged.length]).toEqual([600, 500]);
    expect(seen).toEqual([0, 500, 600]);
    expect(await sourceState()).toMatchObject({ revision: 7, complete: true });
  });

  it('by a higher revision writes no further batch', async () => {
    const refused = await apply(many(1_100), {
      revision: 7,
      progress: async () => {
        if ((await live()).length === 500) await apply(many(3), { revision: 8 });
      },
    }).catch((error) => error);
    expect(refused).toBeInstanceOf(StaleRevisionError);
    expect(refused.result).toMatchObject({ status: 'stale', currentRevision: 8 });
    expect(refused.result.created).toHaveLength(500);
    expect(refused.message).toContain('only 500 schedules were written');
    expect(await live()).toHaveLength(500);
  });

  it('by a reset to a lower revision says that, and not that the lower revision is newer', async () => {
    const refused = await apply(many(1_100), {
      revision: 7,
      progress: async () => {
        if ((await live()).length === 500) await ledger().client.sources.reset('billing', { revision: 5 });
      },
    }).catch((error) => error);
    expect(refused).toBeInstanceOf(StaleRevisionError);
    expect(refused.message).toBe(
      'billing@7 is stale, because the source was reset to revision 5 meanwhile: only 500 schedules were written; apply it again',
    );
    const { message } = new StaleRevisionError({ ...refused.result, created: ['a'] });
    expect(message).toContain('only 1 schedule was written');
  });

  it('by somebody’s open transaction says so with a typed error, and the next finishes it', async () => {
    await apply(list('a', 'b'));
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await ledger().client.getHandle('a').pause('mine', { transaction: holder });
    const declared = [hourly('a', { spec: { cron: '1 * * * *' } }), hourly('new')];
    await expect(apply(declared, { revision: 2 })).rejects.toMatchObject({
      name: 'ApplyConflictError',
      scheduleIds: ['a'],
    });
    expect(await live()).toEqual(['a', 'b', 'new']);
    await holder.query('rollback');
    expect(await apply(declared, { revision: 2 })).toMatchObject({
      updated: [{ scheduleId: 'a' }],
      unchanged: ['new'],
    });
  });
});

describe('schedules that others change while they are applied', () => {
  /** A client that lets another writer act before its first write of each round. */
  function disturbed(
    disturb: (round: number) => Promise<unknown>,
    statement = /^update "escapement"\."meta"/,
  ): EscapementClient {
    let rounds = 0;
    const pool = watchedPool(ledger(), {});
    const client = ledger().newClient({
      connectionString: undefined,
      pool: {
        ...pool,
        connect: async () => {
          const connection = await pool.connect();
          return {
            ...connection,
            query: async (config) => {
              if (statement.test(config.text)) await disturb(rounds++);
              return connection.query(config);
            },
          };
        },
      },
    });
    return client;
  }

  it('by a lower revision, that wrote after it had read, are compared again', async () => {
    await apply(list('a'));
    const changed = hourly('a', { spec: { cron: '1 * * * *' } });
    const client = disturbed(() => apply([changed, hourly('b')], { revision: 2 }), /insert into "escapement"\."meta"/);
    expect(await apply(list('a'), { revision: 3, prune: true }, client)).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['spec.cron'] }],
      unchanged: [],
      pruned: ['b'],
    });
  });

  it('are compared again, and end as declared', async () => {
    await apply(list('updated', 'deleted'));
    const { client } = ledger();
    const declared = [
      hourly('new'),
      ...list('updated', 'deleted').map((one) => ({ ...one, spec: { cron: '9 * * * *' } })),
    ];
    const disturb = async (round: number) => {
      if (round > 0) return;
      await client.create(hourly('new', { spec: { cron: '1 * * * *' } }));
      await client.getHandle('new').delete();
      await client.getHandle('updated').update((previous) => ({ ...previous, spec: { cron: '2 * * * *' } }));
      await client.getHandle('deleted').delete();
    };
    const result = await apply(declared, { revision: 2 }, disturbed(disturb));
    expect(result).toMatchObject({
      status: 'applied',
      created: ['new', 'deleted'],
      updated: [{ scheduleId: 'updated', changed: ['spec.cron'] }],
    });
    for (const id of ['updated', 'deleted']) {
      expect((await client.getHandle(id).describe()).definition.spec).toEqual({ cron: '9 * * * *' });
    }
  });

  it('by somebody’s open transaction that locks the source says so with a typed error too', async () => {
    await apply(list('a'));
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await holder.query(`select from escapement.meta where key = 'source:billing' for update`);
    await expect(apply(list('a', 'b'), { revision: 2 })).rejects.toMatchObject({
      name: 'ApplyConflictError',
      scheduleIds: [],
      message: expect.stringContaining('need a lock that another open transaction holds'),
    });
    expect(await live()).toEqual(['a']);
    await holder.query('rollback');
  });

  it('in their labels alone are compared again, and end as declared', async () => {
    const declared = (team: string) => [hourly('a', { memo: { team } })];
    await apply(declared('former'));
    const handle = ledger().client.getHandle('a');
    const disturb = async (round: number) => {
      if (round === 0) await handle.update((previous) => ({ ...previous, searchAttributes: { Team: ['theirs'] } }));
    };
    expect(await apply(declared('next'), { revision: 2 }, disturbed(disturb))).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['memo.team', 'searchAttributes'] }],
    });
    expect(await handle.describe()).toMatchObject({ memo: { team: 'next' }, searchAttributes: {} });
  });

  it('again and again are a typed error', async () => {
    await apply(list('a'));
    const disturb = (round: number) =>
      ledger()
        .client.getHandle('a')
        .update((previous) => ({ ...previous, spec: { cron: `${round + 1} * * * *` } }));
    const applied = apply([hourly('a', { spec: { cron: '59 * * * *' } })], { revision: 2 }, disturbed(disturb));
    await expect(applied).rejects.toBeInstanceOf(ApplyConflictError);
    await expect(applied).rejects.toMatchObject({ source: 'billing', scheduleIds: ['a'] });
  });
});

async function sourceState(): Promise<unknown> {
  return (await ledger().query(`select value from escapement.meta where key = 'source:billing'`))[0]?.value;
}
