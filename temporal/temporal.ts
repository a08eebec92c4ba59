import { type CallListener, TemporalNamespace } from './namespace';
import type { TemporalCallError, TemporalPort } from './port';

export interface TemporalServers {
  of(namespace: string): TemporalPort;
  /** The error of the last {@link reach} if no server answered it; otherwise undefined. */
  readonly unreached: string | undefined;
  /**
   * Asks the servers whether they answer.
   *
   * @throws {TemporalUnreachableError} if none of them does
   */
  reach(): Promise<void>;
  close(): Promise<void>;
}

export interface TemporalListener extends CallListener {
  onAway(namespace: string, error: TemporalCallError): void;
  onBack(namespace: string): void;
  /** Called when the namespace is forgotten: see {@link Temporal.forget}. */
  onForgotten(namespace: string): void;
}

/** Temporal as the passes of a trigger see it: namespaces that know whether they answer. */
export class Temporal {
  readonly #namespaces = new Map<string, TemporalNamespace>();

  constructor(
    private readonly servers: TemporalServers,
    private readonly now: () => number,
    private readonly listener: TemporalListener,
  ) {}

  of(name: string): TemporalNamespace {
    const known = this.#namespaces.get(name);
    if (known) return known;
    const namespace = new TemporalNamespace(name, this.servers.of(name), this.now, {
      onAway: (error) => this.listener.onAway(name, error),
      onBack: () => this.listener.onBack(name),
      onCall: (method, code, seconds) => this.listener.onCall(method, code, seconds),
    });
    this.#namespaces.set(name, namespace);
    return namespace;
  }

  /** The namespaces that were looked up by {@link of} and not forgotten since. */
  known(): TemporalNamespace[] {
    return [...this.#namespaces.values()];
  }

  away(): TemporalNamespace[] {
    return [...this.#namespaces.values()].filter(({ isAway }) => isAway);
  }

  /** Forget a namespace that nobody needs. If the namespace is called later, it counts as one that was never called. */
  forget(name: string): void {
    this.#namespaces.delete(name);
    this.listener.onForgotten(name);
  }

  /** Names of the namespaces that are away and may not be asked yet. */
  leftAlone(): string[] {
    return this.away().flatMap(({ name, leftAloneUntil }) => (leftAloneUntil === undefined ? [] : [name]));
  }

  get unreached(): string | undefined {
    return this.servers.unreached;
  }

  /** @throws {TemporalUnreachableError} if no server answers */
  async reach(): Promise<void> {
    await this.servers.reach();
  }

  async close(): Promise<void> {
    await this.servers.close();
  }
}

export function oneServer(port: TemporalPort): TemporalServers {
  return { of: () => port, unreached: undefined, reach: async () => {}, close: () => port.close() };
}
