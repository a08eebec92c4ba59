import { describe, expect, it } from 'vitest';
import { useFailedFirings } from '../recover/failed-firings';
import { killAfterReset } from './killed-redrive';
import { resumeWhileReadSlowly } from './slow-history';

const firings = useFailedFirings();
const { ledger, deployments, steps, failed, observeEnd, onlyLetter, firing, redrive, answer, runsOf } = firings;

describe('a resume', () => {
  it('goes on at the failed step with the results before it, and the letter is resolved when the chain completes', async () => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { scheduleId, workflowId, letter } = await failed(trigger);
    expect(letter).toMatchObject({ kind: 'workflow', state: 'open', failedStep: { activityType: 'chargeCard' } });
    const before = await firing(scheduleId);
    await deployments().deploy(fixed);

    expect(await redrive(letter, { note: 'fixed in 1.2' })).toMatchObject({
      mode: 'resume',
      letter: { state: 'redriving', actor: 'test', note: 'fixed in 1.2' },
    });
    expect(await trigger.passes.reconcile()).toMatchObject({ anythingToRedrive: true });
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 1, resumed: 1 });
    expect(await trigger.passes.reconcile()).toMatchObject({ anythingToRedrive: false, anythingOpen: true });
    expect(await firing(scheduleId)).toMatchObject({
      state: 'linked',
      outcome: null,
      closedAt: null,
      runId: before.runId,
    });
    expect(await onlyLetter()).toMatchObject({ state: 'redriving' });

    await observeEnd(trigger, workflowId);
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed completed');
    expect(await onlyLetter()).toMatchObject({ state: 'resolved', note: 'fixed in 1.2' });
    expect(done).toEqual({ pack: 1, chargeCard: 1, mail: 0 });
    expect(await deployments().client.workflow.getHandle(workflowId).result()).toBe('parcel 1');
  });

  it('happens once, however often it is asked for and however many triggers poll', async () => {
    const { broken, fixed } = steps();
    await deployments().deploy(broken);
    const [one, two] = [await ledger().trigger(), await ledger().trigger()];
    const { workflowId, letter } = await failed(one);
    await deployments().deploy(fixed);
    const asked = await Promise.all([redrive(letter), redrive(letter), redrive(letter)]);
    expect(new Set(asked.map((answer) => answer.letter.redrive!.requestId)).size).toBe(1);
    const passes = await Promise.all([one.passes.redrive(), two.passes.redrive(), one.passes.redrive()]);
    expect(passes.reduce((sum, { resumed }) => sum + resumed, 0)).toBe(1);
    await redrive(letter);
    expect(await one.passes.redrive()).toMatchObject({ taken: 0 });
    await observeEnd(one, workflowId);
    expect(await runsOf(workflowId, 2)).toHaveLength(2);
  });

  it('whose trigger is killed after the reset is finished by the next one, without a second reset', async () => {
    await killAfterReset(firings, { failsAgain: true });
  });

  it('that would run other steps again is refused with their names, until it is forced', async () => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { scheduleId, workflowId, letter } = await failed(trigger, 'fulfils', [true]);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await onlyLetter()).toMatchObject({
      state: 'open',
      note: "not redriven: these steps would also run again: activity mail; redrive with force if they may run again, or use mode 'restart'",
    });
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed failed');

    await deployments().deploy(fixed);
    const mailed = done.mail;
    await redrive(letter, { force: true });
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
    expect(done).toEqual({ pack: 1, chargeCard: 1, mail: mailed + 1 });
  });

  it('does not wait for a child workflow that was ended with the former run: it runs again, if that is forced', async () => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger, 'packsInChild');
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await onlyLetter()).toMatchObject({
      note: expect.stringContaining('also run again: child workflow packs;'),
    });

    await deployments().deploy(fixed);
    await redrive(letter, { force: true });
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
    expect(done).toEqual({ pack: 1, chargeCard: 1, mail: 0 });
  });

  it('that would call an activity of an earlier task again is refused with its name, until it is forced', async () => {
    const { done, broken, fixed } = steps();
    let charge = () => {};
    const charging = new Promise<void>((resolve) => {
      charge = resolve;
    });
    // It ends after the last step was scheduled, and before the workflow fails.
    const mail = () => charging.then(broken.mail);
    const chargeCard = async (parcel: string) => {
      charge();
      await broken.chargeCard(parcel);
    };
    await deployments().deploy({ ...broken, mail, chargeCard });
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger, 'mailsMeanwhile');
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await onlyLetter()).toMatchObject({ note: expect.stringContaining('also run again: activity mail;') });
    expect(done).toEqual({ pack: 1, chargeCard: 0, mail: 1 });

    await deployments().deploy(fixed);
    await redrive(letter, { force: true });
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
    expect(done).toEqual({ pack: 1, chargeCard: 1, mail: 2 });
  });

  it('to another version of a run that a person has reset is refused, since the run goes on', async () => {
    const { broken } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger);
    let charge = () => {};
    const charging = new Promise<void>((resolve) => {
      charge = resolve;
    });
    await deployments().deploy({ ...broken, chargeCard: () => charging });
    await deployments().client.workflowService.resetWorkflowExecution({
      ...{ namespace: 'default', workflowExecution: { workflowId }, requestId: workflowId },
      ...{ reason: 'by hand', workflowTaskFinishEventId: 4 as never },
    });
    await redrive(letter, { versioningOverride: 'AUTO_UPGRADE' });
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await onlyLetter()).toMatchObject({ state: 'open', note: expect.stringContaining('update-options') });
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    charge();
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
  });

  it.each([
    ['without force', false],
    ['and so do later steps, if that is forced', true],
  ])('runs a local activity that failed again, %s', async (_, mails) => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger, 'chargesLocally', [mails]);
    await deployments().deploy(fixed);
    await redrive(letter);
    if (mails) {
      expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
      expect(await onlyLetter()).toMatchObject({ note: expect.stringContaining('also run again: activity mail;') });
      await redrive(letter, { force: true });
    }
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
    expect(done).toEqual({ pack: 1, chargeCard: 1, mail: mails ? 1 : 0 });
  });

  it('whose history takes long to read is carried out by the trigger that reads it, and by no other', () =>
    resumeWhileReadSlowly(firings, { isLong: false }));

  it('of a run that Temporal no longer has says so, and to restart', async () => {
    const { broken } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { letter } = await failed(trigger);
    // Temporal answers as it does for a workflow that the namespace's retention has removed.
    await ledger().query(`update escapement.firings set workflow_id = 'gone'`);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
    expect(await onlyLetter()).toMatchObject({
      state: 'open',
      note: expect.stringMatching(/no longer has its run.*'restart'/),
    });
  });

  it('waits while Temporal is away, and is carried out when it answers', async () => {
    const { broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { workflowId, letter } = await failed(trigger);
    await deployments().deploy(fixed);
    await ledger().query(`update escapement.firings set namespace = 'nowhere'`);
    await redrive(letter);
    expect(await trigger.passes.redrive()).toMatchObject({ postponed: 1 });
    expect(await onlyLetter()).toMatchObject({ state: 'redriving' });
    await ledger().query(`update escapement.firings set namespace = 'default'`);
    ledger().clock.advance(60_000);
    expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
    await observeEnd(trigger, workflowId);
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
  });
});

