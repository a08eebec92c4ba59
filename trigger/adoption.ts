import type { Clock } from './clock';
import type { Complaint } from './complaint';

/** What a trigger knows of adoption: whether the ledger has a row for whatever Temporal was started with. */
export interface Adoption {
  /** The database that this is about. */
  incarnation: string;
  /**
   * Namespaces in which nothing is claimed and nothing is started, since Temporal has not said yet what it knows. All of
   * them from the notice of a failover until it is known which there are; then those that have not answered.
   */
  held: ReadonlySet<string> | 'all';
  /** Namespaces that are done, while others do not answer. */
  done: Set<string>;
  /** Of namespaces that answer, and could not be listed. */
  complaints: Map<string, Complaint>;
  /** When Temporal was last asked what it knows, by any trigger. */
  adoptedAt: Date | null;
  /** Temporal's list lags behind: after a failover it is read once more. */
  again: { since: Date; at: number } | undefined;
}

const DAY = 24 * 60 * 60 * 1_000;
/** What adoption holds when it is done. */
export const NOTHING_HELD: ReadonlySet<string> = new Set();

/** Whether adoption is done. */
export function isAdopted({ held }: Adoption): boolean {
  return held !== 'all' && held.size === 0;
}

/** Whether nothing may be claimed or started in a namespace yet; without one, in none. */
export function isHeld({ held }: Adoption, namespace?: string): boolean {
  return held === 'all' || (namespace !== undefined && held.has(namespace));
}

/** The namespaces that are held, after each was asked once. */
export function heldNamespaces({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held];
}

/** Whether Temporal is to be asked what it knows: after a failover, once more after that, and once a day. */
export function isAdoptionDue({ adoption, clock }: { adoption: Adoption; clock: Clock }): boolean {
  const now = clock.now();
  if (!isAdopted(adoption) || (adoption.again && adoption.again.at <= now)) return true;
  return adoption.adoptedAt !== null && adoption.adoptedAt.getTime() + DAY <= now;
}
