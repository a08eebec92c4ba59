import { describe, expect, it } from 'vitest';
import type { WorkflowStart } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import { ManualClock } from '../support/ledger-clock';
import { type StartChanges, startOf } from './start-of';

const clock = new ManualClock('2026-03-01T00:00:00Z');
const double = new TemporalDouble(clock);
double.play('echoFiring', { takes: '1 second' });

const start = (workflowType: string, changes: StartChanges = {}) => startOf('queue', workflowType, changes);

describe('the double, as ordered', () => {
  it('forgets a closed chain after its retention, and starts its request again', async () => {
    const one = start('echoFiring');
    const { runId } = await double.startWorkflow(one);
    clock.advance(1_000 + double.retentionMilliseconds - 1);
    expect(await double.startWorkflow(one)).toEqual({ runId });
    clock.advance(1);
    expect(await double.describeChain('default', one.firing.workflowId)).toBeUndefined();
    expect((await double.startWorkflow(one)).runId).not.toBe(runId);
  });

  it('waits between runs as a server does, and retries for ever where the policy has no end', async () => {
    double.play('never', { takes: '1 second', fails: true });
    const retry = { initialInterval: 10_000, maximumInterval: 15_000 };
    const [one, bounded] = [start('never', { retry }), start('never', { retry: { ...retry, maximumAttempts: 3 } })];
    await double.startWorkflow(one);
    await double.startWorkflow(bounded);
    const of = ({ firing }: WorkflowStart) => double.chain('default', firing.workflowId)!;
    // One second each; ten, then fifteen seconds between them.
    expect(of(bounded).endsAt - clock.now()).toBe(1_000 + 11_000 + 16_000);
    clock.advance(10 * 365 * 24 * 60 * 60 * 1_000);
    expect(await double.describeChain('default', one.firing.workflowId)).toMatchObject({ outcome: undefined });
  });

  it('has a chain go on as new, which ends as it would have', async () => {
    double.play('long', { takes: '1 hour' });
    const one = start('long');
    const { runId } = await double.startWorkflow(one);
    clock.advance(60_000);
    double.continueAsNew('default', one.firing.workflowId);
    const chain = await double.describeChain('default', one.firing.workflowId);
    expect(chain).toMatchObject({ firstRunId: runId, outcome: undefined });
    expect(chain!.runId).not.toBe(runId);
    await expect(double.startWorkflow(one)).rejects.toMatchObject({ kind: 'taken' });
    clock.advance(59 * 60_000);
    const closedAt = new Date(clock.now());
    clock.advance(60_000);
    expect(await double.describeChain('default', one.firing.workflowId)).toMatchObject({
      outcome: 'completed',
      closedAt,
    });
  });

  it('refuses, loses and delays starts', async () => {
    const [refused, unsent, unheard, late] = [1, 2, 3, 4].map(() => start('echoFiring'));
    const known = (one: WorkflowStart | undefined) => double.describeChain('default', one!.firing.workflowId);
    double.failNextStarts({ kind: 'rejected' });
    double.failNextStarts({ kind: 'unsent' });
    double.failNextStarts({ kind: 'answer_lost' });
    double.failNextStarts({ kind: 'late', milliseconds: 7_000 });
    await expect(double.startWorkflow(refused!)).rejects.toMatchObject({ kind: 'rejected' });
    for (const one of [unsent, unheard, late])
      await expect(double.startWorkflow(one!)).rejects.toMatchObject({ kind: 'away' });
    expect([await known(refused), await known(unsent), await known(late)]).toEqual([undefined, undefined, undefined]);
    expect(await known(unheard)).toMatchObject({ outcome: undefined });
    clock.advance(7_000);
    expect(await known(late)).toMatchObject({ outcome: undefined });
    double.isAway = true;
    await expect(known(late)).rejects.toMatchObject({ kind: 'away' });
    double.isAway = false;
  });

  it('reopens a chain that is reset under its first run, and keeps one that ignores cancel', async () => {
    double.play('deaf', { takes: '1 hour', onCancel: 'ignore' });
    const one = start('deaf');
    const { workflowId } = one.firing;
    const { runId: firstRunId } = await double.startWorkflow(one);
    await double.requestCancel({ namespace: 'default', workflowId, firstRunId });
    expect(await double.describeChain('default', workflowId)).toMatchObject({ outcome: undefined });
    double.finish('default', workflowId, 'failed');
    double.resetChain('default', workflowId, { takes: '1 minute' });
    expect(await double.describeChain('default', workflowId)).toMatchObject({ firstRunId, outcome: undefined });
    clock.advance(60_000);
    expect(await double.describeChain('default', workflowId)).toMatchObject({ firstRunId, outcome: 'completed' });
  });

  it('counts the attempts of a retry policy again from one after continue-as-new', async () => {
    const retry = { initialInterval: 1, maximumAttempts: 2 };
    double.play('goesOn', { takes: '1 minute', fails: 1, continues: 1 });
    const one = start('goesOn', { retry });
    const { workflowId } = one.firing;
    await double.startWorkflow(one);
    clock.advance(300_000);
    double.resetChain('default', workflowId, { takes: '1 minute', fails: true });
    clock.advance(300_000);
    const chain = double.chain('default', workflowId)!;
    expect(chain.runs(clock.now()).map(({ end, attempt }) => [end, attempt])).toEqual([
      ['failed', 1],
      ['continued', 2],
      ['completed', 1],
      ['failed', 1],
      ['failed', 2],
    ]);
  });

  it('counts the attempts again from one, and no longer knows the request, after an ordered continue-as-new', async () => {
    double.play('sentOn', { takes: '1 minute', fails: true });
    const one = start('sentOn', { retry: { initialInterval: 1, maximumAttempts: 2 } });
    const { workflowId } = one.firing;
    await double.startWorkflow(one);
    double.resetChain('default', workflowId);
    expect(await double.startWorkflow(one)).toBeDefined();
    double.continueAsNew('default', workflowId);
    await expect(double.startWorkflow(one)).rejects.toMatchObject({ kind: 'taken' });
    clock.advance(90_000);
    double.continueAsNew('default', workflowId);
    clock.advance(90_000);
    const runs = double.chain('default', workflowId)!.runs(clock.now());
    expect(runs.map(({ end, attempt }) => [end, attempt])).toEqual([
      ['terminated', 1],
      ['continued', 1],
      ['failed', 1],
      ['continued', 2],
      ['failed', 1],
    ]);
  });
});
