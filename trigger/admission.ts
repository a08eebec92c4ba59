import type { TriggerContext } from './context';
import type { QueuedClaim } from './queue';

/**
 * Which claims one batch of starts takes: none whose server is too busy or whose cap on starts a second is reached. Beside
 * other namespaces, one that did not answer lately is asked by a batch of one claim, and one at a time: a server that
 * accepts calls and never answers them holds up nobody else's.
 */
export class Admission {
  #probed: string | undefined;
  #isBegun = false;

  constructor(private readonly context: TriggerContext) {}

  admits(claim: QueuedClaim): boolean {
    const { gates, caps, breakers, probed, clock } = this.context;
    const { namespace } = claim;
    if (this.#probed !== undefined) return false;
    const isHalfOpen = breakers.isDoubtful(namespace) && breakers.openUntil(namespace, clock.now()) === undefined;
    const isProbe = isHalfOpen && gates.size > 1;
    if (isProbe && (this.#isBegun || probed.has(namespace))) return false;
    if (gates.of(namespace).pause > 0 || !caps.admit(claim)) return false;
    this.#isBegun = true;
    if (isProbe) {
      this.#probed = namespace;
      probed.add(namespace);
    }
    return true;
  }

  /** The batch is done. */
  end(): void {
    if (this.#probed !== undefined) this.context.probed.delete(this.#probed);
  }
}
