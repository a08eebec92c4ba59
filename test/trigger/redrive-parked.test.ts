import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../trigger';
import { uniqueName, useLedger } from '../support/ledger';
import { Steps, useParking } from '../support/parking';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

/** An order that is parked at its first step, and a trigger that looks after it. */
async function parkedOrder() {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  steps.broken.add('chargeCard');
  await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
  const execution = await parking.fire('order', taskQueue);
  const [letter] = await parking.letters(1);
  const trigger = await ledger().trigger();
  return { steps, execution, letterId: letter!.letter_id as string, trigger };
}

async function observed(trigger: Trigger, letterId: string) {
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
  return ledger().client.deadLetters.get(letterId);
}

describe('a parked step', () => {
  it('goes on in place when its letter is redriven, which is resolved when the workflow completes', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    steps.broken.clear();
    for (let asked = 0; asked < 2; asked++) {
      expect(await ledger().client.deadLetters.redrive(letterId)).toMatchObject({
        mode: 'continue',
        letter: { state: 'redriving' },
      });
    }
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await trigger.passes.redrive()).toMatchObject({ looked: 0 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
  });

  it('that fails again opens its letter again', async () => {
    const { letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.redrive(letterId);
    await trigger.passes.redrive();
    await expect
      .poll(async () => (await ledger().client.deadLetters.get(letterId)).state, { timeout: 20_000 })
      .toBe('open');
    const { failedStep } = await ledger().client.deadLetters.get(letterId);
    expect(failedStep).toMatchObject({ activityType: 'chargeCard', burial: 2 });
  });

  it('fails with its own failure when its letter is discarded, which needs no further letter', async () => {
    const { execution, letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.discard(letterId, { note: 'the customer has left' });
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    await expect(execution.result()).rejects.toMatchObject({
      cause: { cause: { message: expect.stringMatching(/does not work/) } },
    });
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'discarded', note: 'the customer has left' });
    expect(await ledger().query('select state from escapement.dead_letters')).toEqual([{ state: 'discarded' }]);
  });

  it('whose workflow a person cancels is given up with it', async () => {
    const { execution, letterId, trigger } = await parkedOrder();
    await execution.cancel();
    await execution.result().catch(() => {});
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'discarded', note: 'its workflow was canceled' });
  });

  it('whose workflow ended before the decision came says so', async () => {
    const { execution, letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.redrive(letterId);
    await execution.terminate();
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({
      state: 'open',
      note: 'not redriven: its workflow has ended; its close says how',
    });
  });
});
