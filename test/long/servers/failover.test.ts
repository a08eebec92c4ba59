import { afterEach, expect, inject, it, vi } from 'vitest';
import { EscapementClient } from '../../../index';
import { migrate } from '../../../migrations';
import { Trigger } from '../../../trigger';
import { proxyOf, type Way } from '../../support/connections/proxy';
import { someSchedule } from '../../support/ledger';
import { MemoryLogger } from '../../support/logger';
import { type PostgresServer, startPrimary } from '../../support/servers/postgres-server';
import { useWorker } from '../../support/temporal';

// Adoption searches all workflows of the namespace.
const worker = useWorker({ ownNamespace: true });

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

interface Answer {
  time: Date;
  runId: string | null;
  state: string;
}

/** A trigger that fires a schedule each second, and reaches its ledger through a proxy. */
class Scene {
  readonly log = new MemoryLogger();

  private constructor(
    readonly primary: PostgresServer,
    readonly proxy: Way,
    readonly scheduleId: string,
  ) {}

  static async begin(primary: PostgresServer): Promise<Scene> {
    await migrate({ connectionString: primary.url() });
    const proxy = await proxyOf(primary.address);
    const client = new EscapementClient({ connectionString: primary.url() });
    const { taskQueue, namespace } = worker();
    const { scheduleId } = await client.create(
      someSchedule({
        spec: { cron: '* * * * * *' },
        action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue },
        policies: { overlap: 'ALLOW_ALL' },
        namespace,
      }),
    );
    await client.close();
    const scene = new Scene(primary, proxy, scheduleId);
    const trigger = await Trigger.createTuned({
      connectionString: primary.url(proxy.address),
      connection: { address: inject('temporalAddress') },
      logger: scene.log,
    });
    const running = trigger.run();
    undo.push(async () => {
      trigger.shutdown();
      await running;
    });
    return scene;
  }

  /** The firings on a server, in the order of time. */
  firings(server: PostgresServer): Promise<Answer[]> {
    return server.query<Answer>(
      `select scheduled_time as time, run_id as "runId", state from escapement.firings order by scheduled_time`,
    );
  }

  /** Wait until this many more firings are linked on a server. */
  async fires(server: PostgresServer, count: number): Promise<void> {
    const linked = async () => (await this.firings(server)).filter(({ runId }) => runId !== null).length;
    const before = await linked();
    await expect.poll(linked, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + count);
  }

  /** Runs that Temporal has of the schedule: at least these, by workflow ID. */
  async runs(known: string[]): Promise<Map<string, string[]>> {
    return vi.waitFor(
      async () => {
        const runs = new Map<string, string[]>();
        for await (const run of worker().client.workflow.list({
          query: `WorkflowId STARTS_WITH '${this.scheduleId}-'`,
        })) {
          runs.set(run.workflowId, [...(runs.get(run.workflowId) ?? []), run.runId]);
        }
        const listed = new Set([...runs.values()].flat());
        expect(known.filter((runId) => !listed.has(runId))).toEqual([]);
        return runs;
      },
      { timeout: 60_000, interval: 1_000 },
    );
  }

  /** On a server, every second has one answer, every Temporal run has one row, and no row has two runs. */
  async expectWhole(server: PostgresServer): Promise<void> {
    await this.fires(server, 3);
    const linked = (await this.firings(server)).filter(({ runId }) => runId !== null);
    const runs = await this.runs(linked.map(({ runId }) => runId!));
    expect([...runs.values()].filter((some) => some.length !== 1)).toEqual([]);
    const listed = [...runs.values()].flat();
    await expect
      .poll(
        async () => {
          const rows = new Set((await this.firings(server)).map(({ runId }) => runId));
          return listed.filter((runId) => !rows.has(runId));
        },
        { timeout: 60_000 },
      )
      .toEqual([]);
    const times = (await this.firings(server)).map(({ time }) => time.getTime());
    expect(times).toEqual(times.map((_, index) => times[0]! + index * 1_000));
    expect(await server.query('select from escapement.gaps')).toEqual([]);
  }

  adopted(): number {
    return this.log.messages().filter((message) => message === 'adopted').length;
  }
}

async function isPrimary(server: PostgresServer): Promise<void> {
  await server.query('select pg_promote()');
  await expect.poll(() => server.query('select pg_is_in_recovery() as standby')).toEqual([{ standby: false }]);
}

