import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printed } from '../../cli/output/output';
import { printStanding, standingAsLine } from '../../cli/standing';
import { ALERT_CONDITIONS, type AlertCondition, severityOf } from '../../core/alert-defaults';
import { runChecks } from '../../doctor/run-checks';
import { readStanding } from '../../doctor/standing';
import { problemOf } from '../../doctor/temporal/namespace';
import { openStore } from '../../store/connection';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');
const ROOT = resolve(__dirname, '../..');

it('a check that hangs or fails is a finding, and hides no other', async () => {
  const finding = { id: 'x', severity: 'critical', text: '', action: '', runBook: 'postgres' } as const;
  const checks = [
    { name: 'what hangs', find: () => new Promise<never>(() => {}) },
    { name: 'what fails', find: () => Promise.reject(new Error('no')) },
    { name: 'what answers', find: async () => [finding] },
  ];
  expect(await runChecks(checks, undefined, 1)).toEqual([
    expect.objectContaining({ id: 'check_failed', text: expect.stringContaining('what hangs') }),
    expect.objectContaining({ id: 'check_failed', text: expect.stringContaining('what fails (no)') }),
    finding,
  ]);
});

it.each([7, 16])(
  'credentials that Temporal does not take are told from a server that is away, by status %s',
  (code) => {
    const refused = Object.assign(new Error('denied'), { code, details: 'denied', metadata: {} });
    expect(problemOf({ namespace: 'billing', options: {} }, refused)).toMatchObject({
      id: 'credentials',
      severity: 'critical',
    });
  },
);

