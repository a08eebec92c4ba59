import { it } from 'vitest';
import { oneServer } from '../../temporal/temporal';
import type { TemporalDouble } from '../../testing';
import { Trigger } from '../../trigger';
import type { TriggerPasses } from '../../trigger/passes';
import { type Damage, mend } from '../support/fuzz/damage';
import { damageEach } from '../support/fuzz/damage-each';
import { BAD, BEGIN, damageScene, PERIOD_MILLISECONDS } from '../support/fuzz/damage-scene';
import { type TestLedger, useLedger } from '../support/ledger';
import { IN_VERIFY } from '../support/verify';

const PASSES = [
  ...([
    'connect',
    'heartbeat',
    'askAway',
    'reconcile',
    'lowerFloors',
    'claim',
    'verify',
    'redrive',
    'dispatch',
    'interrupt',
  ] as const),
  ...(['observe', 'reset', 'sayOver', 'sweep', 'adopt', 'askParked', 'alert', 'sendAlerts', 'report'] as const),
] satisfies (keyof TriggerPasses)[];

const ledger = useLedger(BEGIN);

it('whatever one row has that a newer or a damaged program wrote, others fire meanwhile, and nothing is lost', async () => {
  const double = await damageScene(ledger());
  await damageEach(ledger(), IN_VERIFY ? 100 : 4, (done) => survive(ledger(), double, done));
});

/** What went wrong while a value was damaged, and after it was put back. */
async function survive(ledger: TestLedger, double: TemporalDouble, done: Damage): Promise<string[]> {
  const problems: string[] = [];
  const kept = await rowsOf(ledger);
  await run(ledger, double, problems);
  const [good] = await answerAt(ledger, 'good', 30);
  if (good !== 'closed completed') problems.push(`the occurrence of good is ${good}`);
  for (const row of await ledger.query<{ problem: string }>(OTHERS_LEFT)) problems.push(row.problem);
  await mend(ledger, done);
  await ledger.query(`delete from escapement.alert_silences`);
  for (const scheduleId of BAD) await bringBack(ledger, scheduleId);
  await run(ledger, double, problems);
  const now = new Set(await rowsOf(ledger));
  problems.push(...kept.filter((row) => !now.has(row)).map((row) => `lost ${row}`));
  for (const scheduleId of BAD) {
    for (const minute of [30, 40]) {
      if ((await answerAt(ledger, scheduleId, minute)).length === 0)
        problems.push(`no answer of ${scheduleId} at ${minute}`);
    }
  }
  return problems;
}

/** What a person does once the value is right again: a schedule that was set aside fires only after a change. */
async function bringBack({ client }: TestLedger, scheduleId: string): Promise<void> {
  const handle = client.getHandle(scheduleId);
  const { state } = await handle.describe();
  if (state.specError !== undefined) await handle.pause();
  await handle.unpause();
}

/** A period later, every pass of a new trigger. */
async function run(ledger: TestLedger, double: TemporalDouble, problems: string[]): Promise<void> {
  const log: string[] = [];
  const say = (...said: unknown[]) => void log.push(JSON.stringify(said));
  const logger = { log: say, trace: say, debug: say, info: say, warn: say, error: say };
  const trigger = await Trigger.createOn(
    // Each chain is polled: a list of ends that was just begun leaves out what ended before.
    { connectionString: ledger.databaseUrl, clock: ledger.clock, logger, limits: { listEndsIntervalMilliseconds: 0 } },
    async () => oneServer(double),
  );
  try {
    ledger.clock.advance(PERIOD_MILLISECONDS);
    for (const pass of [...PASSES, 'observe'] as const) {
      // A chain may be polled a moment later.
      if (pass === 'observe') ledger.clock.advance(MINUTE);
      try {
        await trigger.passes[pass]();
      } catch (error) {
        problems.push(`${pass}: ${error}`);
      }
    }
    problems.push(...log.filter((line) => OF_PROGRAM.test(line)));
  } finally {
    await trigger.close();
  }
}

const MINUTE = 60_000;

/** What the engine says when a program makes a mistake. */
const OF_PROGRAM =
  /Cannot (read|convert|destructure)|is not (a function|iterable)|undefined \(|Invalid (time value|Date|array length)|TypeError|RangeError|SyntaxError/;

const rowsOf = async (ledger: TestLedger) =>
  (
    await ledger.query<{ row: string }>(
      `select concat_ws(' ', 'firing', schedule_id, scheduled_time) as row from escapement.firings
       union all select concat_ws(' ', 'gap', schedule_id, from_time) from escapement.gaps
       union all select concat_ws(' ', 'letter', schedule_id, letter_id) from escapement.dead_letters`,
    )
  ).map(({ row }) => row);

/** What the passes should have done for the good schedule, and have not. */
const OTHERS_LEFT = `
  select 'the lost start of good is ' || state as problem from escapement.firings
    where schedule_id = 'good' and scheduled_time = '2026-03-01T00:07Z' and state = 'claimed'
  union all select 'the manual firing of good is ' || state from escapement.firings
    where schedule_id = 'good' and kind = 'manual' and state in ('buffered', 'claimed')
  union all select 'the redrive of good is ' || state || ' ' || mode from (
      select state, redrive ->> 'mode' as mode, redrive ? 'lookAt' as waits from escapement.dead_letters where schedule_id = 'good') l
    where l.state = 'redriving' and waits
  union all select 'no alert about the letters of good' where not exists (
    select from escapement.alerts where schedule_id = 'good' and condition = 'dead_letter')`;

const answerAt = async (ledger: TestLedger, scheduleId: string, minute: number) =>
  (
    await ledger.query<{ answer: string }>(
      `select concat_ws(' ', state, outcome) as answer from escapement.firings where schedule_id = $1 and scheduled_time = x.at
       union all select 'gap' from escapement.gaps where schedule_id = $1 and x.at between from_time and to_time`.replaceAll(
        'x.at',
        `('2026-03-01T00:00Z'::timestamptz + interval '1 minute' * $2)`,
      ),
      [scheduleId, minute],
    )
  ).map(({ answer }) => answer);
