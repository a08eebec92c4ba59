import { describe, expect, it } from 'vitest';
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
