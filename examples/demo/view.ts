import type { Firing } from 'escapement';
import type { Totals } from './totals';

/** What the demo shows while it runs. */
export interface View {
  /** The latest firings, newest first, and the counts of all. */
  update(firings: Firing[], totals: Totals): void;
  /** A sentence about something that happened. */
  note(text: string): void;
  /** Nothing is drawn in place any more. */
  close(): void;
}
