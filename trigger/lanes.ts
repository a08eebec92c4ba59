import { groupBy } from './group';

/**
 * The namespaces that one kind of pass is asking at the moment. A pass works on several namespaces side by side, each
 * with its own rows. While a pass still asks a namespace, later passes of this kind take none of its rows. So a slow or
 * silent server blocks no other namespace.
 */
export class Lanes {
  readonly #busy = new Set<string>();

  get busy(): string[] {
    return [...this.#busy];
  }

  isBusy(namespace: string): boolean {
    return this.#busy.has(namespace);
  }

  /**
   * Namespaces on which another pass is working are left out.
   *
   * @throws the error of a namespace whose work failed, once the work for all namespaces has ended
   */
  async run<Item extends { namespace: string }, Result>(
    items: readonly Item[],
    work: (share: Item[], namespace: string) => Promise<Result>,
  ): Promise<Result[]> {
    const shares = [...groupBy(items, ({ namespace }) => namespace)].filter(([namespace]) => !this.isBusy(namespace));
    const ends = await Promise.allSettled(
      shares.map(async ([namespace, share]) => {
        this.#busy.add(namespace);
        try {
          return await work(share, namespace);
        } finally {
          this.#busy.delete(namespace);
        }
      }),
    );
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }
}

export class PassLanes {
  readonly interrupt = new Lanes();
  readonly list = new Lanes();
  readonly listLate = new Lanes();
  readonly poll = new Lanes();
  readonly reconcile = new Lanes();
  readonly redrive = new Lanes();
  readonly reset = new Lanes();
  readonly verify = new Lanes();
}

/**
 * @throws the error of the first promise that failed, once all promises have ended: a pass leaves nothing running
 * behind it
 */
export async function allEnd<Promises extends readonly unknown[] | []>(promises: Promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * A function that a pass calls once it has taken its rows. From then on the next pass may begin; it leaves out the
 * namespaces that this pass still asks.
 */
export type GoOn = () => void;