it('an asynchronous standby is promoted, behind an address that leads to the old primary for a while', async () => {
  const primary = await startPrimary();
  const replication = await proxyOf(primary.address);
  const scene = await Scene.begin(primary);
  const standby = await (await primary.backUp()).startStandby(replication.address, 'standby');
  await scene.fires(standby, 3);

  replication.cut();
  const survived = await scene.firings(standby);
  await scene.fires(primary, 5);
  await primary.query('alter system set default_transaction_read_only = on');
  await primary.query('select pg_reload_conf()');
  const before = (await scene.firings(primary)).filter(({ runId }) => runId !== null);
  expect(before.length).toBeGreaterThan(survived.length);
  await isPrimary(standby);
  await expect.poll(() => scene.log.lines.some(({ meta }) => /takes no writes/.test(String(meta.error)))).toBe(true);

  scene.proxy.leadTo(standby.address);
  await scene.expectWhole(standby);
  expect(scene.adopted()).toBeGreaterThan(0);
  // Those that were lost have their rows again, by the runs that they had.
  const after = new Map((await scene.firings(standby)).map(({ time, runId }) => [time.getTime(), runId]));
  expect(before.map(({ time }) => after.get(time.getTime()))).toEqual(before.map(({ runId }) => runId));
});

it('a synchronous standby is promoted after the primary was killed: nothing that was recorded is lost', async () => {
  const primary = await startPrimary();
  const scene = await Scene.begin(primary);
  const standby = await (await primary.backUp()).startStandby(primary.address, 'standby');
  await primary.query(`alter system set synchronous_standby_names = 'standby'`);
  await primary.query('select pg_reload_conf()');
  await expect
    .poll(() => primary.query(`select sync_state from pg_stat_replication`))
    .toEqual([{ sync_state: 'sync' }]);
  await scene.fires(standby, 3);

  const before = await scene.firings(standby);
  await primary.stop();
  await isPrimary(standby);
  const survived = await scene.firings(standby);
  expect(survived.length).toBeGreaterThanOrEqual(before.length);
  scene.proxy.leadTo(standby.address);
  await scene.expectWhole(standby);
  expect(scene.log.messages()).toContain('the database was replaced: a failover?');
  const after = new Map((await scene.firings(standby)).map(({ time, runId }) => [time.getTime(), runId]));
  const linked = survived.filter(({ runId }) => runId !== null);
  expect(linked.map(({ time }) => after.get(time.getTime()))).toEqual(linked.map(({ runId }) => runId));
});

it('a backup is put back in place of the server under a running trigger', async () => {
  const primary = await startPrimary();
  const scene = await Scene.begin(primary);
  await scene.fires(primary, 3);
  const backup = await primary.backUp();
  await scene.fires(primary, 5);
  const before = (await scene.firings(primary)).filter(({ runId }) => runId !== null);
  await primary.stop();

  const restored = await backup.restore();
  scene.proxy.leadTo(restored.address);
  await scene.expectWhole(restored);
  expect(scene.adopted()).toBeGreaterThan(0);
  const after = new Map((await scene.firings(restored)).map(({ time, runId }) => [time.getTime(), runId]));
  expect(before.map(({ time }) => after.get(time.getTime()))).toEqual(before.map(({ runId }) => runId));
});

it('firing goes on after each spell in which Postgres was refused, cut off, silent, slow, read-only or another server', async () => {
  const [primary, stranger] = [await startPrimary(), await startPrimary()];
  const scene = await Scene.begin(primary);
  const { proxy, log } = scene;
  const readOnly = async (value: 'on' | 'off') => {
    await primary.query(`alter system set default_transaction_read_only = ${value}`);
    await primary.query('select pg_reload_conf()');
  };
  /** Also drops open connections; the address then leads elsewhere, or nowhere. */
  const leadTo = (server: PostgresServer) => {
    proxy.cut();
    proxy.leadTo(server.address);
    proxy.restore();
  };
  const spells: Record<string, { begin: () => unknown; end?: () => unknown }> = {
    refused: { begin: proxy.cut, end: proxy.restore },
    'cut once': { begin: proxy.cut, end: proxy.restore },
    'silent, on the connections that were open': { begin: proxy.silence },
    'silent, on new connections too': { begin: proxy.hang, end: proxy.restore },
    'read-only': { begin: () => readOnly('on'), end: () => readOnly('off') },
    'another server': { begin: () => leadTo(stranger), end: () => leadTo(primary) },
  };
  await scene.fires(primary, 2);
  for (const [name, { begin, end }] of Object.entries(spells)) {
    log.lines.length = 0;
    // A backup without an end is over as soon as it has begun.
    const begunAt = new Date().toISOString();
    await begin();
    if (name !== 'cut once') {
      const isFelt = () => log.lines.some(({ message }) => message.endsWith(' pass failed; trying again'));
      await expect.poll(isFelt, { timeout: 40_000, message: name }).toBe(true);
    }
    await end?.();
    const endedAt = end ? new Date().toISOString() : begunAt;
    await scene.fires(primary, 2);
    const [first] = await primary.query<{ late: number }>(
      `select extract(epoch from min(linked_at) - '${endedAt}')::float8 as late
        from escapement.firings where linked_at > '${endedAt}'::timestamptz + interval '0.5 s'`,
    );
    expect(first!.late, name).toBeLessThan(5);
  }
  proxy.slow(200);
  await scene.fires(primary, 3);
  proxy.restore();
  await scene.expectWhole(primary);
});
