import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { grantsFor } from '../../store/grants';
import { closed, writeFiring } from '../support/alerts/alerts';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { wordsOf } from '../support/pages/page-commands';
import { runCommand } from '../support/processes/command';

// The command uses the clock of the database.
const ledger = useLedger(new Date().toISOString());
const PAGE = readFileSync(resolve(__dirname, '../../docs/operations.md'), 'utf8');
/** Temporal is away: nothing listens at this address. */
const NOBODY = '127.0.0.1:1';

/** Each question of the page, with its command. */
const QUESTIONS = [...PAGE.matchAll(/^\| (\d+) \| (.+\?) \| `(escapement .+?)` \|$/gm)].map(
  ([, number, question, command]) => ({ number: Number(number), question: question!, command: command! }),
);

/** One for the whole file: the next may begin while rows are written. */
const MINUTE = Math.floor(Date.now() / 60_000) * 60_000;

/** The minute that was this long ago. */
function ago(minutes: number): string {
  return new Date(MINUTE - minutes * 60_000).toISOString();
}

async function quiet(scheduleId: string): Promise<string> {
  await ledger().client.create(someSchedule({ scheduleId, spec: { cron: '0 0 1 1 *' } }));
  return scheduleId;
}

const fired = (scheduleId: string, time: string, columns: Record<string, unknown>) =>
  writeFiring(ledger(), time, { schedule_id: scheduleId, ...columns });

