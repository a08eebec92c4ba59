import { StartGate } from './gate';

/** One gate for each namespace, since namespaces may lie on different servers. */
export class StartGates {
  readonly #gates = new Map<string, StartGate>();

  /** @param cap the highest number of concurrent calls to a namespace */
  constructor(private readonly cap: number) {}

  of(namespace: string): StartGate {
    const known = this.#gates.get(namespace);
    if (known) return known;
    const gate = new StartGate(this.cap);
    this.#gates.set(namespace, gate);
    return gate;
  }
}
