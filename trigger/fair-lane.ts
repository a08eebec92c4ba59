import { nameOf } from '../core/firing';
import type { QueuedClaim } from './queued-claim';

/** Claims of one tenant for one task queue, oldest first. */
type Group = Map<string, QueuedClaim>;

/**
 * Claims of one namespace that wait, taken by turns: one of each tenant, and of a tenant one of each task queue, so that
 * a hundred thousand of one delay another's single one by no more than a turn.
 */
export class FairLane {
  readonly #tenants = new Map<string, Map<string, Group>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(claim: QueuedClaim): void {
    const groups = entry(this.#tenants, claim.tenant, () => new Map<string, Group>());
    const group = entry(groups, claim.taskQueue, () => new Map());
    const name = nameOf(claim);
    if (!group.has(name)) this.#size += 1;
    group.set(name, claim);
  }

  delete(claim: QueuedClaim): void {
    const groups = this.#tenants.get(claim.tenant);
    const group = groups?.get(claim.taskQueue);
    if (!groups || !group?.delete(nameOf(claim))) return;
    this.#size -= 1;
    this.#tidy(claim.tenant, groups, claim.taskQueue, group);
  }

  /** The next in turn that `mayGo`, which is asked once for each claim that is taken. Undefined when there is none. */
  take(mayGo: (claim: QueuedClaim) => boolean): QueuedClaim | undefined {
    for (const [tenant, groups] of this.#tenants) {
      for (const [key, group] of groups) {
        const [name, claim] = group.entries().next().value!;
        if (!mayGo(claim)) continue;
        group.delete(name);
        this.#size -= 1;
        // To the back: it is the others' turn.
        groups.delete(key);
        groups.set(key, group);
        this.#tenants.delete(tenant);
        this.#tenants.set(tenant, groups);
        this.#tidy(tenant, groups, key, group);
        return claim;
      }
    }
    return undefined;
  }

  *[Symbol.iterator](): IterableIterator<QueuedClaim> {
    for (const groups of this.#tenants.values()) for (const group of groups.values()) yield* group.values();
  }

  #tidy(tenant: string, groups: Map<string, Group>, key: string, group: Group): void {
    if (group.size > 0) return;
    groups.delete(key);
    if (groups.size === 0) this.#tenants.delete(tenant);
  }
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known) return known;
  const made = make();
  map.set(key, made);
  return made;
}
