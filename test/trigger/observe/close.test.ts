import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { FiringOutcome } from '../../../core/firing';
import { type EndedChain, recordEnds } from '../../../trigger/observe/close';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

const LINKED_AT = new Date('2026-03-01T01:00:00Z');

type Started = Awaited<ReturnType<typeof running>>;

/** The end of a chain, three seconds after its link. */
function endOf({ chains, ids }: Started, index: number, outcome: FiringOutcome): EndedChain {
  const scheduledTime = new Date('2026-03-01T01:00:00Z');
  const key = { scheduleId: ids[index]!, scheduledTime, epoch: 0, runId: chains[index]!.firstRunId };
  const { namespace, workflowId } = chains[index]!;
  return {
    firing: { ...key, namespace, workflowId, linkedAt: LINKED_AT, startAttempts: 1 },
    closed: {
      ...key,
      endedRunId: key.runId,
      outcome,
      closedAt: new Date('2026-03-01T01:00:03Z'),
      failedStep: undefined,
    },
  };
}

describe('ends that are recorded', () => {
  it('leave no error of a start that had no answer, if they were found before the start was linked', async () => {
    const one = await running(ledger(), { schedules: [{}] });
    await ledger().query(
      `update escapement.firings set state = 'claimed', linked_at = null, last_error = 'no answer', refused_since = now()`,
    );
    expect(await recordEnds(one.context, [endOf(one, 0, 'completed')])).toBe(1);
    const columns = 'state, last_error as "lastError", refused_since as "refusedSince"';
    expect(await ledger().query(`select ${columns} from escapement.firings`)).toEqual([
      { state: 'closed', lastError: null, refusedSince: null },
    ]);
  });

  it('are counted and logged once, with how long the chain has run', async () => {
    const one = await running(ledger(), { schedules: [{}, {}] });
    const { context, trigger, ids, states, said } = one;
    ledger().clock.advance(5_000);
    const unlinked = endOf(one, 1, 'canceled');
    const ends = [endOf(one, 0, 'completed'), { ...unlinked, firing: { ...unlinked.firing, linkedAt: null } }];
    expect(await recordEnds(context, ends)).toBe(2);
    expect(await states()).toEqual(['closed', 'closed']);
    const lines = [
      { level: 'info', meta: { scheduleId: ids[0], startAttempt: 2, outcome: 'completed', milliseconds: 3_000 } },
      { level: 'info', meta: { scheduleId: ids[1], startAttempt: 2, outcome: 'canceled', milliseconds: 0 } },
    ];
    expect(said('closed')).toMatchObject(lines);
    expect(await recordEnds(context, ends)).toBe(0);
    expect(said('closed')).toHaveLength(2);
    const metrics = await trigger.metrics.metrics();
    expect(metrics).toContain('escapement_firings_closed_total{namespace="default",outcome="completed"} 1');
    expect(metrics).toContain('escapement_firings_closed_total{namespace="default",outcome="canceled"} 1');
  });

  it('by a failure are warnings, with the letter and the pause that follow', async () => {
    const one = await running(ledger(), { schedules: [{ policies: { pauseOnFailure: true } }, {}] });
    const { context, ids, said } = one;
    expect(await recordEnds(context, [endOf(one, 0, 'failed'), endOf(one, 1, 'timed_out')])).toBe(2);
    expect(said('closed').map(({ level }) => level)).toEqual(['warn', 'warn']);
    expect(said('paused: a firing failed')).toMatchObject([{ level: 'warn', meta: { scheduleId: ids[0] } }]);
    expect(said('dead letter').map(({ meta }) => meta.scheduleId)).toEqual(expect.arrayContaining(ids));
  });
});

describe('an end of a schedule that somebody keeps locked', () => {
  async function lock(scheduleId: string) {
    const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'a person' });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
    return () => holder.end();
  }
  const LOCKED = 'a schedule is locked, so its ends are not recorded';
  const FREE = 'the schedule is free again';

  it('waits for the next poll, and the others do not', async () => {
    const one = await running(ledger(), { schedules: [{}, {}] });
    const { context, ids, rows, states, said } = one;
    const ends = [endOf(one, 0, 'completed'), endOf(one, 1, 'completed')];
    ledger().clock.advance(5_000);
    const free = await lock(ids[0]!);
    expect(await recordEnds(context, ends)).toBe(1);
    expect(await states()).toEqual(['linked', 'closed']);
    expect((await rows())[0]).toMatchObject({ check_at: new Date('2026-03-01T01:00:06Z') });
    expect(said('closed')).toHaveLength(1);
    const error = expect.stringMatching(/^process \d+ \(.*a person, idle in transaction/);
    expect(said(LOCKED)).toMatchObject([{ level: 'warn', meta: { scheduleId: ids[0], error } }]);
    await free();
    expect(await recordEnds(context, ends)).toBe(1);
    expect(await states()).toEqual(['closed', 'closed']);
  });

  it('is said to be free once it is, whoever records the end', async () => {
    const one = await running(ledger(), { schedules: [{}, {}] });
    const { context, passes, ids, said } = one;
    const [free, other] = [await lock(ids[0]!), await lock(ids[1]!)];
    expect(await recordEnds(context, [endOf(one, 0, 'completed'), endOf(one, 1, 'completed')])).toBe(0);
    await passes.sayOver();
    expect(said(FREE)).toEqual([]);
    await free();
    await passes.sayOver();
    expect(said(FREE)).toMatchObject([{ level: 'info', meta: { scheduleId: ids[0] } }]);
    await other();
    for (let pass = 0; pass < 2; pass++) await passes.sayOver();
    expect(said(FREE).map(({ meta }) => meta.scheduleId)).toEqual(ids);
  });
});
