import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { useLostLetters } from '../../support/failures/lost-letters';
import { eventTypes, Steps, useParking } from '../../support/failures/parking';
import { uniqueName, useLedger } from '../../support/ledger';

// Long before Temporal’s own clock, so that all of the namespace’s runs are from after it.
const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger, { ownNamespace: true });
const { parkedOrder, failOver, readLetters, settled } = useLostLetters(ledger, parking);

/** How often a run was asked about its letters. */
async function questions(execution: WorkflowHandle): Promise<number> {
  return (await eventTypes(execution)).filter((type) => type === 'workflowExecutionSignaledEventAttributes').length;
}

describe('after a failover that lost the letter of a parked step', () => {
  it('the letter is there again under its ID, and its redrive takes the step up', async () => {
    const { execution, steps } = await parkedOrder();
    const [lost] = await readLetters();
    const { trigger, aMinuteLater } = await failOver('delete from escapement.dead_letters');
    const [letter] = await parking.letters(1);
    const { created_at: _, updated_at: __, ...same } = lost!;
    expect(letter).toMatchObject(same);
    await aMinuteLater();
    await settled(execution);
    expect(await questions(execution)).toBe(2);
    expect(await readLetters()).toEqual([letter]);

    steps.broken.clear();
    await ledger().client.deadLetters.redrive(letter!.letter_id);
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await parking.replay(execution, [parking.plugin()]);
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    expect(await readLetters()).toMatchObject([{ letter_id: lost!.letter_id, state: 'resolved' }]);
  });

  it('with the row of its firing, both are there again, and several triggers ask its run once', async () => {
    const { execution } = await parkedOrder();
    const [lost] = await readLetters();
    const lose = 'delete from escapement.dead_letters; delete from escapement.firings';
    const { aMinuteLater } = await failOver(lose, {}, 1);
    expect(await parking.letters(1)).toMatchObject([{ letter_id: lost!.letter_id }]);
    await aMinuteLater();
    await settled(execution);
    expect(await questions(execution)).toBe(2);
    expect(await readLetters()).toHaveLength(1);
  });

  it('a step that fails before the row of its firing is there again is parked all the same', async () => {
    const taskQueue = uniqueName('queue');
    const execution = await parking.fire('order', taskQueue);
    const listed = () => parking.client().workflow.count(`WorkflowId = '${execution.workflowId}'`);
    await expect.poll(async () => (await listed()).count, { timeout: 60_000 }).toBe(1);
    await ledger().query('delete from escapement.firings');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    let tries = 0;
    const park = {
      activityTypes: 'all' as const,
      when: () => {
        tries += 1;
        return true;
      },
    };
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin({ park })] });
    await expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(1);
    await failOver('select');
    expect(await parking.letters(1)).toMatchObject([{ kind: 'parked', workflow_id: execution.workflowId }]);
    expect((await execution.describe()).status.name).toBe('RUNNING');
  });

  it('it does not come back where the step was decided by then, and its firing closes as the run ends', async () => {
    const { execution, steps } = await parkedOrder();
    steps.broken.delete('chargeCard');
    await parking.decide(execution, { decision: 'redrive' });
    const [, mail] = await vi.waitFor(async () => {
      const letters = await readLetters();
      expect(letters).toHaveLength(2);
      return letters;
    }, 60_000);
    const { trigger } = await failOver('delete from escapement.dead_letters');
    expect(await parking.letters(1)).toMatchObject([{ letter_id: mail!.letter_id, failed_step: { burial: 2 } }]);
    await execution.terminate();
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    expect(await readLetters()).toMatchObject([{ state: 'open', kind: 'workflow', reason: 'terminated' }]);
  });
});

it('a letter whose step failed once more in what a failover lost is open again', async () => {
  const { execution } = await parkedOrder();
  const [before] = await readLetters();
  const trigger = await ledger().trigger();
  await ledger().client.deadLetters.redrive(before!.letter_id);
  await trigger.passes.redrive();
  const [told] = await ledger().query(`select redrive from escapement.dead_letters`);
  await expect.poll(readLetters, { timeout: 60_000 }).toMatchObject([{ state: 'open', failed_step: { burial: 2 } }]);
  await settled(execution);
  // As it was when the step had been told to go on.
  await failOver(`update escapement.dead_letters set state = 'redriving',
    failed_step = '${JSON.stringify(before!.failed_step)}', redrive = '${JSON.stringify(told!.redrive)}'`);
  const [again] = await parking.letters(1);
  expect(again).toMatchObject({ letter_id: before!.letter_id, failed_step: { burial: 2 } });
  expect(await readLetters()).toHaveLength(1);
});
