import { useEffect, useState } from 'preact/hooks';
import { request } from '../api/request';
import { reloadAll, reloadOlder, setLive } from '../api/resource';
import { type StreamEvent, streamEvents } from './stream';

/** Whether the server says by itself what happens. */
let isLive = false;
const listeners = new Set<() => void>();

/** Events come in crowds: what is shown is read again at most so often. */
const AT_MOST_EACH_MILLISECONDS = 1_000;
/** Tries to reach the stream follow each other by so much, and then by ever more. */
const AGAIN_AFTER_MILLISECONDS = 3_000;
const AGAIN_AT_MOST_MILLISECONDS = 60_000;
/** The server says every 15 seconds that it is there; who hears nothing for longer has lost it, or a proxy holds it back. */
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

/** Read again what is shown when the server says that something happened; every few seconds where it cannot say so. */
export function useLive(): void {
  useEffect(() => {
    const stopped = new AbortController();
    const isSeenAgain = () => document.visibilityState === 'visible' && reloadAll();
    document.addEventListener('visibilitychange', isSeenAgain);
    void follow(stopped.signal);
    return () => {
      stopped.abort();
      document.removeEventListener('visibilitychange', isSeenAgain);
      change(false);
    };
  }, []);
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
      // Not by EventSource: that sends no token.
      const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
      const response = await request('v1/events', { headers, signal: own.signal });
      for await (const event of streamEvents(response.body!)) {
        clearTimeout(silence);
        silence = setTimeout(stop, SILENT_MILLISECONDS);
        // Not before something came: a proxy may hold all of it back.
        change(true);
        wait = AGAIN_AFTER_MILLISECONDS;
        lastId = event.id ?? lastId;
        hear(event);
      }
    } catch {
      // Another try follows; meanwhile everything is read every few seconds.
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
let reloadedAt = 0;

function hear({ event, data }: StreamEvent): void {
  if (data === undefined || event === 'end' || timer !== undefined) return;
  const wait = Math.max(50, reloadedAt + AT_MOST_EACH_MILLISECONDS - Date.now());
  timer = setTimeout(() => {
    timer = undefined;
    reloadedAt = Date.now();
    if (document.visibilityState === 'visible') reloadOlder();
  }, wait);
}
