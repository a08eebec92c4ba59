import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { Cleanup } from '../../bench/lib/cleanup';
import type { SceneReport } from '../../bench/lib/report/report';
import { withServerSetting } from '../../bench/lib/server-setting';
import { runScenes } from '../../bench/run';
import { SCENES } from '../../bench/scenes';
import { temporaryFolder } from '../support/folder';
import { runScript } from '../support/processes/child';

/** Series that each scene must have measured, in the order of its table. On a server that was there before the bench, native Schedules run in one namespace only. */
const NATIVE = 'native Schedules, as the server has them';
const STAMPEDE = [
  'Escapement',
  'Escapement, preStart: false',
  'bare pre-started workflows',
  'plain start loop',
  NATIVE,
];
/** These scenes start a server of their own, since their fault is in the server. */
const REFUSED = ['Escapement', 'native Schedules V1', 'native Schedules V2'];
const SERIES: Record<string, string[]> = {
  stampede: STAMPEDE,
  'stampede-5000': [...STAMPEDE.slice(0, 2), 'Escapement, preStart: 60 seconds', ...STAMPEDE.slice(2)],
  steady: ['Escapement, 1 a second', `${NATIVE}, 1 a second`, 'Escapement, 2 a second', `${NATIVE}, 2 a second`],
  sustained: ['Escapement', 'bare start loop'],
  claims: ['Escapement', 'raw inserts on two connections', 'raw inserts on one'],
  idle: ['0 schedules', '20 schedules'],
  recovery: ['Escapement', 'bare start loop'],
  backlog: ['one trigger', 'two triggers'],
  catchup: ['Escapement', 'bare start loop'],
  'catchup-60000': ['Escapement', 'bare start loop'],
  snapshot: ['without', 'snapshot held open'],
  dispatched: ['without', 'snapshot held open'],
  // And the series of the killed trigger, if it held anything.
  kill: ['no kill', 'a kill: not held by the killed'],
  namespaces: ['alone', 'beside a silent and an erring one'],
  tenants: ['a tenant with one firing', 'the trigger', 'an idle process beside it'],
  incident: ['40 open letters', 'two triggers'],
  refused: REFUSED,
  'refused-65': REFUSED,
  killed: REFUSED.flatMap((series) => [`${series}, server killed`, `${series}, worker killed`]),
  cost: ['Escapement', NATIVE, 'bare starts'],
  disk: ['as written', 'packed'],
  day: ['first hour', 'last hour', 'the day'],
};

describe('a scene at its small size, on real servers', () => {
  it.each(SCENES.map((scene) => [scene.name, scene] as const))(
    '%s measures every contender, finds nothing wrong and leaves nothing behind',
    { timeout: 240_000 },
    async (name, scene) => {
      const out = await temporaryFolder();
      const before = await ledgers();
      const [report] = await runScenes({
        ...{ scenes: [scene], quick: true, out, onProgress: () => {} },
        ...{ databaseUrl: inject('databaseUrl'), temporalAddress: inject('temporalAddress') },
      });

      const series = [...new Set(report!.figures.map((figure) => figure.series))];
      expect(series.slice(0, SERIES[name]!.length)).toEqual(SERIES[name]);
      for (const { series, metric, repeats } of report!.figures) {
        expect(repeats.every(Number.isFinite), `${series}, ${metric}: ${repeats}`).toBe(true);
      }
      expect(report!.checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(JSON.parse(await readFile(join(out, `${name}.json`), 'utf8'))).toEqual(report);
      expect((await readdir(out)).sort()).toEqual([`${name}.json`, ...report!.plots].sort());
      expect(await ledgers()).toEqual(before);
    },
  );
});

it('a setting that a scene makes for the whole server is undone, whether the scene ends or is interrupted', async () => {
  const sql = new Client({ connectionString: inject('databaseUrl') });
  await sql.connect();
  const ledger = { query: async (text: string, values: unknown[] = []) => (await sql.query(text, values)).rows };
  const name = 'bgwriter_delay';
  const set = async () =>
    (await sql.query('select setting from pg_file_settings where name = $1 order by seqno', [name])).rows.at(-1)
      ?.setting;
  const before = await set();
  const owners = new Cleanup(() => {});
  await withServerSetting(owners, ledger as never, { name, value: '310ms' }, async () => {
    await withServerSetting(owners, ledger as never, { name, value: '120ms' }, async () => {
      expect(await set()).toBe('120ms');
    });
    expect(await set()).toBe('310ms');
    const interrupted = new Cleanup(() => {});
    await withServerSetting(interrupted, ledger as never, { name, value: '120ms' }, async () => {
      await interrupted.run();
      expect(await set()).toBe('310ms');
    });
  });
  expect(await set()).toBe(before);
  await sql.end();
});

it('the command writes reports as JSON and tells of its progress elsewhere', async () => {
  const command = runScript('bench/main.ts', ['--quick', '--scene', 'claims', '--json'], {
    DATABASE_URL: inject('databaseUrl'),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
  });
  expect(await command.ended()).toMatchObject({ code: 0 });
  const reports: SceneReport[] = JSON.parse(command.output.join('\n'));
  expect(reports.map(({ scene, quick }) => [scene, quick])).toEqual([['claims', true]]);
  expect(command.errors.join('\n')).toContain('claims: done in');
});

it('the command names the scenes there are when asked for another', async () => {
  const command = runScript('bench/main.ts', ['--scene', 'stampde']);
  expect(await command.ended()).toMatchObject({ code: 1 });
  for (const { name } of SCENES) expect(command.errors.join('\n')).toContain(name);
});

async function ledgers(): Promise<string[]> {
  const sql = new Client({ connectionString: inject('databaseUrl') });
  await sql.connect();
  const { rows } = await sql.query(
    `select datname from pg_database where datname like 'escapement_bench_%' order by 1`,
  );
  await sql.end();
  return rows.map(({ datname }) => datname);
}
