import type { Firing } from 'escapement';
import { logLines } from './log-lines';
import { liveTable } from './table';
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

/** A live table on a terminal, lines for a log otherwise. */
export function openView(uiUrl: string | undefined): View {
  return process.stdout.isTTY ? liveTable(process.stdout, uiUrl) : logLines((line) => console.log(line), uiUrl);
}
