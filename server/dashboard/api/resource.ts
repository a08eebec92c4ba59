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
/** How often a view is read anew. */
const EVERY_MILLISECONDS = 5_000;
const readers = new Set<() => void>();

/** Read anew whatever is shown: something changed. */
export function reloadAll(): void {
  for (const read of readers) read();
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
 */
export function useResource<Answer>(
  path: string | undefined,
  { every = EVERY_MILLISECONDS }: { every?: number } = {},
): Resource<Answer> {
  const [state, setState] = useState<{ path: string | undefined; problem?: ApiProblem | undefined }>({ path });
  const [, setCount] = useState(0);
  const [reader] = useState<{ read: () => void }>({ read: () => undefined });
  useEffect(() => {
    if (path === undefined) return;
    let stopped = false;
    let asked: AbortController | undefined;
    const read = async () => {
      asked?.abort();
      const own = new AbortController();
      asked = own;
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
    reader.read = again;
    readers.add(again);
    again();
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), every);
    return () => {
      stopped = true;
      asked?.abort();
      clearInterval(timer);
      readers.delete(again);
    };
  }, [path, every, reader]);
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
