import type { FiringsPage } from '../../client/list/firings';
import type { Firing } from '../../index';
import { waited } from '../output/watch';

/** Each poll reads this many of the newest firings again, so that changes of their state are seen. */
const READ_AGAIN = 200;
const AGAIN_AFTER_MILLISECONDS = 1_000;
/** The maximum number of pages that one poll reads, so that a burst of firings does not block the display. */
const PAGES_AT_MOST = 10;
/**
 * How many shown firings are remembered. This is far more than one poll reads, since a firing that was shown and
 * forgotten would be shown again as new.
 */
const REMEMBERED = 20 * PAGES_AT_MOST * READ_AGAIN;

export type ReadNewest = (page: { pageSize: number; cursor?: string }) => Promise<FiringsPage>;

export interface Tail {
  show(firings: Firing[]): void;
  /** Called if a poll fails. The next poll follows a second later. */
  fail(error: Error): void;
}

/**
 * Show the newest `first` firings, then poll until the signal for new firings, and for changes of the newest ones. An
 * error is thrown only if the first read fails.
 */
export async function tailFirings(read: ReadNewest, first: number, signal: AbortSignal, tail: Tail): Promise<void> {
  const known = new Map<string, string>();
  const isEnough = (some: Firing[]) => some.filter((one) => !isAhead(one)).length >= READ_AGAIN;
  const firings = await readPages(read, isEnough, Math.max(first, READ_AGAIN));
  // Firings that are too old to be shown are remembered too, so that later polls do not show them as new.
  remember(known, firings);
  tail.show(firings.slice(0, first).reverse());
  while (await waited(AGAIN_AFTER_MILLISECONDS, signal)) {
    try {
      tail.show((await readNews(read, known)).reverse());
    } catch (error) {
      tail.fail(error as Error);
    }
  }
}

/** Reads further pages while there are only firings that were not seen before. */
async function readNews(read: ReadNewest, known: Map<string, string>): Promise<Firing[]> {
  const seen = await readPages(read, (some) => some.some((one) => known.has(keyOf(one)) && !isAhead(one)));
  const news = seen.filter((one) => isNews(known, one));
  // Only after the last page: if a page cannot be read, the next poll must find the same news.
  remember(known, seen);
  return news;
}

/** Reads pages, up to {@link PAGES_AT_MOST}, until there are enough firings. */
async function readPages(
  read: ReadNewest,
  isEnough: (firings: Firing[]) => boolean,
  pageSize = READ_AGAIN,
): Promise<Firing[]> {
  const firings: Firing[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_AT_MOST; pages++) {
    const page = await read({ pageSize, ...(cursor === undefined ? {} : { cursor }) });
    firings.push(...page.firings);
    cursor = page.nextCursor;
    if (cursor === undefined || isEnough(firings)) break;
  }
  return firings;
}

/** Whether a firing may stay among the newest although others have come: it is excluded, or has yet to start. */
function isAhead({ reason, scheduledTime }: Firing): boolean {
  return reason === 'excluded' || scheduledTime > new Date();
}

/** Whether the firing is new or has changed. */
function isNews(known: Map<string, string>, firing: Firing): boolean {
  return known.get(keyOf(firing)) !== stateOf(firing);
}

function remember(known: Map<string, string>, firings: Firing[]): void {
  // The oldest ones come first: the first one is forgotten first, unless it is seen again.
  for (const firing of [...firings].reverse()) {
    const key = keyOf(firing);
    known.delete(key);
    known.set(key, stateOf(firing));
    if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  }
}

function keyOf({ scheduledTime, scheduleId }: Firing): string {
  return JSON.stringify([scheduledTime, scheduleId]);
}

function stateOf({ state, outcome, reason, runId, stalled, again }: Firing): string {
  return JSON.stringify([state, outcome, reason, runId, stalled, again]);
}
