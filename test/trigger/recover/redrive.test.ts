import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, inject, it, vi } from 'vitest';
import type { DeadLetter } from '../../../index';
import type { Trigger } from '../../../trigger';
import { announceAll } from '../../support/announced';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';
import { runScript } from '../../support/processes/child';
import type { Steps } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const deployments = useDeployments();
const DUE = '2026-03-01T01:00:00Z';

/** Counts how often each step ran; the deployments differ in the broken step. */
function steps() {
  const done = { pack: 0, chargeCard: 0, mail: 0 };
  const broken: Steps = {
    pack: async () => `parcel ${++done.pack}`,
    mail: async () => void done.mail++,
    chargeCard: async () => {
      throw ApplicationFailure.create({ type: 'CardDeclined', message: 'no money' });
    },
  };
  return { done, broken, fixed: { ...broken, chargeCard: async () => void done.chargeCard++ } };
}

/** Let the first firing of a schedule fail. */
async function failed(trigger: Trigger, workflowType = 'fulfils', args: unknown[] = []) {
  const { taskQueue } = deployments();
  const { scheduleId } = await ledger().client.create(
    someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue, args } }),
  );
  ledger().clock.set(DUE);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const workflowId = `${scheduleId}-workflow-${DUE}`;
  await observeEnd(trigger, workflowId);
  return { scheduleId, workflowId, letter: await onlyLetter() };
}

async function observeEnd(trigger: Trigger, workflowId: string) {
  await deployments()
    .client.workflow.getHandle(workflowId)
    .result()
    .catch(() => {});
  ledger().clock.advance(1_000);
  await trigger.passes.observe();
}

async function onlyLetter(): Promise<DeadLetter> {
  const letters: DeadLetter[] = [];
  for await (const letter of ledger().client.deadLetters.list()) letters.push(letter);
  expect(letters).toHaveLength(1);
  return letters[0]!;
}

const firing = async (scheduleId: string) => (await ledger().firings(scheduleId))[0]!;
const redrive = (letter: DeadLetter, options = {}) => ledger().client.deadLetters.redrive(letter.letterId, options);
const answer = async (scheduleId: string) => (await ledger().answers(scheduleId))[0];

/** Every run that Temporal has under a workflow ID, once each of these is listed. */
async function runsOf(workflowId: string, count: number): Promise<string[]> {
  const { workflow } = deployments().client;
  return vi.waitFor(async () => {
    const runs: string[] = [];
    for await (const run of workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run.runId);
    expect(runs.length).toBeGreaterThanOrEqual(count);
    return runs;
  }, 60_000);
}

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

  it.each([
    ['while the chain it took up still runs', false],
    ['after the chain it took up has failed again', true],
  ])(
    'whose trigger is killed after the reset is finished by the next one, without a second reset: %s',
    async (_, failsAgain) => {
      const { broken } = steps();
      await deployments().deploy(broken);
      const trigger = await ledger().trigger();
      const { scheduleId, workflowId, letter } = await failed(trigger);
      if (!failsAgain) await deployments().deploy({ pack: broken.pack });
      await redrive(letter);

      // The row cannot change while another session holds the schedule, so the child dies between the reset and the
      // row.
      await ledger().query('begin');
      await ledger().query('select 1 from escapement.timers for update');
      const instant = new Date(ledger().clock.now()).toISOString();
      const child = runScript('test/support/processes/crash-child.ts', [
        ledger().databaseUrl,
        inject('temporalAddress'),
        instant,
      ]);
      await child.line(/^ready/);
      child.write('redrive');
      await runsOf(workflowId, 2);
      child.kill('SIGKILL');
      expect(await child.ended()).toMatchObject({ signal: 'SIGKILL' });
      await ledger().query('rollback');
      expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule closed failed');
      if (failsAgain) await expect(deployments().client.workflow.getHandle(workflowId).result()).rejects.toThrow();

      expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
      ledger().clock.advance(31_000);
      expect(await trigger.passes.reconcile()).toMatchObject({ anythingToRedrive: true });
      expect(await trigger.passes.redrive()).toMatchObject({ resumed: 1 });
      expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule linked');
      await trigger.passes.observe();
      expect(await onlyLetter()).toMatchObject({ state: failsAgain ? 'open' : 'redriving' });
      expect(await runsOf(workflowId, 2)).toHaveLength(2);
      await deployments().deploy({});
    },
  );

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

