import type { WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import { BURY_AGAIN_ENDS_PATCH } from '../../../core/letters/park-patch';
import { useAskedSteps } from '../../workflows/asked-steps';

const { parking, redrive, decidedWhileAsked, hasCancelled, readLetters } = useAskedSteps();

it.each(['at once', 'timer'] as const)('a run replays that cancelled its step while it was asked: %s', async (way) => {
  const decide = (run: WorkflowHandle) => run.signal('over');
  const { execution, mail } = await decidedWhileAsked('cut', { workflowType: 'limited', way, decide });
  await parking.replay(execution, [parking.plugin()]);
  await mail();
  expect(await execution.result()).toEqual(['cancelled', 'sendMail A1']);
  await parking.replay(execution, [parking.plugin()]);
  expect(await readLetters()).toEqual([]);
});

it('a run of which a question outlived its step, as in the version before, replays', async () => {
  const patchActivationCallback = ({ patchId }: { patchId: string }) => patchId !== BURY_AGAIN_ENDS_PATCH;
  const { execution, mail } = await decidedWhileAsked('holdAnswers', {
    worker: { patchActivationCallback },
    decide: redrive,
  });
  expect(await readLetters()).toHaveLength(1);
  expect(await hasCancelled(execution)).toBe(false);
  await parking.replay(execution, [parking.plugin()]);
  await mail();
  await execution.result();
  await parking.replay(execution, [parking.plugin()]);
});
