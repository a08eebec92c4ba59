import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import type { FiringOutcome } from '../../../core/firing';
import type { Chain } from '../../../temporal/port';
import { TemporalCallError } from '../../../temporal/port';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

const CLOSED_AT = new Date('2026-03-01T01:00:10Z');

/** Chains that have ended with these outcomes, due for a poll. */
async function ended(
  outcomes: FiringOutcome[],
  { schedules = [], limits }: Pick<Parameters<typeof running>[1] & object, 'schedules' | 'limits'> = {},
) {
  /** How Temporal describes chains other than the double does. */
  const changes = new Map<string, Partial<Chain> | Error>();
  const one = await running(ledger(), {
    schedules: outcomes.map((_, index) => schedules[index] ?? {}),
    ...(limits && { limits }),
    answers: {
      describeChain: async (namespace, workflowId, runId) => {
        const change = changes.get(workflowId);
        if (change instanceof Error) throw change;
        const chain = await one.double.describeChain(namespace, workflowId, runId);
        return chain && { ...chain, ...change };
      },
    },
  });
  ledger().clock.set(CLOSED_AT.toISOString());
  for (const [index, outcome] of outcomes.entries()) one.finish(index, outcome === 'unknown' ? 'failed' : outcome);
  for (const [index, id] of one.ids.entries())
    await ledger().query(
      `update escapement.firings set state = 'closed', outcome = $2, closed_at = $3, check_at = $3 where schedule_id = $1`,
      [id, outcomes[index], CLOSED_AT],
    );
  ledger().clock.advance(60_000);
  const change = (index: number, to: Partial<Chain> | Error) => changes.set(one.chains[index]!.workflowId, to);
  const resetChain = (index: number) =>
    one.double.resetChain(one.chains[index]!.namespace, one.chains[index]!.workflowId, {
      takes: Number.POSITIVE_INFINITY,
    });
  const outcomesNow = async () => (await one.rows()).map(({ outcome }) => outcome);
  return { ...one, change, resetChain, outcomesNow };
}

describe('a pass over ended chains', () => {
  it('opens those again that run, logs them, and leaves the others', async () => {
    const { passes, ids, chains, resetChain, states, said } = await ended(['failed', 'failed', 'canceled']);
    resetChain(0);
    resetChain(2);
    let goneOn = 0;
    const goOn = () => {
      goneOn += 1;
    };
    expect(await passes.reset(goOn)).toEqual({ polled: 3, reopened: 2, complete: true });
    expect(goneOn).toBe(1);
    expect(await states()).toEqual(['linked', 'closed', 'linked']);
    const line = { level: 'info', meta: { scheduleId: ids[0], workflowId: chains[0]!.workflowId } };
    expect(
      said('reopened')
        .map(({ meta }) => meta.scheduleId)
        .sort(),
    ).toEqual([ids[0], ids[2]].sort());
    expect(said('reopened')).toContainEqual(
      expect.objectContaining({ ...line, meta: expect.objectContaining(line.meta) }),
    );
  });

  it('says that it left some out: behind a full batch, or in a namespace that is away', async () => {
    const schedules = [{ namespace: 'aa' }, { namespace: 'aa' }, { namespace: 'bb' }];
    const { passes, context, change, chains } = await ended(['failed', 'failed', 'failed'], {
      limits: { batchSize: 2 },
      schedules,
    });
    expect(await passes.reset()).toEqual({ polled: 2, reopened: 0, complete: false });
    expect(await passes.reset()).toEqual({ polled: 1, reopened: 0, complete: true });
    change(2, new TemporalCallError('no answer', 'away', { ofNamespace: true }));
    await expect(context.temporal.of('bb').describeChain(chains[2]!.workflowId)).rejects.toThrow('no answer');
    expect(await passes.reset()).toEqual({ polled: 0, reopened: 0, complete: false });
    // So does a schedule that waits for the rows of lost firings.
    context.adoption.held = { namespaces: new Set(), schedules: new Map([['aa', new Set(['locked'])]]) };
    expect(await passes.reset()).toEqual({ polled: 0, reopened: 0, complete: false });
  });

  it('polls those of a locked schedule again soon', async () => {
    const { passes, ids, resetChain, rows } = await ended(['failed', 'failed']);
    for (const index of [0, 1]) resetChain(index);
    await ledger().query(`update escapement.firings set closed_at = '2026-02-27T00:00:00Z'`);
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [ids[0]]);
    expect(await passes.reset()).toMatchObject({ polled: 2, reopened: 1 });
    await holder.end();
    expect(await rows()).toMatchObject([
      { state: 'closed', check_at: new Date(ledger().clock.now() + 60_000) },
      { state: 'linked' },
    ]);
  });

  it('records another end of a chain that was reset and has ended again', async () => {
    const { passes, change, outcomesNow, rows } = await ended(['failed', 'failed', 'failed']);
    const closedAt = new Date(CLOSED_AT.getTime() + 1);
    change(0, { outcome: 'completed', closedAt });
    change(1, { outcome: 'completed', closedAt: CLOSED_AT });
    change(2, { outcome: 'completed', closedAt: new Date(CLOSED_AT.getTime() - 1) });
    expect(await passes.reset()).toMatchObject({ polled: 3, reopened: 1 });
    expect(await outcomesNow()).toEqual(['completed', 'failed', 'failed']);
    expect((await rows())[0]).toMatchObject({ state: 'closed', closed_at: closedAt });
  });

  it('replaces an unknown end by the one that Temporal knows, and no end by an unknown one', async () => {
    const { passes, chains, double, outcomesNow, ids } = await ended(['unknown', 'failed']);
    expect(await passes.reset()).toMatchObject({ polled: 2, reopened: 1 });
    expect(await outcomesNow()).toEqual(['failed', 'failed']);
    // Temporal has forgotten this one.
    await ledger().query(
      `update escapement.firings set workflow_id = 'forgotten', check_at = $2 where schedule_id = $1`,
      [ids[1], CLOSED_AT],
    );
    expect(double.chain('default', chains[1]!.workflowId)).toBeDefined();
    expect(await passes.reset()).toMatchObject({ polled: 1, reopened: 0 });
    expect(await outcomesNow()).toEqual(['failed', 'failed']);
  });

  it('leaves a chain alone for which Temporal does not answer, and ends with an error of this program', async () => {
    const { passes, change, states } = await ended(['failed', 'failed']);
    change(0, new TemporalCallError('overloaded', 'busy'));
    expect(await passes.reset()).toEqual({ polled: 2, reopened: 0, complete: true });
    expect(await states()).toEqual(['closed', 'closed']);
    change(1, new Error('a bug in the look-up'));
    await ledger().query('update escapement.firings set check_at = $1', [CLOSED_AT]);
    await expect(passes.reset()).rejects.toThrow('a bug in the look-up');
  });

  it('is followed at once by another after a full batch, in a trigger that runs', async () => {
    const limits = { batchSize: 2, sweepIntervalMilliseconds: 3_600_000 };
    const { trigger, rows } = await ended(['failed', 'failed', 'failed', 'failed', 'failed'], { limits });
    const running = trigger.run();
    try {
      await vi.waitFor(async () => {
        const due = (await rows()).filter(({ check_at }) => (check_at as Date).getTime() <= ledger().clock.now());
        expect(due).toEqual([]);
      }, 60_000);
    } finally {
      trigger.shutdown();
      await running;
    }
  });
});
