import { useEffect, useState } from 'preact/hooks';
import { request } from '../api/request';
import { reloadAll } from '../api/resource';

/** Whether the server says by itself what happens. */
let isConnected = false;
const listeners = new Set<() => void>();

/** Events come in crowds: what is shown is read again at most so often. */
const AT_MOST_EACH_MILLISECONDS = 1_000;
const AGAIN_AFTER_MILLISECONDS = 5_000;

function setConnected(connected: boolean): void {
  if (connected === isConnected) return;
  isConnected = connected;
  for (const changed of listeners) changed();
}

export function useLiveState(): { isConnected: boolean } {
  const [, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((count) => count + 1);
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return { isConnected };
}

/** Read again what is shown when the server says that something happened. Not by EventSource: that sends no token. */
export function useLive(): void {
  useEffect(() => {
    const stopped = new AbortController();
    void follow(stopped.signal);
    return () => {
      stopped.abort();
      setConnected(false);
    };
  }, []);
}

async function follow(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastId !== undefined) headers['last-event-id'] = lastId;
      const response = await request('v1/events', { headers, signal });
      setConnected(true);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split('\n');
        rest = lines.pop()!;
        for (const line of lines) if (line.startsWith('id:')) lastId = line.slice(3).trim();
        if (lines.some((line) => line.startsWith('data:'))) soon();
      }
    } catch {
      // Another try follows; meanwhile everything is read every few seconds.
    }
    setConnected(false);
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MILLISECONDS));
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
let reloadedAt = 0;

function soon(): void {
  if (timer !== undefined) return;
  const wait = Math.max(50, reloadedAt + AT_MOST_EACH_MILLISECONDS - Date.now());
  timer = setTimeout(() => {
    timer = undefined;
    reloadedAt = Date.now();
    if (document.visibilityState === 'visible') reloadAll();
  }, wait);
}
