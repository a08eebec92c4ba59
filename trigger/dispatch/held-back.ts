import type { TriggerContext } from '../context';
import type { LeftByTake } from './waiting-hints';

const SHORTEST_PAUSE_MILLISECONDS = 25;
/**
 * The longest pause after a take that found only held back firings, and did not read all lanes. A firing that may start
 * must not wait long behind such lanes. But a cap may hold thousands of lanes back for hours, and each take reads a
 * hundred lanes. At 100 ms the three loops of a namespace make about 30 such takes a second in each trigger. They make
 * more while claims wake them, or while the pause of the cap is shorter.
 */
const LANES_LEFT_PAUSE_MILLISECONDS = 100;

/** How long a dispatch loop pauses after a take that a cap or a busy server held back, in milliseconds. */
export function heldBackFor(
  { gates, caps, limits }: Pick<TriggerContext, 'gates' | 'caps' | 'limits'>,
  namespace: string,
  { lanesLeft }: Pick<LeftByTake, 'lanesLeft'>,
): number {
  const atMost = lanesLeft ? LANES_LEFT_PAUSE_MILLISECONDS : limits.reconcileIntervalMilliseconds;
  const pause = gates.of(namespace).pause || Math.min(caps.pauseOf(namespace), atMost);
  return Math.min(limits.reconcileIntervalMilliseconds, Math.max(SHORTEST_PAUSE_MILLISECONDS, pause));
}
