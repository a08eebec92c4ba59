import { useEffect, useState } from 'preact/hooks';
import { request } from '../api/request';
import { reloadAll, reloadOlder, setLive } from '../api/resource';
import { type StreamEvent, streamEvents } from './stream';

let isLive = false;
const listeners = new Set<() => void>();

/** Events come in bursts, so visible views are refreshed at most this often. */
const AT_MOST_EACH_MILLISECONDS = 1_000;
/** The first pause between two attempts to connect the event stream. Later pauses grow, up to a limit. */
const AGAIN_AFTER_MILLISECONDS = 3_000;
const AGAIN_AT_MOST_MILLISECONDS = 60_000;
/**
 * After this time without any data, the stream is closed, and opened again after a pause. The server sends a sign of
 * life every 15 seconds.
 */
const SILENT_MILLISECONDS = 40_000;

export function useIsLive(): boolean {
  const [, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((count) => count + 1);
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return isLive;
}

/** Refresh the visible views on events from the server, unless it wants a token first. */
export function useLive(isHeld: boolean): void {
  useEffect(() => {
    if (isHeld) return;
    const stopped = new AbortController();
    const isSeenAgain = () => document.visibilityState === 'visible' && reloadAll();
    document.addEventListener('visibilitychange', isSeenAgain);
    void follow(stopped.signal);
    return () => {
      stopped.abort();
      document.removeEventListener('visibilitychange', isSeenAgain);
      change(false);
    };
  }, [isHeld]);
}

async function follow(stopped: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let wait = AGAIN_AFTER_MILLISECONDS;
  while (!stopped.aborted) {
    const own = new AbortController();
    const stop = () => own.abort();
    stopped.addEventListener('abort', stop);
    let silence = setTimeout(stop, SILENT_MILLISECONDS);
    try {
      // The stream is read by `fetch`, since `EventSource` cannot send a token.
      const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
      const response = await request('v1/events', { headers, signal: own.signal });
      for await (const event of streamEvents(response.body!)) {
        clearTimeout(silence);
        silence = setTimeout(stop, SILENT_MILLISECONDS);
        // The stream counts as connected only once data have arrived, since a proxy may buffer everything.
        change(true);
        wait = AGAIN_AFTER_MILLISECONDS;
        lastId = event.id ?? lastId;
        hear(event);
      }
    } catch {
      // Another attempt follows after a pause.
    }
    clearTimeout(silence);
    stopped.removeEventListener('abort', stop);
    change(false);
    if (stopped.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, AGAIN_AT_MOST_MILLISECONDS);
  }
}

function change(to: boolean): void {
  if (to === isLive) return;
  isLive = to;
  setLive(to);
  for (const changed of listeners) changed();
}

let timer: ReturnType<typeof setTimeout> | undefined;
let reloadedAt = Number.NEGATIVE_INFINITY;

function hear({ event, data }: StreamEvent): void {
  if (data === undefined || event === 'end' || timer !== undefined) return;
  const wait = Math.max(50, reloadedAt + AT_MOST_EACH_MILLISECONDS - performance.now());
  timer = setTimeout(() => {
    timer = undefined;
    reloadedAt = performance.now();
    if (document.visibilityState === 'visible') reloadOlder();
  }, wait);
}
