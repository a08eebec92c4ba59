import { StartGate } from './gate';

/** A gate for each namespace: they may lie on different servers. */
export class StartGates {
  readonly #gates = new Map<string, StartGate>();

  /** @param cap calls at once to a namespace at most */
  constructor(private readonly cap: number) {}

  of(namespace: string): StartGate {
    const known = this.#gates.get(namespace);
    if (known) return known;
    const gate = new StartGate(this.cap);
    this.#gates.set(namespace, gate);
    return gate;
  }
}
