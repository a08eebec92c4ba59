import { describe, expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

const LINKED_AT = Date.parse('2026-03-01T01:00:00Z');
const SECOND = 1_000;

interface Polled {
  count?: number;
  batchSize?: number;
  listEndsIntervalMilliseconds?: number;
}

/** Chains of which all are due for a poll, in their order, so many seconds after their link. */
async function due(seconds: number, { count = 1, batchSize = 500, listEndsIntervalMilliseconds = 0 }: Polled = {}) {
  const unanswered = new Set<string>();
  const one = await running(ledger(), {
    schedules: Array.from({ length: count }, () => ({})),
    limits: { batchSize, listEndsIntervalMilliseconds },
    answers: {
      describeChain: async (namespace, workflowId, runId) => {
        if (unanswered.has(workflowId)) throw new TemporalCallError('overloaded', 'busy');
        return one.double.describeChain(namespace, workflowId, runId);
      },
    },
  });
  ledger().clock.set(new Date(LINKED_AT + seconds * SECOND).toISOString());
  for (const [index, id] of one.ids.entries())
    await ledger().query(
      `update escapement.firings set check_at = $2::timestamptz + $3 * interval '1 ms' where schedule_id = $1`,
      [id, new Date(LINKED_AT), index],
    );
  const leaveUnanswered = (index: number) => unanswered.add(one.chains[index]!.workflowId);
  /** In how many seconds each chain is polled next. */
  const pauses = async () =>
    (await one.rows()).map(({ check_at }) => ((check_at as Date).getTime() - ledger().clock.now()) / SECOND);
  return { ...one, leaveUnanswered, pauses };
}

describe('a pass polls', () => {
  it('a fifth of a batch, and says what it found', async () => {
    const { passes, finish, leaveUnanswered, states } = await due(10, { count: 14, batchSize: 60 });
    finish(0);
    finish(1, 'failed');
    leaveUnanswered(2);
    let goneOn = 0;
    const goOn = () => {
      goneOn += 1;
    };
    expect(await passes.observe(goOn)).toEqual({
      ...{ listed: 0, polled: 12, closed: 2, unanswered: 1, more: false, complete: false },
    });
    expect(goneOn).toBe(1);
    expect((await states()).filter((state) => state === 'closed')).toHaveLength(2);
    expect(await passes.observe()).toEqual({
      ...{ listed: 0, polled: 2, closed: 0, unanswered: 0, more: false, complete: true },
    });
  });

  it('another share at once if a quarter of the answered chains have ended, and not if fewer have', async () => {
    const { passes, finish, leaveUnanswered } = await due(10, { count: 13, batchSize: 20 });
    finish(0);
    expect(await passes.observe()).toMatchObject({ polled: 4, closed: 1, more: true, complete: false });
    expect(await passes.observe()).toMatchObject({ polled: 4, closed: 0, more: false, complete: false });
    // One that is not answered for does not count.
    finish(8);
    leaveUnanswered(9);
    expect(await passes.observe()).toMatchObject({ polled: 4, closed: 1, unanswered: 1, more: true });
    finish(12);
    expect(await passes.observe()).toMatchObject({ polled: 1, closed: 1, more: false, complete: true });
  });

  it('no other share at once while Temporal answers for none', async () => {
    const { passes, leaveUnanswered, finish } = await due(10, { count: 2, batchSize: 5 });
    leaveUnanswered(0);
    expect(await passes.observe()).toMatchObject({ polled: 1, unanswered: 1, more: false, complete: false });
    // One answer is enough.
    finish(1);
    expect(await passes.observe()).toMatchObject({ polled: 1, closed: 1, unanswered: 0, more: true });
  });

  it('the listed ends of its namespaces beside its chains', async () => {
    const { passes, finish, states } = await due(10, { count: 3, listEndsIntervalMilliseconds: SECOND });
    // The trigger hears of the namespace by a poll.
    expect(await passes.observe()).toMatchObject({ listed: 0, polled: 3, closed: 0 });
    finish(0);
    finish(1);
    ledger().clock.advance(SECOND);
    await ledger().query(`update escapement.firings set check_at = '2026-03-01T01:00:11Z' where check_at = (
      select min(check_at) from escapement.firings)`);
    const pass = await passes.observe();
    expect(pass).toMatchObject({ listed: 1, complete: true });
    expect(await states()).toEqual(['closed', 'closed', 'linked']);
    expect(pass.closed).toBe(2);
  });
});

describe('a chain that still runs is polled again', () => {
  it.each([
    ['after a second at first', 10, 1],
    ['after three hundredths of its age', 500, 15],
    ['after half a minute at most', 5_000, 30],
  ])('%s, where its namespace does not list ends', async (_, age, pause) => {
    const { passes, pauses } = await due(age);
    await passes.observe();
    expect(await pauses()).toEqual([pause]);
  });

  it.each([
    ['after a minute at first', 10, 61],
    ['when it is twice as old', 100, 100],
    ['after five minutes at most', 5_000, 300],
  ])('%s, where its namespace lists ends', async (_, age, pause) => {
    const { passes, pauses } = await due(age, { listEndsIntervalMilliseconds: SECOND });
    await passes.observe();
    expect(await pauses()).toEqual([pause]);
  });

  it('as where nothing is listed, once its namespace has refused to', async () => {
    const { passes, pauses, context } = await due(500, { listEndsIntervalMilliseconds: SECOND });
    context.ends.doesNotList('default');
    await passes.observe();
    expect(await pauses()).toEqual([15]);
  });

  it('after half a minute while it makes no progress', async () => {
    const { passes, pauses, double, chains } = await due(100, { listEndsIntervalMilliseconds: SECOND });
    double.stall('default', chains[0]!.workflowId, 'no_worker');
    await passes.observe();
    ledger().clock.advance(100 * SECOND);
    await passes.observe();
    expect(await pauses()).toEqual([30]);
  });

  it('after a second while another firing waits for it', async () => {
    const { passes, ids } = await due(5_000);
    await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
      workflow_id, claimed_at) select schedule_id, '2026-03-01T02:00:00Z', 'buffered', kind, namespace, 1, 'later', claimed_at
      from escapement.firings`);
    expect(await passes.observe()).toMatchObject({ polled: 1 });
    const rows = await ledger().query(`select schedule_id, check_at from escapement.firings where state = 'linked'`);
    expect(rows).toEqual([{ schedule_id: ids[0], check_at: new Date(ledger().clock.now() + SECOND) }]);
  });
});
