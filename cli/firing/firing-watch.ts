import type { FiringsPage } from '../../client/list/firings';
import type { Firing } from '../../index';
import { waited } from '../output/watch';

/** Each poll reads this many of the newest firings again, so that state changes are seen. */
const READ_AGAIN = 200;
const AGAIN_AFTER_MILLISECONDS = 1_000;
/** Maximum number of pages of new firings per poll, so that a stampede does not block the display. */
const PAGES_AT_MOST = 10;
/**
 * Number of shown firings to remember. This is far more than one poll reads, since a forgotten firing would be shown
 * again as new.
 */
const REMEMBERED = 20 * PAGES_AT_MOST * READ_AGAIN;

/** Read one page of the newest firings. */
export type ReadNewest = (page: { pageSize: number; cursor?: string }) => Promise<FiringsPage>;

/** Events of a live tail. */
export interface Tail {
  show(firings: Firing[]): void;
  /** The ledger does not answer. The poll will be repeated. */
  fail(error: Error): void;
}

/**
 * Show the newest `first` firings, then each new one. Show a firing again when its state changes. Goes on until the
 * signal. Only an error of the first read is thrown.
 */
export async function tailFirings(read: ReadNewest, first: number, signal: AbortSignal, tail: Tail): Promise<void> {
  const known = new Map<string, string>();
  const { firings } = await read({ pageSize: Math.max(first, READ_AGAIN) });
  // Remember firings that are too old to show, so that they do not appear as new.
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

/** Read further pages while a page has only new firings. */
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

/** Whether the firing is new, or has a new state. Afterwards it counts as seen. */
function isNews(known: Map<string, string>, firing: Firing): boolean {
  const key = JSON.stringify([firing.scheduledTime, firing.scheduleId]);
  const now = JSON.stringify([firing.state, firing.outcome, firing.reason, firing.runId, firing.again]);
  if (known.get(key) === now) return false;
  known.set(key, now);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return true;
}
