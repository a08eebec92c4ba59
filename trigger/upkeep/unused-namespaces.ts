import { readLinkedNamespaces, readNamespaces } from '../../store/firings/adopt';
import { readRedrivenNamespaces } from '../../store/letters/redrive';
import type { TriggerContext } from '../context';

/**
 * Forget namespaces that are away and that no live schedule, open firing or redrive uses, such as a mistyped name.
 * Without this, a namespace that nobody uses would be reported as away until the trigger ends.
 */
export async function forgetUnusedNamespaces({ store, temporal, clock, logger }: TriggerContext): Promise<void> {
  const away = temporal.away();
  if (away.length === 0) return;
  const used = new Set([
    ...(await readNamespaces(store, new Date(clock.now()))),
    ...(await readLinkedNamespaces(store)),
    // A redrive is refused only once its namespace has been missing for long.
    ...(await readRedrivenNamespaces(store)),
  ]);
  for (const { name } of away) {
    if (used.has(name)) continue;
    temporal.forget(name);
    logger.info('a namespace that is away is forgotten: no schedule starts there any more', {
      namespace: name,
    });
  }
}
