import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, inject, it, vi } from 'vitest';
import { dev } from '../../cli/dev';
import { program } from '../../cli/program';
import { schemasOf } from '../../scripts/command-schemas';
import { DatabaseClock } from '../../trigger/clock';
import { temporaryFile, temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { check, PAGE, promises, SCHEMAS } from '../support/pages/promised-json';
import { runCli } from '../support/processes/child';
import { useWorker } from '../support/temporal';

const worker = useWorker();
const ledger = useLedger('2026-03-01T00:30:00Z');

it('docs/schemas/ has the schema of each, as `npx tsx scripts/write-schemas.ts` writes it', async () => {
  const names = (await readdir(SCHEMAS)).sort();
  const files = await Promise.all(
    names.map(async (name) => [name, JSON.parse(await readFile(join(SCHEMAS, name), 'utf8'))]),
  );
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(schemasOf(await readFile(PAGE, 'utf8'))));
});

it('holds of what each command prints with --json', async () => {
  const seen = new Set<string>();
  const run = async (command: string, ...args: string[]) => {
    seen.add(command);
    const rows = await printed([...command.split(' '), ...args, '--json']);
    expect(rows, `${command} prints something`).not.toEqual([]);
    for (const row of rows) check(command, row, '');
  };
  const action = ['--type', 'report', '-t', 'reports'];
  await run(
    'schedule create',
    'hourly',
    '--cron',
    '0 * * * *',
    ...action,
    '--memo',
    'a=1',
    '--schedule-memo',
    'b=2',
    '--external-id',
    'c',
  );
  await run('schedule update', 'hourly', '--note', 'why', '--jitter', '1m', '--remaining-actions', '9');
  await run('schedule pause', 'hourly', '--note', 'why');
  await run('schedule describe', 'hourly');
  await run('schedule list');
  await run('schedule versions', 'hourly');
  await run('schedule unpause', 'hourly');
  await run('schedule pause --all --dry-run');
  await run('schedule pause --all', '--yes', '--until', '2h');
  const [paused] = await ledger().query<{ id: string }>('select operation_id as id from escapement.bulk_operations');
  await run('schedule undo', paused!.id);
  await run('schedule bulk list');
  for (const command of ['show', 'follow', 'cancel']) await run(`schedule bulk ${command}`, paused!.id);
  await run('schedule unpause --all', '--yes', '--expect', '1');
  await run('schedule tag', '--text', 'hour', '--set-owner', 'ops', '--yes');
  await run('schedule exclude', 'hourly', '2099-01-01T02:00');
  await run('explain', 'hourly', '2099-01-01T02:00');
  await run('schedule include', 'hourly', '2099-01-01T02:00');
  for (const time of ['2099-01-01T02:00', '2026-01-01T00:17', '2026-01-01T00:00']) await run('explain', 'hourly', time);
  await run('schedule trigger', 'hourly');
  await run('schedule trigger --all', '--yes', '--rate', '100');
  await run(
    'schedule backfill',
    'hourly',
    '--start',
    '2026-01-01T00:00',
    '--end',
    '2026-01-01T00:00',
    '--overlap-policy',
    'ALLOW_ALL',
  );
  await ledger().query("update escapement.firings set state = 'skipped', reason = 'overlap' where kind = 'backfill'");
  await run('firing run-again', 'hourly', '2026-01-01T00:00');
  await run('firing list');
  await run('stats', 'hourly');
  await run('top');
  await run('schedule next', '0 2 * * *');
  await run('schedule next', 'rate(5 minutes)', '--dialect', 'eventbridge');
  await run('export', '--dry-run');
  await run('audit', '--native', '--from', '2026-01-01T00:00:00Z', '--query', "ScheduleId = 'nobody'");
  await run('import crontab', await temporaryFile('crontab', '0 2 * * * /opt/report\n@reboot /opt/start'));
  const cronJob = '{"kind":"CronJob","metadata":{"name":"report"},"spec":{"schedule":"@daily"}}';
  await run('import k8s', await temporaryFile('job.json', cronJob));

  const scheduledTime = (await ledger().firings('hourly'))[0]?.scheduledTime;
  const letterId = randomUUID();
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, workflow_id,
      created_at, updated_at) values ($1, 'hourly', $2, 0, 'workflow', 'failed', 'default', 'w', now(), now())`,
    [letterId, scheduledTime],
  );
  await run('dead-letter list');
  await run('dead-letter show', letterId);
  await run('dead-letter groups');
  await ledger().query(`update escapement.dead_letters set kind = 'parked'`);
  await run('dead-letter complete', letterId, '--result', '17');
  const opened = (kind: string) =>
    ledger().query(`update escapement.dead_letters set kind = $1, state = 'open', redrive = null`, [kind]);
  await opened('start');
  await run('dead-letter redrive --all --dry-run');
  // Another mode than its kind has is refused.
  await run('dead-letter redrive --all --dry-run', '--mode', 'continue');
  await opened('workflow');
  await run('dead-letter discard', letterId, '--note', 'done by hand');
  await ledger().query("update escapement.dead_letters set state = 'open'");
  await run('dead-letter redrive --all', '--first', '--mode', 'restart');
  await opened('workflow');
  await run('dead-letter discard --all', '--note', 'done by hand');
  await ledger().query("update escapement.firings set state = 'closed', outcome = 'failed'");
  await run('dead-letter restore', letterId);
  await run('dead-letter redrive', await failedLetter(), '--dry-run');

  const schedule = {
    scheduleId: 'declared',
    spec: { cron: '@daily' },
    action: { type: 'startWorkflow', workflowType: 'w', taskQueue: 'q' },
  };
  const file = await temporaryFile('schedules.json', JSON.stringify([schedule]));
  await run('schedule apply', file, '--source', 'billing', '--revision', '2', '--dry-run');
  await run('schedule apply', file, '--source', 'billing', '--revision', '2');
  await run('schedule apply', file, '--source', 'sales', '--revision', '2', '--take-over');
  await run('source list');
  await run('source reset', 'billing', '--revision', '1');
  await run('tenant set', 'acme', '--namespace', 'acme', '--task-queue', 'jobs-*', '--schedules', '9');
  await run('tenant set', 'zeta', '--firings-per-hour', '100');
  await run('tenant describe', 'acme');
  await run('tenant list');
  await run('tenant remove', 'acme');
  const alertId = randomUUID();
  await ledger().query(
    `insert into escapement.alerts (alert_id, condition, subject, schedule_id, opened_at, last_seen_at, looked_at, count, text)
      values ($1, 'late', 'hourly', 'hourly', now(), now(), now(), 1, 'late')`,
    [alertId],
  );
  await run('alert list');
  await run('alert ack', alertId);
  await run('alert silence', '--schedule', 'hourly', '--condition', 'late', '--for', '2h', '--reason', 'a release');
  await run('alert silences');
  const [silence] = await ledger().client.alerts.silences();
  await run('alert unsilence', silence!.silenceId);
  // Nobody listens there.
  await run('freeze', '--schedule', 'hourly', '--to', '2099-01-01', '--dry-run');
  await run('freeze', '--schedule', 'hourly', '--to', '2099-01-01');
  await run('freeze list');
  const [freeze] = await ledger().client.freezes.list();
  await run('explain', 'hourly', '2098-01-01T00:00');
  await run('freeze show', freeze!.freezeId);
  await run('freeze end', freeze!.freezeId);
  await run('calendar put', 'holidays', '--day', '2098-12-25');
  await run('calendar put', 'holidays', '--day', '2098-12-25', '--dry-run');
  await run('calendar list');
  await run('calendar show', 'holidays');
  await run('calendar delete', 'holidays');
  await run('alert test', 'http://127.0.0.1:1/alerts');
  await run('token create', 'ci', '--scope', 'read', '--tenant', 'acme', '--expires-after', '90 days');
  await run('token list');
  await run('token revoke', 'ci');
  // No trigger is alive.
  await run('doctor');
  await run('import', '--namespace', 'nobody-has-this');
  await run('cut-over', 'nobody-has-this');
  await run('roll-back', 'nobody-has-this');
  await ledger().query(`insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, actor, imported_at, updated_at)
      values ('hourly', 'default', 'imported', '', 1, false, 'x', now(), now())`);
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
      values ('hourly', '2026-03-01T01:00:00Z', 'skipped', 'shadow', 'schedule', 'default', 1, '2026-03-01T01:00:01Z')`);
  await run('compare', 'hourly', '--start', '2026-03-01T00:30', '--end', '2026-03-01T01:30');
  await run('schedule delete', 'hourly');
  await run('db migrate');
  await run('db settings', '--retention', 'forever');
  await run('db grants', '--role', 'somebody');
  await (await ledger().trigger({ clock: new DatabaseClock() })).passes.heartbeat();
  await run('trigger list');
  const folder = await temporaryFolder();
  await ledger().query(`select escapement.ensure_partition('2020-01-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
      values ('hourly', '2020-01-01Z', 'skipped', 'schedule', 'default', 1, now());
    select escapement.retire_partition('2020-01-01Z'::timestamptz)`);
  await run('archive create', folder);
  await run('archive list', folder);
  await run('archive show', folder);
  await run('archive restore', folder, '--month', '2020-01');
  await run('purge', '--schedule', 'hourly', '--yes', '--force');
  check('dev', await readyOfDev(), '');
  seen.add('dev');
  check('serve', await readyOfServe(), '');
  seen.add('serve');

  expect([...promises.keys()].sort()).toEqual([...seen].sort());
  const all = [...withJson(command(), '')];
  expect(all.filter((one) => !seen.has(one))).toEqual([]);
});

