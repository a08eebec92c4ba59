import { describe, expect, it } from 'vitest';
import { BURY_AGAIN_PATCH } from '../../../core/letters/park-patch';
import { useLostLetters } from '../../support/failures/lost-letters';
import { useParking } from '../../support/failures/parking';
import { useLedger } from '../../support/ledger';

// Long before Temporal’s own clock, so that all of the namespace’s runs are from after it.
const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger, { ownNamespace: true });
const { parkedOrder, failOver, readLetters, settled, listedAsParking } = useLostLetters(ledger, parking);

describe('after a failover that lost the letter of a parked step', () => {
  it('it comes back beside that of another step of its run, which keeps what a person asked for', async () => {
    const { execution } = await parkedOrder({ workflowType: 'both', letters: 2 });
    const [kept, lost] = await readLetters();
    await ledger().client.deadLetters.discard(kept!.letter_id, { note: 'the customer has left' });
    await failOver(`delete from escapement.dead_letters where letter_id = '${lost!.letter_id}'`);
    await expect.poll(readLetters, { timeout: 60_000 }).toHaveLength(2);
    await settled(execution);
    expect(await readLetters()).toMatchObject([
      { letter_id: kept!.letter_id, state: 'redriving', note: 'the customer has left' },
      { letter_id: lost!.letter_id, state: 'open', failed_step: lost!.failed_step },
    ]);
  });

  it('it comes back where a reset has taken the step along, and its redrive reaches the run that waits', async () => {
    const { execution, steps } = await parkedOrder();
    const [lost] = await readLetters();
    // One more workflow task, so that a reset to it keeps what came before.
    await execution.signal('nudge');
    await settled(execution);
    await parking.reset(execution, 'last');
    await listedAsParking(execution);
    const { trigger } = await failOver('delete from escapement.dead_letters');
    expect(await parking.letters(1)).toMatchObject([{ letter_id: lost!.letter_id, failed_step: lost!.failed_step }]);
    steps.broken.clear();
    await ledger().client.deadLetters.redrive(lost!.letter_id);
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  });

  it('whose run has ended meanwhile, nothing is left to decide', async () => {
    const { execution } = await parkedOrder();
    await execution.terminate();
    const { trigger, aMinuteLater } = await failOver('delete from escapement.dead_letters');
    await aMinuteLater();
    await trigger.passes.observe();
    expect(await readLetters()).toEqual([]);
    expect(await ledger().query('select state, outcome from escapement.firings')).toEqual([
      { state: 'closed', outcome: 'terminated' },
    ]);
  });
});

it('a run that was asked by what knew no such question, or at the very end, replays', async () => {
  // As in the previous version, which ignored the signal.
  const patchActivationCallback = ({ patchId }: { patchId: string }) => patchId !== BURY_AGAIN_PATCH;
  const before = await parkedOrder({ worker: { patchActivationCallback } });
  await before.execution.signal('escapementPark', { decision: 'bury' });
  await settled(before.execution);
  await before.stop();
  const { stop } = await before.work();
  await parking.replay(before.execution, [parking.plugin()]);

  // Both in one task: it ends before the ledger has answered.
  await stop();
  await before.execution.signal('escapementPark', { decision: 'bury' });
  await parking.decide(before.execution, { decision: 'discard' });
  await parking.work({
    taskQueue: (await before.execution.describe()).taskQueue,
    activities: before.steps.activities,
    plugins: [parking.plugin()],
  });
  await expect(before.execution.result()).rejects.toMatchObject({ cause: { activityType: 'chargeCard' } });
  await parking.replay(before.execution, [parking.plugin()]);
});
