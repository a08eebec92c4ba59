import type { Firing } from 'escapement';
import type { Totals } from './totals';

/** The display of the demo while it runs. */
export interface View {
  /** The latest firings, newest first, and the counts of all. */
  update(firings: Firing[], totals: Totals): void;
  /** Show a sentence about an event. */
  note(text: string): void;
  /** Stop redrawing in place. */
  close(): void;
}