/** Every command that has the flag. */
function* withJson(parent: Command, path: string): Generator<string> {
  for (const one of parent.commands) {
    const name = `${path}${one.name()}`;
    if (one.options.some(({ long }) => long === '--json')) yield name;
    yield* withJson(one, `${name} `);
  }
}

/** A letter of a step that failed, on a real server. */
async function failedLetter(): Promise<string> {
  const action = { type: 'startWorkflow', workflowType: 'charges', taskQueue: worker().taskQueue } as const;
  const { scheduleId } = await ledger().client.create(someSchedule({ action }));
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await passes.claim();
  await passes.dispatch();
  const { workflow } = worker().client;
  await expect(workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`).result()).rejects.toThrow();
  ledger().clock.advance(1_000);
  await passes.observe();
  for await (const { letterId } of ledger().client.deadLetters.list({ scheduleId })) return letterId;
  throw new Error('no letter');
}

/** Stopped with its own process; nothing in this process would stop it. */
async function readyOfServe(): Promise<unknown> {
  const serve = runCli(['serve', '--port', '0', '--json'], { DATABASE_URL: ledger().databaseUrl });
  const ready = await serve.line(/^\{/);
  serve.kill('SIGTERM');
  expect(await serve.ended()).toEqual({ code: 0, signal: null });
  return JSON.parse(ready);
}

async function readyOfDev(): Promise<unknown> {
  const stop = new AbortController();
  const lines: string[] = [];
  await dev({
    json: true,
    databaseUrl: ledger().databaseUrl,
    temporalAddress: inject('temporalAddress'),
    migrate: async () => {},
    stop: stop.signal,
    write: (line) => {
      lines.push(line);
      stop.abort();
    },
    progress: () => {},
  });
  return JSON.parse(lines[0]!);
}

function command(): Command {
  const nothing = {
    schema: undefined,
    tenant: undefined,
    logLevel: undefined,
    metricsPort: undefined,
    temporalAddress: undefined,
    alertSecret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  return program({
    ...nothing,
    databaseUrl: ledger().databaseUrl,
    identity: 'test',
    namespaceProfiles: undefined,
    temporal: () => ({ connectionOptions: { address: inject('temporalAddress') } }),
  });
}

/** What the command prints, a value a line. */
async function printed(args: string[]): Promise<unknown[]> {
  const lines: string[] = [];
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await command().parseAsync(args, { from: 'user' });
  } finally {
    output.mockRestore();
    // A refused command is not a failure of this test.
    process.exitCode = undefined;
  }
  return lines
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
