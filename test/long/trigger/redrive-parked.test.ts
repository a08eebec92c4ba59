import { describe, expect, it, vi } from 'vitest';
import type { BuryRequest } from '../../../core/letters/park';
import { openStore } from '../../../store/connection';
import { buryStep } from '../../../store/letters/park-step';
import { Steps } from '../../support/failures/parking';
import { gate } from '../../support/leases/lease-activities';
import { uniqueName } from '../../support/ledger';
import { useParkedLetters } from '../../trigger/redrive/parked-letters';

const { ledger, parking, parkedOrder, endTask, observed } = useParkedLetters();

describe('a parked step', () => {
  it('takes no result that names no letter: it would be that of every step', async () => {
    const { execution, letterId } = await parkedOrder();
    await execution.signal('escapementPark', { decision: 'complete' }, 'for whom?');
    await endTask(execution);
    expect(await execution.query('escapementParked')).toMatchObject([{ activityType: 'chargeCard' }]);
    await execution.signal('escapementPark', { decision: 'complete', letterId }, null);
    expect(await execution.result()).toEqual([null, 'sendMail A1']);
  });

  it.each([{ overlap: 'CANCEL_OTHER' }, { softTimeout: '30 minutes' }] as const)(
    'whose workflow the schedule has cancelled keeps its letter, which no person has settled: %o',
    async (policies) => {
      const { execution, letterId, trigger } = await parkedOrder(policies);
      ledger().clock.advance(60 * 60 * 1_000);
      await trigger.passes.claim();
      await trigger.passes.interrupt();
      await expect(execution.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      expect(await observed(trigger, letterId)).toMatchObject({ state: 'open', kind: 'workflow', reason: 'canceled' });
    },
  );

  it('that waited for as long as its schedule lets it fails as without park, and is taken up again there', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder({ parkedAtMost: '1 minute' });
    // Steps fail by the server's clock.
    ledger().clock.set(new Date(Date.now() + 60_000).toISOString());
    await trigger.passes.sweep();
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    await expect(execution.result()).rejects.toMatchObject({
      cause: { activityType: 'chargeCard', cause: { message: expect.stringMatching(/does not work/) } },
    });
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'open', kind: 'workflow', reason: 'failed' });
    expect(await ledger().query('select from escapement.dead_letters')).toHaveLength(1);
    steps.broken.clear();
    await ledger().client.deadLetters.redrive(letterId);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
  });

  it('goes on beside the one that failed after the reset which took it along', async () => {
    const [taskQueue, mailQueue] = [uniqueName('queue'), uniqueName('queue')];
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const work = { activities: steps.activities, plugins: [parking.plugin({ park: 'all' })] };
    await parking.work({ ...work, taskQueue });
    const execution = await parking.fire('both', taskQueue, ['A1', mailQueue]);
    await parking.letters(1);
    await endTask(execution);
    const runId = await parking.reset(execution, 'last');
    await parking.work({ ...work, taskQueue: mailQueue });
    const letter = await vi.waitFor(async () => {
      const row = (await parking.letters(2)).find(({ failed_step }) => failed_step.burial === 2);
      expect(row).toMatchObject({ failed_step: { activityType: 'sendMail', burial: 2, runId } });
      return row!;
    }, 60_000);
    steps.broken.clear();
    const trigger = await ledger().trigger();
    await ledger().client.deadLetters.redrive(letter.letter_id);
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    // The other step keeps waiting, since each step is decided by its own letter.
    await expect.poll(() => execution.query('escapementParked')).toMatchObject([{ activityType: 'chargeCard' }]);
    const [other] = await parking.letters(1);
    await ledger().client.deadLetters.redrive(other!.letter_id);
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('of several that were parked when their workflow ended is resumed with the others, by one reset', async () => {
    const { steps, execution } = await parking.fireBroken();
    const letters = await parking.letters(2);
    await execution.terminate();
    const trigger = await ledger().trigger();
    await observed(trigger, letters[0]!.letter_id);
    steps.broken.clear();
    for (const { letter_id } of letters) await ledger().client.deadLetters.redrive(letter_id, { force: true });
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 2, resumed: 1, postponed: 1 });
    expect(
      ledger()
        .log.messages()
        .filter((message) => message === 'redriven'),
    ).toHaveLength(2);
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(steps.calls).toHaveLength(2 * 2 + 2);
    for (const { letter_id } of letters) {
      expect(await observed(trigger, letter_id)).toMatchObject({ state: 'resolved' });
    }
  });

  it('waits again in a run that is resumed at a later step, and is decided by its own letter', async () => {
    const [taskQueue, elsewhere] = [uniqueName('queue'), uniqueName('queue')];
    const [steps, later] = [new Steps(), new Steps()];
    steps.broken.add('chargeCard');
    later.broken.add('sendMail');
    const parkedFirst = gate();
    const sendMail = (order: string) => parkedFirst.promise.then(() => steps.activities.sendMail(order));
    const plugins = [parking.plugin({ park: 'all' })];
    await parking.work({ taskQueue, activities: { ...steps.activities, sendMail }, plugins });
    await parking.work({ taskQueue: elsewhere, activities: later.activities, plugins });
    const execution = await parking.fire('beside', taskQueue, ['A1', elsewhere]);
    await parking.letters(1);
    parkedFirst.open();
    const letters = await parking.letters(2);
    const letterOf = (step: string): string =>
      letters.find(({ failed_step }) => failed_step.activityType === step)!.letter_id;
    await execution.terminate();
    const trigger = await ledger().trigger();
    expect(await observed(trigger, letterOf('chargeCard'))).toMatchObject({ state: 'open', kind: 'workflow' });
    steps.broken.clear();
    later.broken.clear();
    await ledger().client.deadLetters.redrive(letterOf('sendMail'));
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    expect(ledger().log.lines).toContainEqual({
      ...{ level: 'info', message: 'parked again' },
      meta: expect.objectContaining({ letterId: letterOf('chargeCard') }),
    });
    const again = { state: 'open', kind: 'parked', reason: 'step_failed' };
    expect(await ledger().client.deadLetters.get(letterOf('chargeCard'))).toMatchObject(again);
    await ledger().client.deadLetters.redrive(letterOf('chargeCard'));
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterOf('chargeCard'))).toMatchObject({ state: 'resolved' });
  });

  it('goes on by its letter where a person has reset its workflow after the end', async () => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    await endTask(execution);
    await execution.terminate();
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'open', kind: 'workflow' });
    await parking.reset(execution, 'last');
    steps.broken.clear();
    await ledger().client.deadLetters.redrive(letterId);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    expect(await observed(trigger, letterId)).toMatchObject({ state: 'resolved' });
    expect(steps.calls).toEqual(['chargeCard', 'chargeCard', 'chargeCard', 'sendMail']);
  });

  it.each([
    ['completed', { state: 'resolved', kind: 'parked' }],
    ['failed', { state: 'open', kind: 'workflow', reason: 'failed' }],
    ['terminated', { state: 'open', kind: 'workflow', reason: 'terminated' }],
    ['given up', { state: 'open', kind: 'workflow', reason: 'failed' }],
  ])('that was buried after its end had been recorded takes what that says of it: %s', async (outcome, letter) => {
    const { steps, execution, letterId, trigger } = await parkedOrder();
    const { failedStep } = await ledger().client.deadLetters.get(letterId);
    if (outcome === 'terminated') await execution.terminate();
    if (outcome === 'completed') steps.broken.clear();
    if (outcome === 'given up') await ledger().client.deadLetters.discard(letterId, { note: 'the customer has left' });
    if (outcome === 'given up') await trigger.passes.redrive();
    if (outcome === 'completed') await parking.decide(execution, { decision: 'redrive' });
    if (outcome === 'failed') await parking.decide(execution, { decision: 'discard' });
    await execution.result().catch(() => {});
    await observed(trigger, letterId);

    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    const memo = (await execution.describe()).memo!.escapement as Omit<BuryRequest, 'step' | 'failedAt'>;
    const { runId, ...step } = failedStep as BuryRequest['step'] & { runId: string };
    // Another step of the run, since the first one's letter is settled.
    const other = { ...step, burial: 2, activityId: 'another' };
    const at = { runId, workflowId: execution.workflowId, failedAt: Date.now() };
    const late = await buryStep(store, { ...memo, ...at, step: other });
    await ledger().client.deadLetters.redrive(late!);
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await ledger().client.deadLetters.get(late!)).toMatchObject(letter);
  });

  it('whose workflow ended before the decision came says so', async () => {
    const { execution, letterId, trigger } = await parkedOrder();
    await ledger().client.deadLetters.redrive(letterId);
    await execution.terminate();
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await ledger().client.deadLetters.get(letterId)).toMatchObject({
      state: 'open',
      note: 'not redriven: its workflow has ended; the outcome of its firing will say how',
    });
  });
});
