import type { ServerContext } from './context';

interface Remembered<Value> {
  value: Promise<Value>;
  /** By the process's own clock. */
  readAt: number;
  isRefreshing: boolean;
}

/** Answers that are kept of one read: each tenant and question has its own. */
const KEPT_AT_MOST = 200;
/** What is older than so many times its freshness is read anew before it is answered. */
const STALE_TIMES = 12;

/**
 * A costly read that many pages ask for: read once for all who ask meanwhile, and again in the background when it is older than
 * `freshMilliseconds`. What is answered is at most twelve times as old.
 */
export function remember<Question, Value>(
  freshMilliseconds: number,
  read: (server: ServerContext, question: Question) => Promise<Value>,
): (server: ServerContext, question: Question) => Promise<Value> {
  const servers = new WeakMap<ServerContext, Map<string, Remembered<Value>>>();
  return async (server, question) => {
    const kept = servers.get(server) ?? new Map<string, Remembered<Value>>();
    servers.set(server, kept);
    const key = JSON.stringify(question) ?? '';
    const known = kept.get(key);
    const age = known ? Date.now() - known.readAt : Number.POSITIVE_INFINITY;
    if (known && age < freshMilliseconds) return known.value;
    const fresh = () => {
      const value = read(server, question);
      const one = { value, readAt: Date.now(), isRefreshing: false };
      // A read that failed is not kept.
      value.then(
        () => kept.set(key, one),
        () => kept.get(key)?.value === value && kept.delete(key),
      );
      return one;
    };
    if (known && age < freshMilliseconds * STALE_TIMES) {
      if (!known.isRefreshing) {
        known.isRefreshing = true;
        fresh().value.catch(() => kept.delete(key));
      }
      return known.value;
    }
    const first = fresh();
    kept.set(key, first);
    if (kept.size > KEPT_AT_MOST) kept.delete(kept.keys().next().value!);
    return first.value;
  };
}
