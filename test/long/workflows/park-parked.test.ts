import type { ActivityExecuteInput } from '@temporalio/worker';
import { describe, expect, it, vi } from 'vitest';
import type { ParkedStep } from '../../../core/letters/failed-step';
import type { BuryAnswer, BuryRequest } from '../../../core/letters/park';
import { openStore } from '../../../store/connection';
import { buryStep, mayHaveLostFiring } from '../../../store/letters/park-step';
import { watchedPool } from '../../support/connections/watched-pool';
import { Steps } from '../../support/failures/parking';
import { gate } from '../../support/leases/lease-activities';
import { uniqueName } from '../../support/ledger';
import { useParkedOrders } from '../../workflows/parked-order';

const { ledger, parking, parkedOrder } = useParkedOrders();

describe('a parked step', () => {
  it('is decided with the one that failed before it, though that was buried after it', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const second = gate();
    const late = {
      execute: async (input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) => {
        const { step } = input.args[0] as Partial<BuryRequest>;
        if (step?.burial === 1) await second.promise;
        return next(input).finally(() => step?.burial === 2 && second.open());
      },
    };
    const interceptors = { activity: [() => ({ inbound: late })] };
    const plugins = [parking.plugin({ park: 'all' })];
    await parking.work({ taskQueue, activities: steps.activities, plugins, interceptors });
    const execution = await parking.fire('both', taskQueue);
    await expect.poll(() => execution.query('escapementParked').catch(() => []), { timeout: 60_000 }).toHaveLength(2);
    const metadata = () => execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata');
    await expect.poll(async () => (await metadata()).currentDetails).toMatch(/Parked at [\s\S]*Parked at /);
    const letters = await parking.letters(2);
    const { burial, runId } = letters.find(({ failed_step }) => failed_step.burial === 2)!.failed_step;
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial, runId });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('is decided with the step before it that has the same letter, as the version before gave to both', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const first = gate();
    let shared: BuryAnswer | undefined;
    const ofOneLetter = {
      execute: async (input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) => {
        const { step } = input.args[0] as Partial<BuryRequest>;
        if (step?.burial === 2) await first.promise;
        const answer = (await next(input)) as BuryAnswer;
        if (step?.burial === 1) shared = answer;
        if (step?.burial === 1) first.open();
        return step?.burial === 2 ? shared : answer;
      },
    };
    const interceptors = { activity: [() => ({ inbound: ofOneLetter })] };
    const plugins = [parking.plugin({ park: 'all' })];
    await parking.work({ taskQueue, activities: steps.activities, plugins, interceptors });
    const execution = await parking.fire('both', taskQueue);
    const metadata = () => execution.query<{ currentDetails: string }, []>('__temporal_workflow_metadata');
    await expect
      .poll(async () => (await metadata().catch(() => undefined))?.currentDetails, { timeout: 60_000 })
      .toMatch(/Parked at [\s\S]*Parked at /);
    const { letterId, runId } = shared as Extract<BuryAnswer, { decision: 'park' }>;
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 2, runId, letterId });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('is shown and buried though its failure’s text cannot be stored', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire('order', taskQueue, [`A\0${'x'.repeat(983)}🕰️`]);
    const [letter] = await parking.letters(1);
    expect(letter!.failed_step.failure.message).toBe(`chargeCard of A\uFFFD${'x'.repeat(983)}\uFFFD`);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('is not decided by a signal that says nothing', async () => {
    const { steps, execution } = await parkedOrder();
    await execution.signal('escapementPark');
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 1 }]);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    await execution.result();
  });

  it('that failed again after a reset is not decided by what was said of the run before', async () => {
    const { steps, execution, letter } = await parkedOrder();
    await parking.reset(execution, 'first');
    const again = await vi.waitFor(async () => {
      const [row] = await parking.letters(1);
      expect(row!.failed_step.runId).not.toBe(letter.failed_step.runId);
      return row!;
    }, 60_000);
    await parking.decide(execution, { decision: 'discard', burial: 1, runId: letter.failed_step.runId });
    expect(await execution.query('escapementParked')).toMatchObject([{ burial: 1 }]);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive', burial: 1, runId: again.failed_step.runId });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('keeps its letter when it is buried twice, and has one of its own; one that is not this firing’s has none', async () => {
    const { execution, letter } = await parkedOrder();
    const store = openStore({ connectionString: ledger().databaseUrl });
    const { scheduleId, scheduledTime, installation, epoch } = (await execution.describe()).memo!
      .escapement as BuryRequest;
    const { runId, ...step } = letter.failed_step;
    const { letter_id } = letter;
    const bury = (
      burial: number,
      otherwise: Partial<Pick<BuryRequest, 'installation' | 'epoch'>> = {},
      another: Partial<ParkedStep> = {},
    ) =>
      buryStep(store, {
        failedAt: Date.now(),
        ...{ installation, scheduleId, scheduledTime, epoch, runId, workflowId: execution.workflowId, ...otherwise },
        step: { ...step, burial, ...another },
      });
    expect(await bury(1)).toBe(letter_id);
    const other = await bury(2);
    expect([other === letter_id, await bury(2)]).toEqual([false, other]);
    // The worker died after it wrote the letter; in the next workflow task another step failed first.
    await ledger().query(`update escapement.dead_letters set state = 'discarded' where letter_id = '${other}'`);
    expect(await bury(2, {}, { activityId: '9', activityType: 'cleanUp' })).toBe(other);
    expect(await parking.letters(2)).toContainEqual(
      expect.objectContaining({ letter_id: other, failed_step: expect.objectContaining({ activityType: 'cleanUp' }) }),
    );
    // The same firing key in another ledger, and a firing that was restarted meanwhile.
    expect(await bury(4, { installation: 'another' })).toBeUndefined();
    expect(await bury(4, { epoch: 1 })).toBeUndefined();
    const mayHaveLost = (otherwise: object = {}) =>
      mayHaveLostFiring(store, { installation, scheduleId, scheduledTime, epoch, ...otherwise });
    expect(await mayHaveLost()).toBe(false);
    // A failover lost its restart, or its row; nothing can be lost of another ledger or of an erased schedule.
    expect(await mayHaveLost({ epoch: 1 })).toBe(true);
    expect(await mayHaveLost({ scheduledTime: '2026-03-01T00:00:00Z' })).toBe(true);
    expect(await mayHaveLost({ epoch: 1, installation: 'another' })).toBe(false);
    expect(await mayHaveLost({ epoch: 1, scheduleId: 'erased' })).toBe(false);
    await store.close();
    await parking.letters(2);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });

  it('is parked though the row of its firing comes back while the ledger is asked about it', async () => {
    const taskQueue = uniqueName('queue');
    const execution = await parking.fire('order', taskQueue);
    await ledger().query('create table kept as select * from escapement.firings');
    await ledger().query('delete from escapement.firings');
    const before = async (text: string) => {
      if (text.includes('as lost')) await ledger().query('insert into escapement.firings select * from kept');
    };
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const pool = watchedPool(ledger(), { before });
    const plugins = [parking.plugin({ connectionString: undefined, pool })];
    await parking.work({ taskQueue, activities: steps.activities, plugins });
    await parking.letters(1);
    expect((await execution.describe()).status.name).toBe('RUNNING');
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });
});
