import { type CallListener, TemporalNamespace } from './namespace';
import type { TemporalCallError, TemporalPort } from './port';

/** The servers that have the namespaces. */
export interface TemporalServers {
  /** The server of a namespace. */
  of(namespace: string): TemporalPort;
  close(): Promise<void>;
}

/** Who is told which namespaces do not answer. */
export interface TemporalListener extends CallListener {
  /** It was asked once more, and is refused or does not answer. */
  onAway(namespace: string, error: TemporalCallError): void;
  /** It answers again. */
  onBack(namespace: string): void;
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

  /** Those that were asked for anything yet. */
  known(): TemporalNamespace[] {
    return [...this.#namespaces.values()];
  }

  /** Those that did not answer, or refused all, when they were last asked. */
  away(): TemporalNamespace[] {
    return [...this.#namespaces.values()].filter(({ isAway }) => isAway);
  }

  /** Know nothing more of one that nobody needs. Whoever asks it again meets it as one that was never asked. */
  forget(name: string): void {
    this.#namespaces.delete(name);
  }

  /** Names of those that nobody is to ask just now. */
  leftAlone(): string[] {
    return this.away().flatMap(({ name, leftAloneUntil }) => (leftAloneUntil === undefined ? [] : [name]));
  }

  async close(): Promise<void> {
    await this.servers.close();
  }
}

/** All namespaces on one server. */
export function oneServer(port: TemporalPort): TemporalServers {
  return { of: () => port, close: () => port.close() };
}
