import { logLines } from './log-lines';
import { liveTable } from './table';
import type { View } from './view';

/** A live table on a terminal, lines for a log otherwise. */
export function openView(uiUrl: string | undefined): View {
  return process.stdout.isTTY ? liveTable(process.stdout, uiUrl) : logLines((line) => console.log(line), uiUrl);
}
