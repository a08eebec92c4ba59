import { hasNothingLeft } from '../../core/decisions/nothing-left';
import { readForgottenTimers, recordCompleted } from '../../store/schedules/forgotten';
import { byHalves } from '../by-halves';
import type { TriggerContext } from '../context';

/** How many specs are compiled at once. Compiling the most expensive ones takes less than half a second. */
const PAGE = 20;

/**
 * Complete schedules whose last occurrence was answered by a trigger before ledger schema 20: such a trigger does not
 * record that a schedule is completed.
 */
export async function complete(context: TriggerContext): Promise<void> {
  const { store, stopping } = context;
  let after = '';
  while (!stopping.aborted) {
    const page = await readForgottenTimers(store, { after, atMost: PAGE });
    const completed = page.filter(hasNothingLeft);
    await byHalves(context, 'the completion of a schedule', completed, (some) => recordCompleted(store, some));
    if (page.length < PAGE) return;
    after = page.at(-1)!.scheduleId;
  }
}
