import type { Firing } from 'escapement';
import { clock, lagOf, linkOf, nameOf, stateOf, statusOf } from './format';
import type { View } from './view';

const STATUS_EVERY_MILLISECONDS = 15_000;

/** Output for logs: one line per change, and a status line from time to time. */
export function logLines(write: (line: string) => void, uiUrl: string | undefined): View {
  const known = new Map<string, string>();
  const linked = new Set<string>();
  let statusAt = Date.now() + STATUS_EVERY_MILLISECONDS;
  const stamped = (text: string) => write(`${clock(new Date())}  ${text}`);
  return {
    update(firings, totals) {
      for (const firing of [...firings].reverse()) {
        const text = `${stateOf(firing)} ${firing.outcome ?? firing.reason ?? ''}`.trim();
        if (known.get(nameOf(firing)) === text) continue;
        known.set(nameOf(firing), text);
        // Print the link once, when the run exists.
        const link = firing.runId && !linked.has(nameOf(firing)) ? linkOf(firing, uiUrl) : '';
        if (link) linked.add(nameOf(firing));
        stamped(lineOf(firing, text, link));
      }
      if (Date.now() < statusAt) return;
      statusAt = Date.now() + STATUS_EVERY_MILLISECONDS;
      stamped(`status: ${statusOf(totals)}`);
    },
    note: stamped,
    close() {},
  };
}

function lineOf(firing: Firing, text: string, link: string): string {
  const lag = `lag ${lagOf(firing)}`;
  return `${nameOf(firing).padEnd(24)}  ${lag.padEnd(11)}  ${text.padEnd(27)}  ${link}`.trimEnd();
}
