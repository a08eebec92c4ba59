import { describe, expect, it } from 'vitest';
import { useFailedFirings } from '../../trigger/recover/failed-firings';
import { killAfterReset } from '../../trigger/redrive/killed-redrive';
import { resumeWhileReadSlowly } from '../../trigger/redrive/slow-history';

const firings = useFailedFirings();
const { ledger, deployments, steps, failed, observeEnd, onlyLetter, redrive, runsOf } = firings;

describe('a resume', () => {
  it('that fails again opens the same letter again, and can be asked for again', async () => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger);
    await redrive(letter);
    await trigger.passes.redrive();
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ letterId: letter.letterId, state: 'open' });

    await deployments().deploy(fixed);
    await redrive(letter);
    await trigger.passes.redrive();
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ letterId: letter.letterId, state: 'resolved' });
    expect(done).toMatchObject({ pack: 1, chargeCard: 1 });
    expect(await runsOf(workflowId, 3)).toHaveLength(3);
  });

  it('whose trigger is killed while the chain that it took up runs is finished by the next one, without a second reset', async () => {
    await killAfterReset(firings, { failsAgain: false });
  });

  it('whose history has several pages is carried out by the trigger that reads them, and by no other', () =>
    resumeWhileReadSlowly(firings, { isLong: true }));
});

describe('a restart', () => {
  it('that fails again opens its letter again, which names the new workflow and can be resumed', async () => {
    const { broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger);
    await redrive(letter, { mode: 'restart' });
    await trigger.passes.redrive();
    await trigger.passes.dispatch();
    await observeEnd(trigger, `${workflowId}-restart-1`);
    expect(await onlyLetter()).toMatchObject({ state: 'open', epoch: 1, workflowId: `${workflowId}-restart-1` });
    await deployments().deploy(fixed);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, `${workflowId}-restart-1`);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
  });
});