it('each finding and each condition of alerts is in the table of docs/operations.md with its run-book, and each run-book is a heading', async () => {
  const page = await readFile(resolve(ROOT, 'docs/operations.md'), 'utf8');
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
  const told = new Map<string, string>();
  for (const [, ids, severity, anchor] of page.matchAll(/^\| (`.+`) \| (\w+) \| \[.+\]\(#(.+)\) \|$/gm)) {
    for (const [, id] of ids!.matchAll(/`(\w+)`/g)) told.set(id!, `${severity} ${anchor}`);
  }
  const files = [
    'ledger/triggers',
    'ledger/schedules',
    'ledger/firings',
    'ledger/alerts',
    'ledger/postgres',
    'temporal/namespace',
    'temporal/search-attributes',
  ];
  const made = new Map<string, string>();
  for (const file of [...files, 'temporal/task-queues', 'diagnose', 'run-checks']) {
    const source = await readFile(resolve(ROOT, `doctor/${file}.ts`), 'utf8');
    for (const [finding] of source.matchAll(/\bid: [\s\S]*?runBook: '[^']+'/g)) {
      const [, id] = /id: (?:isParked \? )?'(\w+)'/.exec(finding)!;
      const [, severity] = /severity: (?:month <= now \? )?'(\w+)'/.exec(finding) ?? [];
      made.set(id!, `${severity ?? severityOf(id as AlertCondition)} ${/runBook: '([^']+)'/.exec(finding)![1]}`);
    }
  }
  expect(made.size).toBeGreaterThan(20);
  for (const [id, said] of made) expect(told.get(id), id).toBe(said);
  for (const said of told.values()) expect(headings).toContain(said.split(' ')[1]);
  // An alert leads to the page by its condition, and is as urgent there.
  for (const condition of ALERT_CONDITIONS)
    expect(told.get(condition)?.split(' ')[0], condition).toBe(severityOf(condition));
});

it('escapement doctor prints the worst first, with what to do, and exits 1 where anything is wrong', async () => {
  await ledger().client.create(someSchedule());
  const variables = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { code, stdout } = await runCommand(['doctor'], variables);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^CRITICAL {2}no_trigger\n {2}No trigger .+\n {2}Do: .+\n {2}See: docs\/operations\.md#nothing-fires$/m,
  );
  expect(stdout).toMatch(/\d+ critical, \d+ warnings?\.$/m);
  expect(stdout).toMatch(
    /^Due and not claimed: \d schedules?.*\. Lag of the last five minutes: nothing was started\.$/m,
  );
  const lines = await jsonLines(['doctor', '--json'], variables);
  expect(lines.map(({ id }) => id)).toEqual(expect.arrayContaining(['no_trigger', 'temporal_unreachable']));
  expect(lines.at(-1)).toMatchObject({ id: 'standing', severity: 'info', triggers: [], due: 1, cut: [] });
});

async function jsonLines(...args: Parameters<typeof runCommand>) {
  return (await runCommand(...args)).stdout.split('\n').map((line) => JSON.parse(line));
}

describe('of the triggers that are alive, escapement doctor', () => {
  const variables = () => ({ DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' });

  /** The ID of one that starts one firing and runs two. */
  async function loadedTrigger(): Promise<string> {
    const { client, clock } = ledger();
    const { scheduleId } = await client.create(someSchedule());
    clock.set(new Date().toISOString());
    const trigger = await ledger().trigger();
    await trigger.passes.heartbeat();
    const { id } = (await client.triggers())[0]!;
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);
    // The third is of the month before, in the first hours of a month.
    await ledger().query(
      `select escapement.ensure_partition($1), escapement.ensure_partition($1 - interval '2 minutes')`,
      [at],
    );
    for (const [minutes, state] of ['claimed', 'linked', 'linked'].entries()) {
      await ledger().query(
        `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at, owner, check_at)
         values ($1, $2::timestamptz - make_interval(mins => $3), $4, 'schedule', 'default', 1, $2, $5, now() + interval '1 hour')`,
        [scheduleId, at, minutes, state, id],
      );
    }
    // One that said nothing for ten seconds is taken for dead, however long the commands take here.
    await ledger().query(`update escapement.triggers set heartbeat_at = now() + interval '1 hour'`);
    return id;
  }

  it('shows each with its version and its load, and has them in its JSON too', async () => {
    const id = await loadedTrigger();
    const { stdout } = await runCommand(['doctor'], variables());
    expect(stdout).toMatch(/^TRIGGER +HOST +VERSION +SCHEMA +LAST HEARTBEAT +STARTING +RUNNING$/m);
    expect(stdout).toMatch(new RegExp(`^${id} +\\S+ +\\S+ +\\d+ +\\S+ ago +1 +2$`, 'm'));
    const standing = (await jsonLines(['doctor', '--json'], variables())).at(-1);
    expect(standing).toMatchObject({
      id: 'standing',
      text: expect.stringMatching(/^1 trigger is alive\. Due and not claimed: \d schedules?.*\.$/),
      triggers: [{ id, version: expect.any(String), starting: 1, running: 2 }],
      lag: { firings: 0 },
      cut: [],
    });
  });

  it('says plainly what of them could not be read, and why', async () => {
    const id = await loadedTrigger();
    await ledger().query('alter table escapement.firings rename column check_at to lost');
    const { code, stdout } = await runCommand(['doctor'], variables());
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^ {2}doctor could not check the load of the triggers \(column f\.check_at does not exist\)\.$/m,
    );
    expect(stdout).toMatch(new RegExp(`^${id} .* ago +- +-$`, 'm'));
    expect(stdout).toMatch(/^The load of the triggers could not be read: see check_failed above\.$/m);
    expect(stdout).toMatch(/^Due and not claimed: /m);
    const lines = await jsonLines(['doctor', '--json'], variables());
    expect(lines.at(-1)).toMatchObject({ id: 'standing', triggers: [{ id, starting: null, running: null }] });
    const away = { ...variables(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    expect((await runCommand(['doctor'], away)).stdout).toMatch(
      /^The triggers and their load could not be read; the reason is above\.$/m,
    );
    expect((await jsonLines(['doctor', '--json'], away)).map(({ id }) => id)).not.toContain('standing');
  });

  it('prints a count that was cut as a lower bound', async () => {
    const id = await loadedTrigger();
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    const context = { store, now: new Date(), triggers: await ledger().client.triggers() };
    const { standing } = await readStanding(context, 2);
    expect(standing.loads).toEqual({ byTrigger: new Map([[id, { starting: 1, running: 2 }]]), cut: ['running'] });
    expect(standing.pace).toMatchObject({ due: 1, isDueCut: false });
    const { loads, pace } = (await readStanding(context, 1)).standing;
    expect(loads?.cut).toEqual(['starting', 'running']);
    expect(pace).toMatchObject({ due: 1, isDueCut: true });

    const many = new Map([[id, { starting: 3, running: 100_000 }]]);
    const shown = {
      ...standing,
      loads: { byTrigger: many, cut: ['running' as const] },
      pace: { ...standing.pace!, due: 100_000, isDueCut: true, dueSince: new Date(standing.now.getTime() - 60_000) },
    };
    const text = await printed(async () => printStanding(shown));
    expect(text).toMatch(/ ago +3 +100,000 or more$/m);
    expect(text).toContain('Due and not claimed: 100,000 or more schedules, the first for 1m or more. ');
    expect(standingAsLine(shown)).toMatchObject({ due: 100_000, cut: ['running', 'due'] });
  });
});
