import type { TriggerContext } from './context';
import type { QueuedClaim } from './queue';

/**
 * Which claims one batch of starts takes: none whose server is too busy or whose cap on starts a second is reached. A
 * namespace that did not answer lately is asked by one claim, of one batch at a time, until it answers: a server that
 * accepts calls and never answers them gets no more of them.
 */
export class Admission {
  readonly #probing: string[] = [];

  /** @param now of the batch */
  constructor(
    private readonly context: Pick<TriggerContext, 'gates' | 'caps' | 'breakers' | 'probed'>,
    private readonly now: number,
  ) {}

  admits(claim: QueuedClaim): boolean {
    const { gates, caps, breakers, probed } = this.context;
    const { namespace } = claim;
    // Taken to be put off: it is not started now, and uses up no cap.
    if (breakers.openUntil(namespace, this.now) !== undefined) return true;
    const isDoubtful = breakers.isDoubtful(namespace);
    if (isDoubtful && probed.has(namespace)) return false;
    if (gates.of(namespace).pause > 0 || !caps.admit(claim)) return false;
    if (isDoubtful) {
      probed.add(namespace);
      this.#probing.push(namespace);
    }
    return true;
  }

  /** The batch is done. */
  end(): void {
    for (const namespace of this.#probing) this.context.probed.delete(namespace);
  }
}