describe('a start that was given up', () => {
  /** Announced, lost while its schedule was paused, and abandoned since no call had landed. */
  async function abandoned(trigger: Trigger) {
    const { scheduleId } = await ledger().client.create(someSchedule());
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await announceAll(ledger(), trigger);
    await ledger().client.getHandle(scheduleId).pause();
    ledger().clock.advance(31_000);
    const other = await ledger().trigger();
    expect(await other.passes.reconcile()).toMatchObject({ abandoned: 1 });
    const letter = await onlyLetter();
    const meta = { letterId: letter.letterId, scheduleId, kind: 'start', reason: 'schedule_paused' };
    expect(ledger().log.lines.at(-1)).toMatchObject({ level: 'warn', message: 'dead letter', meta });
    return { scheduleId, letter };
  }

  it('is redriven under the same request, on a paused schedule too', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    expect(letter).toMatchObject({ kind: 'start', reason: 'schedule_paused' });
    expect(await redrive(letter)).toMatchObject({ mode: 'restart' });
    expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${scheduleId}-workflow-${DUE}` });
  });

  it('is started by another trigger when the one that claimed it again is gone, and not given up again', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    await redrive(letter);
    await trigger.passes.redrive();
    await announceAll(ledger(), trigger);
    ledger().clock.advance(31_000);
    const other = await ledger().trigger();
    expect(await other.passes.reconcile()).toMatchObject({ taken: 1, restarted: 1, abandoned: 0 });
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0 });
    expect(await runsOf(`${scheduleId}-workflow-${DUE}`, 1)).toHaveLength(1);
  });

  it('because a stranger holds its workflow ID gets an ID of its own', async () => {
    const { client, taskQueue } = deployments();
    const { scheduleId } = await ledger().client.create(someSchedule());
    const workflowId = `${scheduleId}-workflow-${DUE}`;
    await client.workflow.start('untilFinished', { workflowId, taskQueue });
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    await redrive(await onlyLetter());
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(scheduleId)).toMatchObject({ state: 'linked', workflowId: `${workflowId}-restart-1` });
  });

  it('because Temporal refused its definition takes the schedule as it is by then', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: 'nobody-polls' };
    // Which attributes a namespace has only its server knows.
    const options = someSchedule({ action: { ...action, searchAttributes: { NoSuchAttribute: ['x'] } } });
    const handle = await ledger().client.create(options);
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    for (let attempt = 1; attempt <= 3; attempt++) {
      await trigger.passes.dispatch();
      ledger().clock.advance(2_000);
      await trigger.passes.reconcile();
    }
    ledger().clock.advance(20_000);
    await trigger.passes.reconcile();
    const letter = await onlyLetter();
    expect(letter).toMatchObject({ kind: 'start', reason: 'start_rejected' });

    await handle.delete();
    await ledger().client.create({ ...options, action });
    await redrive(letter);
    await trigger.passes.redrive();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect(await firing(handle.scheduleId)).toMatchObject({ state: 'linked', scheduleVersion: 2 });
  });

  it('and that Temporal’s own schedule has done meanwhile is skipped as native, and its letter resolved', async () => {
    const trigger = await ledger().trigger();
    const { scheduleId, letter } = await abandoned(trigger);
    const { client, taskQueue } = deployments();
    const native = await client.schedule.create({
      scheduleId,
      spec: { cronExpressions: ['0 * * * *'] },
      action: { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue },
      state: { paused: true },
    });
    const [start, end] = [new Date('2026-03-01T00:59:00Z'), new Date('2026-03-01T01:01:00Z')];
    await native.backfill({ start, end, overlap: 'ALLOW_ALL' });
    await vi.waitFor(() => client.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe(), 60_000);
    await native.delete();

    await redrive(letter);
    await trigger.passes.redrive();
    await trigger.passes.dispatch();
    expect(await answer(scheduleId)).toBe('03-01T01:00:00 schedule skipped native');
    expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
  });
});
