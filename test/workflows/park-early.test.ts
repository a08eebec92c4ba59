import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventTypes, Steps } from '../support/failures/parking';
import { uniqueName } from '../support/ledger';
import { useEarlyDecisions } from './early-decisions';

const { parking, parkedOrder, decidedEarly } = useEarlyDecisions();

describe('a decision that arrives before the run has seen its step fail', () => {
  it('takes up the first step that the run parks', async () => {
    const { execution, work } = await decidedEarly();
    await work();
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await parking.replay(execution, [parking.plugin()]);
  });

  it('does so in a workflow with a default signal handler, which does not see it', async () => {
    const { execution, work } = await decidedEarly({}, [], 'ownSignals');
    await execution.signal('mine');
    await work();
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1', 'mine']);
    await parking.replay(execution, [parking.plugin()]);
  });

  it('stays with the default signal handler that already got it, so that its history replays', async () => {
    const [taskQueue, elsewhere] = [uniqueName('queue'), uniqueName('queue')];
    await parking.work({ taskQueue });
    const execution = await parking.fire('ownSignals', taskQueue, ['A1', elsewhere]);
    await parking.decide(execution, { decision: 'redrive', burial: 1, runId: 'any', letterId: randomUUID() });
    await expect.poll(() => eventTypes(execution), { timeout: 60_000 }).toContain('timerStartedEventAttributes');
    await parking.replay(execution, [parking.plugin()]);
    await parking.work({ taskQueue: elsewhere, activities: new Steps().activities });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1', 'escapementPark']);
  });

  it('does nothing to a later step once its own is over', async () => {
    const { execution, letter, steps } = await parkedOrder();
    const { runId } = letter.failed_step;
    const decision = { decision: 'redrive', burial: 1, runId, letterId: letter.letter_id } as const;
    await parking.decide(execution, decision);
    await expect.poll(() => steps.calls.length, { timeout: 60_000 }).toBe(4);
    const [again] = await parking.letters(1);
    await parking.decide(execution, decision);
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 2 }]);
    steps.broken.clear();
    await parking.decide(execution, { ...decision, burial: 2, letterId: again!.letter_id });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });
});
