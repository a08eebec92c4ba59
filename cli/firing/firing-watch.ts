import type { FiringsPage } from '../../client/list/firings';
import type { Firing } from '../../index';
import { waited } from '../output/watch';

/** Each poll reads this many of the newest firings again, so that changes of their state are seen. */
const READ_AGAIN = 200;
const AGAIN_AFTER_MILLISECONDS = 1_000;
/**
 * The maximum number of pages of new firings that one poll reads, so that a burst of firings does not block the
 * display.
 */
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
  const { firings } = await read({ pageSize: Math.max(first, READ_AGAIN) });
  // Remember firings that are too old to be shown, so that later polls do not show them as new.
  const [shown, older] = [firings.slice(0, first), firings.slice(first)];
  for (const one of older) isNews(known, one);
  tail.show(shown.filter((one) => isNews(known, one)).reverse());
  while (await waited(AGAIN_AFTER_MILLISECONDS, signal)) {
    try {
      tail.show((await readNews(read, known)).reverse());
    } catch (error) {
      tail.fail(error as Error);
    }
  }
}

/** Reads further pages, up to {@link PAGES_AT_MOST} in all, while a page has only firings that are new or changed. */
async function readNews(read: ReadNewest, known: Map<string, string>): Promise<Firing[]> {
  const news: Firing[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const { firings, nextCursor } = await read({
      pageSize: READ_AGAIN,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const fresh = firings.filter((one) => isNews(known, one));
    news.push(...fresh);
    if (fresh.length < firings.length || nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return news;
}

/** Whether the firing is new or has changed. Afterwards it counts as seen. */
function isNews(known: Map<string, string>, firing: Firing): boolean {
  const key = JSON.stringify([firing.scheduledTime, firing.scheduleId]);
  const now = JSON.stringify([firing.state, firing.outcome, firing.reason, firing.runId, firing.stalled, firing.again]);
  if (known.get(key) === now) return false;
  known.set(key, now);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return true;
}
