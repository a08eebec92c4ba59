import type { TriggerContext } from '../context';
import type { GoOn } from '../lanes';

/**
 * Ask the namespaces that are away whether they answer again. No other pass waits for these answers, so a server that
 * is silent holds up nothing of the others.
 */
export async function askAway({ temporal }: TriggerContext, goOn: GoOn = () => {}): Promise<void> {
  const asked = temporal.away().filter(({ leftAloneUntil }) => leftAloneUntil === undefined);
  const asking = Promise.allSettled(asked.map((namespace) => namespace.isReady()));
  goOn();
  await asking;
}
