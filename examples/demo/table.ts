import type { Firing } from 'escapement';
import { lagOf, linkOf, nameOf, stateOf, statusOf } from './format';
import type { View } from './view';

const COLUMNS = ['firing', 'lag', 'state', 'outcome', 'in Temporal'];
const WIDTHS = [26, 9, 18, 11];
const ROWS_AT_MOST = 15;
const GAP = '  ';
const ESCAPE = '\u001b';

/** A table of the latest firings that is redrawn in place, with notes above it. */
export function liveTable(out: NodeJS.WriteStream, uiUrl: string | undefined): View {
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) out.write(`${ESCAPE}[${drawn}A${ESCAPE}[0J`);
    drawn = 0;
  };
  let latest: string[] = [];
  const draw = () => {
    erase();
    out.write(latest.map((line) => `${line}\n`).join(''));
    drawn = latest.length;
  };
  return {
    update(firings, totals) {
      const room = Math.max(1, Math.min(ROWS_AT_MOST, (out.rows ?? 24) - 4));
      const rows = firings.slice(0, room).reverse();
      latest = [
        '',
        fit(COLUMNS, out.columns),
        ...rows.map((firing) => rowOf(firing, uiUrl, out.columns)),
        truncate(statusOf(totals), out.columns),
      ];
      draw();
    },
    note(text) {
      erase();
      out.write(`${text}\n`);
      draw();
    },
    close() {
      latest = [];
      drawn = 0;
    },
  };
}

/**
 * The text of the link is cut to the terminal's width. On terminals with hyperlinks, it still leads to the full
 * address.
 */
function rowOf(firing: Firing, uiUrl: string | undefined, columns: number): string {
  const link = linkOf(firing, uiUrl);
  const cells = [nameOf(firing), lagOf(firing), stateOf(firing), firing.outcome ?? firing.reason ?? '', link];
  const line = fit(cells, columns);
  if (!uiUrl || link === '') return line;
  const start = fit(cells.slice(0, -1), Number.POSITIVE_INFINITY).length + GAP.length;
  if (start >= line.length) return line;
  return `${line.slice(0, start)}${ESCAPE}]8;;${link}${ESCAPE}\\${line.slice(start)}${ESCAPE}]8;;${ESCAPE}\\`;
}

function fit(cells: string[], columns: number): string {
  return truncate(cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join(GAP), columns);
}

/** A line that wraps would break the redrawing in place. */
function truncate(line: string, columns: number): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}