async function letter(scheduleId: string, time: string): Promise<void> {
  const step = { activityType: 'chargeCard', runId: 'run', failure: { type: 'CardDeclined', message: 'no money' } };
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
       run_id, failed_step, created_at, updated_at)
      values ($1, $2, $3, 0, 'workflow', 'open', 'failed', 'default', 'w', 'run', $4, now(), now())`,
    [randomUUID(), scheduleId, time, JSON.stringify(step)],
  );
}

/** Many problems at once, and a trigger that has reported them. @returns when a firing failed */
async function plant(): Promise<string> {
  const { client, clock, query } = { ...ledger(), query: ledger().query.bind(ledger()) };
  const { passes } = await ledger().trigger({ maxStartsPerSecond: { taskQueues: { reports: 3 } } });
  await passes.heartbeat();
  await passes.alert();

  await quiet('overdue');
  await query(
    `update escapement.timers set next_fire_at = $1, wake_at = $1, answered_to = $2 where schedule_id = 'overdue'`,
    [ago(7), ago(90)],
  );
  await quiet('waiting');
  const waits = { state: 'claimed', namespace: 'billing', task_queue: 'invoices', last_error: 'no route to host' };
  await fired('waiting', ago(10), { ...waits, ready_at: ago(10) });
  const runs = { state: 'linked', workflow_id: 'the-one-that-runs', run_id: 'r' };
  await quiet('stuck');
  await fired('stuck', ago(30), { ...runs, linked_at: ago(30), stalled: 'no_worker' });
  await quiet('skipping');
  await fired('skipping', ago(50), { ...runs, linked_at: ago(50) });
  for (const minutes of [40, 30, 20]) {
    await fired('skipping', ago(minutes), { state: 'skipped', reason: 'overlap', claimed_at: new Date() });
  }
  await quiet('failing');
  for (const minutes of [40, 30, 20]) {
    await fired('failing', ago(minutes), closed('failed', ago(minutes)));
    await letter('failing', ago(minutes));
  }
  await quiet('month-end');
  await client.getHandle('month-end').pause('closing the books');
  await query(
    `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
      values ('overdue', $1, $2, 12, 'outside_catchup_window', now())`,
    [ago(90), ago(80)],
  );
  clock.advance(5_000);
  await passes.alert();
  await query(
    `insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text, told_at)
      values ($1, 'no_trigger', 'ledger', $2, $3, $3, $3, 1, 'No trigger checked for problems for 10 minutes.', $2)`,
    [randomUUID(), ago(90), ago(80)],
  );
  await query(
    `update escapement.triggers set heartbeat_at = now() + interval '1 hour', away = $1, caps = $2, problems = $3`,
    [
      JSON.stringify([{ namespace: 'billing', since: ago(12), error: 'no route to host', status: 'UNAVAILABLE' }]),
      JSON.stringify([{ taskQueue: 'reports', perSecond: 3, since: ago(5) }]),
      JSON.stringify([
        {
          ...{ condition: 'lock_held', subject: 'process 4711', since: ago(5), action: 'End it.' },
          text: "Of Postgres, process 4711 (ops, psql, idle in transaction) keeps 'overdue' locked: its due occurrences are not claimed.",
        },
      ]),
    ],
  );
  return ago(20);
}

/** What each answer holds. */
const ANSWERS: Record<number, RegExp[]> = {
  1: [new RegExp(hostname())],
  2: [/overdue[\s\S]*due and not claimed, since \d{4}-[\s\S]*'overdue'/, /lock_held[\s\S]*process 4711/],
  3: [
    /1 claim in namespace 'billing' on task queue 'invoices', the first of \d{4}-.+, the last error: no route to host/,
  ],
  4: [/stuck .*running .*stalled: no_worker/],
  5: [/skipping .*running .*the-one-that-runs/],
  6: [/failing .*Schedule 'failing': the last 3 firings failed, from \d{4}-/],
  7: [/3 .*chargeCard|chargeCard.* 3 /, /no money|CardDeclined/],
  8: [/month-end .*paused .*\d{4}-.* test /],
  9: [/month-end .*paused/],
  10: [/task queue 'reports' 3\/s, full since \d{4}-/],
  11: [
    /namespace_unreachable[\s\S]*no answer, or only refusals, from namespace 'billing' since \d{4}-.*: no route to host/,
  ],
  12: [/lock_held[\s\S]*process 4711 \(ops, psql, idle in transaction\)/],
  13: [/rights_missing[\s\S]*lacks .*insert.* on .*firings/],
  14: [/no_trigger .*\d{4}-.* \d{4}-.*10 minutes/, /missed .*12 occurrences did not fire/],
  15: [/failing|which failed[\s\S]*CardDeclined[\s\S]*no money/],
};

it('are fifteen', () => {
  expect(QUESTIONS.map(({ number }) => number)).toEqual(Object.keys(ANSWERS).map(Number));
});

it('each of the fifteen questions is answered by its command while Temporal is away', async () => {
  const TIME = await plant();
  const role = uniqueName('trigger').replaceAll('-', '_');
  await ledger().query(`create role ${role}`);
  ledger().beforeClose(async () => {
    await ledger().query(`drop owned by ${role}`);
    await ledger().query(`drop role ${role}`);
  });
  for (const grant of grantsFor('escapement', role, ['trigger'])) await ledger().query(grant);
  await ledger().query(`revoke insert on escapement.firings from ${role}`);
  const asTrigger = new URL(ledger().databaseUrl);
  asTrigger.searchParams.set('options', `-c role=${role}`);

  const wrong: string[] = [];
  const printed = new Map<string, string>();
  for (const { number, question, command } of QUESTIONS) {
    const DATABASE_URL = number === 13 ? asTrigger.href : ledger().databaseUrl;
    const key = `${command} ${DATABASE_URL}`;
    const [, ...args] = wordsOf(command.replace(/\b(ID|TIME)\b/g, '$$$1'), {
      TIME,
      ID: number === 5 ? 'skipping' : 'failing',
    });
    // One output answers several of them.
    const stdout =
      printed.get(key) ?? (await runCommand(args, { DATABASE_URL, TEMPORAL_ADDRESS: NOBODY, COLUMNS: '400' })).stdout;
    printed.set(key, stdout);
    for (const answer of ANSWERS[number]!) {
      if (!answer.test(stdout)) wrong.push(`${number}. ${question} ${command}\n${stdout}`);
    }
  }
  expect(wrong.join('\n\n')).toBe('');
});
