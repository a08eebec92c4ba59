import type { ListedRuns, RunsPage } from '../../temporal/port';
import type { TriggerContext } from '../context';

/**
 * A page of the runs that any ledger has started in a namespace. Returns undefined while the trigger does not call the
 * namespace.
 */
export async function listRuns(
  { temporal }: TriggerContext,
  namespace: string,
  page: RunsPage,
): Promise<ListedRuns | undefined> {
  const nothing = { runs: [], next: undefined };
  const door = temporal.of(namespace);
  try {
    if (door.leftAloneUntil === undefined) return (await door.listRuns(page)) ?? nothing;
  } catch (error) {
    if (!door.isMissing) throw error;
  }
  // A namespace that does not exist has no runs.
  return door.isMissing ? nothing : undefined;
}
