import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, json } from './request';

/** What was read of a path last, and how that went. */
export interface Resource<Answer> {
  /** The last answer; undefined until there is one. */
  data: Answer | undefined;
  /** Why there is no newer one; undefined while all is well. */
  problem: ApiProblem | undefined;
  reload: () => void;
}

/** Answers by path, so that going back shows at once what was there. */
const kept = new Map<string, unknown>();
const KEPT_AT_MOST = 100;
/** How often a view is read again. */
const EVERY_MILLISECONDS = 5_000;
/** And where the server says by itself what happens: it does not tell of pauses, and time goes on. */
const LIVE_EVERY_MILLISECONDS = 30_000;
/** What is read every so often is read sooner for an event, but not again within a fifth of that. */
const SOONEST = 5;

interface Reader {
  read: () => void;
  /** How often, where nothing is told. */
  every: number;
  readAt: number;
}

const readers = new Set<Reader>();
let isLive = false;

/** Read again whatever is shown: something changed. */
export function reloadAll(): void {
  for (const { read } of readers) read();
}

/** Something happened: read again, except what was read a moment ago. */
export function reloadOlder(): void {
  for (const { read, every, readAt } of readers) if (Date.now() - readAt >= every / SOONEST) read();
}

/** Say whether the server tells what happens. */
export function setLive(to: boolean): void {
  isLive = to;
}

/** Forget what was read, as after another token. */
export function forgetAll(): void {
  kept.clear();
  reloadAll();
}

/**
 * What the server answers to a path, read again while it is shown.
 *
 * @param path undefined reads nothing
 * @param isUntold whether no event tells of it: it is read as often where the server says what happens
 */
export function useResource<Answer>(
  path: string | undefined,
  { every = EVERY_MILLISECONDS, isUntold = false }: { every?: number; isUntold?: boolean } = {},
): Resource<Answer> {
  const [state, setState] = useState<{ path: string | undefined; problem?: ApiProblem | undefined }>({ path });
  const [, setCount] = useState(0);
  const [reader] = useState<Reader>({ read: () => undefined, every, readAt: 0 });
  useEffect(() => {
    if (path === undefined) return;
    let stopped = false;
    let asked: AbortController | undefined;
    const read = async () => {
      asked?.abort();
      const own = new AbortController();
      asked = own;
      reader.readAt = Date.now();
      try {
        keep(path, await json<Answer>(path, { signal: own.signal }));
        if (!stopped) setState({ path });
      } catch (error) {
        if (stopped || (error as Error).name === 'AbortError') return;
        setState({ path, problem: error as ApiProblem });
      }
      if (!stopped) setCount((count) => count + 1);
    };
    const again = () => void read();
    Object.assign(reader, { read: again, every });
    readers.add(reader);
    again();
    const isOld = () =>
      Date.now() - reader.readAt >= (isLive && !isUntold ? Math.max(every, LIVE_EVERY_MILLISECONDS) : every) - 500;
    const timer = setInterval(() => document.visibilityState === 'visible' && isOld() && again(), every);
    return () => {
      stopped = true;
      asked?.abort();
      clearInterval(timer);
      readers.delete(reader);
    };
  }, [path, every, isUntold, reader]);
  return {
    data: path === undefined ? undefined : (kept.get(path) as Answer | undefined),
    problem: state.path === path ? state.problem : undefined,
    reload: () => reader.read(),
  };
}

function keep(path: string, answer: unknown): void {
  kept.delete(path);
  kept.set(path, answer);
  if (kept.size > KEPT_AT_MOST) kept.delete(kept.keys().next().value!);
}