describe('a restart', () => {
  it('of a failed chain is a new chain of the same firing, and its outcome is the firing’s', async () => {
    const { done, broken, fixed } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { scheduleId, workflowId, letter } = await failed(trigger);
    const first = (await firing(scheduleId)).runId;
    await deployments().deploy(fixed);
    await redrive(letter, { mode: 'restart' });
    expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
    expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'claimed', outcome: null, runId: null, linkedAt: null });
    await trigger.passes.dispatch();
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${workflowId}-restart-1` });
    expect((await firing(scheduleId)).runId).not.toBe(first);
    await observeEnd(trigger, `${workflowId}-restart-1`);
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed completed');
    expect(await onlyLetter()).toMatchObject({ state: 'resolved', workflowId: `${workflowId}-restart-1`, epoch: 1 });
    expect(done).toMatchObject({ pack: 2, chargeCard: 1 });
  });

  it('runs beside an open firing of a SKIP schedule, which it then holds', async () => {
    const { broken } = steps();
    await deployments().deploy(broken);
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await failed(trigger);
    await deployments().deploy({});
    ledger().clock.set('2026-03-01T02:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    await redrive(letter, { mode: 'restart' });
    await trigger.passes.redrive();
    await trigger.passes.dispatch();
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule linked',
    ]);
  });
});
