import { describe, expect, it } from 'vitest';
import type { ScheduleHandle, ScheduleOptions } from '../../../index';
import type { TriggerContext } from '../../../trigger/context';
import { announceAll, leaveUncalled } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** Schedules of which Postgres refuses one, in the middle of each batch, once {@link refuse} is called. */
async function fiveSchedules(options: Partial<ScheduleOptions> = {}) {
  const { taskQueue } = worker();
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue };
  const all: ScheduleHandle[] = [];
  for (let count = 0; count < 5; count++) all.push(await ledger().client.create(someSchedule({ action, ...options })));
  const culprit = all[2]!;
  const others = all.filter((one) => one !== culprit);
  return { culprit, others };
}

/** Let Postgres refuse writes for one schedule, by a user's database trigger. Call the returned function to stop it. */
async function refuse({ scheduleId }: ScheduleHandle, when: 'insert' | 'update', condition: string, table = 'firings') {
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin if ${condition} then raise 'not this one'; end if; return new; end $$`);
  await ledger().query(`create trigger refuses before ${when} on escapement.${table} for each row
    when (new.schedule_id = '${scheduleId}') execute function escapement.refuses()`);
  return () => ledger().query('drop function escapement.refuses() cascade');
}

async function answersOf(handles: ScheduleHandle[]): Promise<string[]> {
  const answers = await Promise.all(handles.map(({ scheduleId }) => ledger().answers(scheduleId)));
  return [...new Set(answers.map((lines) => lines.join(', ')))];
}

/** Log lines about the refused schedule. */
function said(what: string, { scheduleId }: ScheduleHandle) {
  const { lines } = ledger().log;
  return lines.filter(({ message, meta }) => message.startsWith(what) && meta.scheduleId === scheduleId);
}

const DUE = '2026-03-01T01:00:00Z';

describe('one schedule whose rows Postgres refuses holds up no other', () => {
  it('when they are claimed, and is claimed soon after that is over', async () => {
    const { culprit, others } = await fiveSchedules();
    const accept = await refuse(culprit, 'insert', 'true');
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    expect((await trigger.passes.claim()).claimed).toHaveLength(4);
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(await answersOf([culprit])).toEqual(['']);
    expect(said('the claim of a schedule failed', culprit)).toEqual([
      expect.objectContaining({ level: 'warn', meta: { scheduleId: culprit.scheduleId, error: 'not this one' } }),
    ]);

    await accept();
    // The schedule is left out for a while, so that not every poll has to split its batch.
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    ledger().clock.advance(5_000);
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    expect(said('the claim of the schedule works again', culprit)).toHaveLength(1);
  });

  it.each([
    ['is announced', 'new.start_attempted_at is distinct from old.start_attempted_at', 'the announcement of a start'],
    ['is linked', `new.state = 'linked'`, 'the record of a start'],
  ])('when its start %s, and is linked with its one run afterwards', async (_, condition, what) => {
    const { culprit, others } = await fiveSchedules();
    const accept = await refuse(culprit, 'update', condition);
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 4 });
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule linked']);
    expect(await answersOf([culprit])).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(said(what, culprit)).toHaveLength(1);

    await accept();
    ledger().clock.advance(31_000);
    await trigger.passes.reconcile();
    await trigger.passes.dispatch();
    expect(await answersOf([culprit])).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('when they are given up, and when they are claimed again by a redrive', async () => {
    const { culprit, others } = await fiveSchedules();
    const lost = await ledger().trigger();
    ledger().clock.set(DUE);
    await lost.passes.claim();
    await announceAll(ledger(), lost);
    for (const handle of [culprit, ...others]) await handle.pause();
    let accept = await refuse(culprit, 'update', `new.state = 'abandoned'`);
    const trigger = await ledger().trigger();
    ledger().clock.advance(31_000);
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 5, abandoned: 4 });
    expect(said('the end of a firing', culprit)).toHaveLength(1);
    await accept();
    ledger().clock.advance(31_000);
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 1 });

    accept = await refuse(culprit, 'update', `new.state = 'claimed'`);
    const { deadLetters } = ledger().client;
    for await (const { letterId } of deadLetters.list()) await deadLetters.redrive(letterId);
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 5, restarted: 4 });
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule claimed']);
    expect(said('a redrive', culprit)).toHaveLength(1);
    await accept();
    ledger().clock.advance(31_000);
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 1, restarted: 1 });
  });
});

describe('one schedule whose rows Postgres does not let a trigger take holds up no other', () => {
  /** All have been started, and their workflows have ended. */
  async function started(options: Partial<ScheduleOptions> = {}) {
    const { culprit, others } = await fiveSchedules(options);
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    for (const { scheduleId } of [culprit, ...others]) {
      const workflowId = `${scheduleId}-workflow-2026-03-01T01:00:00Z`;
      await worker()
        .client.workflow.getHandle(workflowId)
        .result()
        .catch(() => {});
    }
    return { culprit, others, trigger };
  }

  it('when running chains are polled, and is polled soon after that is over', async () => {
    const { culprit, others, trigger } = await started();
    const accept = await refuse(culprit, 'update', `old.state = 'linked' and new.state = 'linked'`);
    ledger().clock.advance(1_000);
    expect(await trigger.passes.observe()).toMatchObject({ polled: 4, closed: 4 });
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule closed completed']);
    expect(said('a poll', culprit)).toHaveLength(1);
    // The schedule is left out for a while, so that not every poll has to split its batch.
    expect(await trigger.passes.observe()).toMatchObject({ polled: 0 });
    expect(said('a poll', culprit)).toHaveLength(1);

    await accept();
    ledger().clock.advance(5_000);
    expect(await trigger.passes.observe()).toMatchObject({ polled: 1, closed: 1 });
    expect(said('a poll of a running chain of the schedule works again', culprit)).toHaveLength(1);
  });

  it('when it is asked whether somebody has reset what ended', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'alwaysFails', taskQueue: worker().taskQueue };
    const { culprit, trigger } = await started({ action });
    ledger().clock.advance(1_000);
    expect(await trigger.passes.observe()).toMatchObject({ closed: 5 });
    const accept = await refuse(culprit, 'update', 'true');
    ledger().clock.advance(600_000);
    expect(await trigger.passes.reset()).toMatchObject({ polled: 4 });
    await accept();
    ledger().clock.advance(5_000);
    expect(await trigger.passes.reset()).toMatchObject({ polled: 1 });
  });

  it.each([
    [
      'made due, since their trigger is dead',
      20_000,
      "new.owner = old.owner and new.state = 'claimed' and new.start_attempted_at = old.start_attempted_at",
      { taken: 0 },
    ],
    ['taken over', 31_000, 'new.owner is distinct from old.owner', { taken: 4, restarted: 4 }],
  ])('when lost starts are %s', async (_, milliseconds, condition, firstPass) => {
    const { culprit, others } = await fiveSchedules();
    const dead = await ledger().trigger();
    ledger().clock.set(DUE);
    await dead.passes.claim();
    await announceAll(ledger(), dead);
    const trigger = await ledger().trigger();
    const accept = await refuse(culprit, 'update', condition);
    ledger().clock.advance(milliseconds);
    expect(await trigger.passes.reconcile()).toMatchObject(firstPass);
    ledger().clock.advance(31_000 - milliseconds);
    await trigger.passes.reconcile();
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule linked']);

    await accept();
    ledger().clock.advance(5_000);
    await trigger.passes.reconcile();
    expect(await answersOf([culprit])).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('when starts that nobody has called wait again', async () => {
    const { culprit, others } = await fiveSchedules();
    const stopped = await ledger().trigger();
    ledger().clock.set(DUE);
    await stopped.passes.claim();
    await leaveUncalled(ledger(), stopped);
    const trigger = await ledger().trigger();
    const accept = await refuse(culprit, 'update', 'new.owner is null');
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 5, waiting: 4 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 4 });
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule linked']);
    await accept();
    ledger().clock.advance(31_000);
    expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, waiting: 1 });
  });

  it('when redrives are carried out', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'alwaysFails', taskQueue: worker().taskQueue };
    const { culprit, others, trigger } = await started({ action });
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
    const { deadLetters } = ledger().client;
    for await (const { letterId } of deadLetters.list()) await deadLetters.redrive(letterId, { mode: 'restart' });
    const accept = await refuse(culprit, 'update', 'true', 'letters');
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 4, restarted: 4 });
    expect(await answersOf(others)).toEqual(['03-01T01:00:00 schedule claimed']);
    await accept();
    ledger().clock.advance(5_000);
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 1, restarted: 1 });
  });
});

describe('many schedules whose rows Postgres refuses hold up no other', () => {
  /** Due schedules, in the order in which a claim reads them; Postgres refuses those whose letter is `x`. */
  async function due(letters: string): Promise<ScheduleHandle[]> {
    const good: ScheduleHandle[] = [];
    for (const [index, letter] of [...letters].entries()) {
      const scheduleId = `${String(index).padStart(3, '0')}-${letter}`;
      const spec = { cron: `${index % 60} ${Math.floor(index / 60)} 1 * * *` };
      const handle = await ledger().client.create(someSchedule({ scheduleId, spec }));
      if (letter !== 'x') good.push(handle);
    }
    await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
      $$ begin raise 'not these'; end $$`);
    await ledger().query(`create trigger refuses before insert on escapement.firings for each row
      when (new.schedule_id like '%-x') execute function escapement.refuses()`);
    ledger().clock.set('2026-03-01T01:05:00Z');
    return good;
  }

  it('where they fill whole batches before it', async () => {
    const good = await due(`${'x'.repeat(70)}oo`);
    const { passes } = await ledger().trigger({ limits: { batchSize: 20 } });
    await expect(passes.claim()).rejects.toThrow('not these');
    for (const { scheduleId } of good) expect(await ledger().answers(scheduleId)).toHaveLength(1);
    // They are left out for a while, so the next pass does not try each of them again.
    expect(await passes.claim()).toMatchObject({ due: 0, complete: false });
  });

  it('where each part of its batch has one of them', async () => {
    const good = await due('xxxxxxxxxxxxxxxxxoxoxoxoxoxoxoxo');
    const { passes } = await ledger().trigger();
    expect((await passes.claim()).claimed).toHaveLength(good.length);
  });

  it('and suspects of the other schedules are asked about at once', async () => {
    await ledger().client.create(someSchedule({ scheduleId: '999-suspect', spec: { cron: '5 1 * * *' } }));
    await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
    await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
        claimed_at, check_at) values ('999-suspect', '2026-03-01Z', 'linked', 'schedule', 'default', 1, '2026-03-01Z', '2026-03-01T02:00Z')`);
    await due('x'.repeat(20));
    const trigger = await ledger().trigger({ limits: { batchSize: 20 } });
    const context: TriggerContext = Reflect.get(trigger, 'context');
    let asked = 0;
    context.onSuspects = () => {
      asked = context.suspects.size;
    };
    await expect(trigger.passes.claim()).rejects.toThrow('not these');
    expect(asked).toBe(1);
  });

  it('and each is tried less often the longer it is refused', async () => {
    await due('xo');
    const { passes } = await ledger().trigger();
    const tries = async (milliseconds: number) => {
      ledger().clock.advance(milliseconds);
      return (await passes.claim()).due;
    };
    expect([await tries(0), await tries(5_000), await tries(5_000), await tries(5_000)]).toEqual([2, 1, 0, 1]);
  });
});

it('what all need and none has is an error of the pass, and not of each schedule', async () => {
  const { passes } = await ledger().trigger();
  for (let count = 0; count < 40; count++) await ledger().client.create(someSchedule());
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin raise 'none at all'; end $$`);
  await ledger().query(`create trigger refuses before insert on escapement.firings for each row
    execute function escapement.refuses()`);
  ledger().clock.set(DUE);
  await expect(passes.claim()).rejects.toThrow('none at all');
  expect(ledger().log.lines.filter(({ meta }) => meta.error === 'none at all').length).toBeLessThan(20);
});
