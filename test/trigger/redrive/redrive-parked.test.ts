import { describe, expect, it } from 'vitest';
import { useParkedLetters } from './parked-letters';

const { ledger, parking, parkedOrder, endTask, observed } = useParkedLetters();

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
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
  });

  it.each(['linked', 'claimed'])(
    'stays given up although its workflow ended before the discard was sent, while its firing is %s',
    async (state) => {
      const { execution, letterId, trigger } = await parkedOrder();
      await ledger().client.deadLetters.discard(letterId, { note: 'the customer has left' });
      await execution.terminate();
      // The record of the start was lost, so that recovery calls it again.
      if (state === 'claimed') {
        await ledger().query(`update escapement.firings set state = 'claimed', run_id = null, linked_at = null,
          first_attempted_at = claimed_at, start_attempted_at = claimed_at, check_at = claimed_at`);
      }
      expect(await trigger.passes.redrive()).toMatchObject({ postponed: 1 });
      await trigger.passes.reconcile();
      expect(await observed(trigger, letterId)).toMatchObject({ state: 'discarded', note: 'the customer has left' });
      expect(await ledger().query('select from escapement.dead_letters')).toHaveLength(1);
    },
  );

  it('waits on for its decision through hours in which a server without its namespace is asked', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    await ledger().query(`update escapement.firings set namespace = 'elsewhere'`);
    for (let hour = 0; hour < 4; hour++) {
      ledger().clock.advance(3_600_000);
      await trigger.passes.observe();
      await trigger.passes.reconcile();
    }
    expect(await ledger().query('select outcome from escapement.firings')).toEqual([{ outcome: 'unknown' }]);
    await ledger().query(`update escapement.firings set namespace = 'default'`);
    ledger().clock.advance(3_600_000);
    expect(await trigger.passes.reset()).toMatchObject({ reopened: 1 });
    steps.broken.clear();
    expect(await ledger().client.deadLetters.redrive(letterId)).toMatchObject({ mode: 'continue' });
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
  });

  it.each([
    ['discard', { state: 'discarded', kind: 'workflow' }],
    ['redrive', { state: 'open', kind: 'workflow', reason: 'unknown' }],
  ] as const)(
    'whose namespace was deleted is settled by a %s once nobody looks for it any more',
    async (ask, settled) => {
      const { letterId, trigger } = await parkedOrder();
      await ledger().query(`update escapement.firings set namespace = 'decommissioned'`);
      await ledger().query(`update escapement.letters set namespace = 'decommissioned'`);
      const hours = async (count: number, pass: 'observe' | 'reset') => {
        for (let hour = 0; hour < count; hour++) {
          ledger().clock.advance(3_600_000);
          await trigger.passes[pass]();
          await trigger.passes.reconcile();
        }
        ledger().clock.advance(60_000);
      };
      await hours(4, 'observe');
      await ledger().client.deadLetters[ask](letterId, { note: 'the namespace is gone' });
      // The namespace may come back, and with it the step that waits.
      expect(await trigger.passes.redrive()).toMatchObject({ postponed: 1 });
      await hours(7 * 24 + 2, 'reset');
      await trigger.passes.sweep();
      expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
      expect(await ledger().client.deadLetters.get(letterId)).toMatchObject(settled);
    },
  );

  it.each([
    ['waits', 'the customer has left', false],
    ['has ended', 'its workflow had ended by then: unknown', true],
  ])('whose month is no longer in the ledger can be discarded, if its workflow %s', async (_, note, isOver) => {
    const { execution, letterId, trigger } = await parkedOrder();
    await ledger().query('alter table escapement.firings detach partition escapement.firings_202603');
    if (isOver) await execution.terminate();
    await ledger().client.deadLetters.discard(letterId, { note: 'the customer has left' });
    await trigger.passes.redrive();
    expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({ state: 'discarded', note });
    await expect(execution.result()).rejects.toThrow();
  });

  it('of several goes on alone by its letter, and the others wait on', async () => {
    const { steps, execution } = await parking.fireBroken();
    const letters = await parking.letters(2);
    const trigger = await ledger().trigger();
    const redrive = async (step: string) => {
      const { letter_id } = letters.find(({ failed_step }) => failed_step.activityType === step)!;
      await ledger().client.deadLetters.redrive(letter_id);
      expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    };
    steps.broken.clear();
    // The later of the two.
    await redrive('sendMail');
    await expect
      .poll(() => execution.query('escapementParked'), { timeout: 60_000 })
      .toMatchObject([{ activityType: 'chargeCard' }]);
    const states = await ledger().query('select state from escapement.dead_letters order by state');
    expect(states).toEqual([{ state: 'open' }, { state: 'redriving' }]);
    await redrive('chargeCard');
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('takes the result that a person gives, and its workflow goes on with it, also when it is replayed', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.complete(letterId, { receipt: 17 });
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual([{ receipt: 17 }, 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved', redrive: { mode: 'complete' } });
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'sendMail']);
    await parking.replay(execution, [parking.plugin({ park: [] })]);
  });

  it('that fails again opens its letter again', async () => {
    const { letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.redrive(letterId);
    await trigger.passes.redrive();
    await expect
      .poll(async () => (await ledger().client.deadLetters.get(letterId)).state, { timeout: 60_000 })
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

  it('whose workflow is ended keeps its letter, which no person has settled', async () => {
    const { execution, letterId, trigger } = await parkedOrder();
    await execution.cancel();
    await execution.result().catch(() => {});
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'open', kind: 'workflow', reason: 'canceled' });
  });

  it('whose workflow was ended is taken up again at the step, which is all that runs again', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    await execution.terminate();
    expect(await observed(trigger, letterId)).toMatchObject({ kind: 'workflow', resumeUntil: expect.any(Date) });
    steps.broken.clear();
    await ledger().client.deadLetters.redrive(letterId);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
  });

  it('goes on in the run to which a person’s reset has taken it', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    await endTask(execution);
    const runId = await parking.reset(execution, 'last');
    steps.broken.clear();
    await ledger().client.deadLetters.redrive(letterId);
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect((await execution.describe()).runId).toBe(runId);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
  });
});
