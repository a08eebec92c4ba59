import { expect, it } from 'vitest';
import { useAskedSteps } from './asked-steps';

const { parking, decidedWhileAsked, hasCancelled, readLetters } = useAskedSteps();

it('what is still asked when its step is decided ends with the step: no letter comes that nobody needs', async () => {
  const { execution, mail } = await decidedWhileAsked('cut');
  expect(await readLetters()).toEqual([]);
  expect(await hasCancelled(execution)).toBe(true);
  await parking.replay(execution, [parking.plugin()]);
  await mail();
  expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  await parking.replay(execution, [parking.plugin()]);
  expect(await readLetters()).toEqual([]);
});
