import type { FiringsPage } from '../../client/list/firings';
import type { Firing } from '../../index';
import { waited } from '../output/watch';

/** As many of the newest are read again each time, so that their ends are seen too. */
const READ_AGAIN = 200;
const AGAIN_AFTER_MILLISECONDS = 1_000;
/** Pages of what is new at most, so that a stampede holds up nothing. */
const PAGES_AT_MOST = 10;
/** Firings that were shown. It is far more than one read returns, since a firing that is forgotten would be shown again as new. */
const REMEMBERED = 20 * PAGES_AT_MOST * READ_AGAIN;

/** Read a page of the newest firings. */
export type ReadNewest = (page: { pageSize: number; cursor?: string }) => Promise<FiringsPage>;

/** What is shown of a live tail. */
export interface Tail {
  show(firings: Firing[]): void;
  /** The ledger does not answer, and is asked again. */
  fail(error: Error): void;
}

/**
 * Show the newest `first` firings, then each new one as it comes, and one again when its state has changed; until the signal.
 * Only the first read may fail.
 */
export async function tailFirings(read: ReadNewest, first: number, signal: AbortSignal, tail: Tail): Promise<void> {
  const known = new Map<string, string>();
  const { firings } = await read({ pageSize: Math.max(first, READ_AGAIN) });
  // What is not shown is known too: it is not new.
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

/** Page by page while all of a page is news. */
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

/** Whether it has not been seen as it is now. It is known from then on. */
function isNews(known: Map<string, string>, firing: Firing): boolean {
  const key = JSON.stringify([firing.scheduledTime, firing.scheduleId]);
  const now = JSON.stringify([firing.state, firing.outcome, firing.reason, firing.runId, firing.again]);
  if (known.get(key) === now) return false;
  known.set(key, now);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return true;
}
