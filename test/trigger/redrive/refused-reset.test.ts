import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import type { RunReset } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { useFailedFirings } from '../recover/failed-firings';

const { ledger, deployments, steps, failed, onlyLetter, firing, redrive } = useFailedFirings();

/** A trigger whose requests to reset a run reach Temporal with these changes. */
async function resetting(changes: Partial<RunReset>): Promise<Trigger> {
  const { clock, databaseUrl, log: logger } = ledger();
  const trigger = await Trigger.createOn({ connectionString: databaseUrl, clock, logger }, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const call = port.reset.bind(port);
    port.reset = async (request) => {
      // Temporal then answers all further questions as it does about a workflow that its retention has removed.
      const { workflowId } = changes;
      if (workflowId) await ledger().query('update escapement.firings set workflow_id = $1', [workflowId]);
      return call({ ...request, ...changes });
    };
    return oneServer(port);
  });
  ledger().beforeClose(() => trigger.close());
  return trigger;
}

it.each<[string, Partial<RunReset>, string]>([
  ['refuses to reset', { eventId: 1 }, 'Temporal refused to reset its run'],
  ['no longer has when it is asked to reset it', { workflowId: 'gone' }, 'Temporal no longer has its run'],
])('a run that Temporal %s keeps its end, and does not pause its schedule once more', async (_, changes, note) => {
  await deployments().deploy(steps().broken);
  const { scheduleId, letter } = await failed(await ledger().trigger());
  const trigger = await resetting(changes);
  const handle = ledger().client.getHandle(scheduleId);
  await handle.update((previous) => ({ ...previous, policies: { ...previous.policies, pauseOnFailure: true } }));
  const { state, outcome, closedAt } = await firing(scheduleId);

  await redrive(letter);
  expect(await trigger.passes.redrive()).toMatchObject({ refused: 1 });
  ledger().clock.advance(120_000);
  await trigger.passes.observe();
  expect((await handle.describe()).state.paused).toBe(false);
  expect(await firing(scheduleId)).toMatchObject({ state, outcome, closedAt });
  expect(await onlyLetter()).toMatchObject({ state: 'open', note: expect.stringContaining(note) });
});
