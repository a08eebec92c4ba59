import { LANES, NamespaceQueue } from './namespace-queue';
import type { QueuedClaim } from './queued-claim';

/** Which claims are taken. */
export interface TakeOptions {
  /** @default all, by turns */
  namespace?: string | undefined;
  /** Asked once for each claim that is taken. @default all may */
  mayGo?: (claim: QueuedClaim) => boolean;
}

/**
 * Claims that are to be started, each once: what is due now before what is handed over ahead of its time, and that before
 * what is late. Catch-up, backfill and recovery after an outage take what is left. Within each, tenants by turns, oldest
 * claim first. Each namespace has lanes of its own, so that one that is not to wait for another need not look at its
 * claims. A hint only: the rows are the truth, and dropping it loses nothing but time.
 */
export class StartQueue {
  readonly #namespaces = new Map<string, NamespaceQueue>();
  #onAdd: (namespaces: ReadonlySet<string>) => void = () => {};

  /** Those that have a time to keep. */
  get timely(): number {
    let sum = 0;
    for (const queue of this.#namespaces.values()) sum += queue.timely;
    return sum;
  }

  /** How many wait of a namespace. */
  sizeOf(namespace: string): number {
    return this.#namespaces.get(namespace)?.size ?? 0;
  }

  /** Namespaces of which anything was ever added. */
  namespaces(): Iterable<string> {
    return this.#namespaces.keys();
  }

  /** Those of which `atMost` wait, so that no more of what was missed is to be added. */
  full(atMost: number): string[] {
    return [...this.#namespaces].filter(([, queue]) => queue.size >= atMost).map(([namespace]) => namespace);
  }

  /** Call `listener` whenever something was added, with the namespaces of what was. */
  onAdd(listener: (namespaces: ReadonlySet<string>) => void): void {
    this.#onAdd = listener;
  }

  add(claims: readonly QueuedClaim[], now: number): void {
    if (claims.length === 0) return;
    const namespaces = new Set(claims.map(({ namespace }) => namespace));
    // What has come due before these goes before them.
    for (const namespace of namespaces) this.#of(namespace).advance(now);
    for (const claim of claims) this.#of(claim.namespace).add(queued(claim), now);
    this.#onAdd(namespaces);
  }

  /** Remove and return the first `limit` as of `now`. */
  take(limit: number, now: number, { namespace, mayGo = () => true }: TakeOptions = {}): QueuedClaim[] {
    const queues = namespace === undefined ? this.#inTurn() : [this.#of(namespace)];
    for (const queue of queues) queue.advance(now);
    const taken: QueuedClaim[] = [];
    for (const lane of LANES) {
      const turns = [...queues];
      while (turns.length > 0 && taken.length < limit) {
        const queue = turns.shift()!;
        const claim = queue.take(lane, mayGo);
        if (!claim) continue;
        taken.push(claim);
        turns.push(queue);
      }
    }
    return taken;
  }

  /** All that waits. */
  waiting(): QueuedClaim[] {
    return [...this.#namespaces.values()].flatMap((queue) => [...queue]);
  }

  clear(): void {
    this.#namespaces.clear();
  }

  #of(namespace: string): NamespaceQueue {
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const made = new NamespaceQueue();
    this.#namespaces.set(namespace, made);
    return made;
  }

  /** All namespaces, each the first one once: where they are more than a batch takes, none is left out for ever. */
  #inTurn(): NamespaceQueue[] {
    const [first] = this.#namespaces;
    if (first) {
      this.#namespaces.delete(first[0]);
      this.#namespaces.set(...first);
    }
    return [...this.#namespaces.values()];
  }
}

/** Its own fields, without those of the row that it was made from. */
function queued(claim: QueuedClaim): QueuedClaim {
  const { scheduleId, scheduledTime, namespace, taskQueue, tenant, kind, startsAt, dueAt, rememberedFor } = claim;
  return {
    scheduleId,
    scheduledTime,
    namespace,
    taskQueue,
    tenant,
    kind,
    startsAt,
    dueAt: dueAt ?? scheduledTime,
    rememberedFor,
  };
}
