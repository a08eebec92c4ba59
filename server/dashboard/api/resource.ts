import { useEffect, useRef, useState } from 'preact/hooks';
import { type Reads, readsOf } from './reads';
import { type ApiProblem, json } from './request';

export interface Resource<Answer> {
  /** The last answer; undefined before the first one. */
  data: Answer | undefined;
  /** Why the last read of the path failed; undefined if it succeeded. */
  problem: ApiProblem | undefined;
  reload: () => void;
}

/** Cached answers by path, so that the browser's Back shows the former page at once. */
const kept = new Map<string, unknown>();
const KEPT_AT_MOST = 100;
/** The usual interval between two reads of a path without an event stream. */
const EVERY_MILLISECONDS = 5_000;
/**
 * The interval between two reads while the event stream is connected. The reads go on, since events do not cover all
 * changes, such as pauses.
 */
const LIVE_EVERY_MILLISECONDS = 30_000;
/**
 * An event triggers an earlier read, but not before a fifth of the reader's own interval has passed since the last one.
 */
const SOONEST = 5;

interface Reader {
  reads: Reads;
  /** The interval without an event stream. */
  every: number;
}

const readers = new Set<Reader>();
let isLive = false;
let isHeld = false;

export function reloadAll(): void {
  for (const { reads } of readers) reads.again();
}

/** Like {@link reloadAll}, but a path that was read a moment ago is read again a little later. */
export function reloadOlder(): void {
  for (const { reads, every } of readers) reads.againNotBefore(every / SOONEST);
}

export function setLive(to: boolean): void {
  isLive = to;
}

/** Read nothing until `goOn`, since the server wants a token first. */
export function hold(): void {
  isHeld = true;
}

export function goOn(): void {
  isHeld = false;
  reloadAll();
}

/** Forget all cached answers, which a token of another tenant may not see. */
export function forgetAll(): void {
  kept.clear();
}

/**
 * Reads a path of the API while a component shows it, and reads it again at an interval while the page is visible.
 *
 * @param path the path to read; undefined reads nothing
 * @param isUntold whether no events cover this resource, so that it keeps the short interval
 */
export function useResource<Answer>(
  path: string | undefined,
  { every = EVERY_MILLISECONDS, isUntold = false }: { every?: number; isUntold?: boolean } = {},
): Resource<Answer> {
  const [state, setState] = useState<{ path: string | undefined; problem?: ApiProblem | undefined }>({ path });
  const reads = useRef<Reads>();
  useEffect(() => {
    if (path === undefined) return;
    let stopped = false;
    const own = readsOf(async (signal) => {
      if (isHeld) return;
      try {
        keep(path, await json<Answer>(path, { signal }));
        if (!stopped) setState({ path });
      } catch (error) {
        if (!stopped) setState({ path, problem: error as ApiProblem });
      }
    });
    const reader = { reads: own, every };
    reads.current = own;
    readers.add(reader);
    own.again();
    const interval = () => (isLive && !isUntold ? Math.max(every, LIVE_EVERY_MILLISECONDS) : every) - 500;
    const timer = setInterval(() => document.visibilityState === 'visible' && own.pollIfOlderThan(interval()), every);
    return () => {
      stopped = true;
      own.stop();
      clearInterval(timer);
      readers.delete(reader);
    };
  }, [path, every, isUntold]);
  return {
    data: path === undefined ? undefined : (kept.get(path) as Answer | undefined),
    problem: state.path === path ? state.problem : undefined,
    reload: () => reads.current?.again(),
  };
}

function keep(path: string, answer: unknown): void {
  kept.delete(path);
  kept.set(path, answer);
  if (kept.size > KEPT_AT_MOST) kept.delete(kept.keys().next().value!);
}
