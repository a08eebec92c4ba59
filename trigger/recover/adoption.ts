import type { Clock } from '../clock';
import type { Complaint } from '../complaint';

/** What is neither claimed nor started, since the ledger may lack a row for what Temporal runs. */
export interface Held {
  /** Namespaces that have not said yet what they know. */
  namespaces: ReadonlySet<string>;
  /** Of namespaces that have, until all have: schedules that somebody kept locked, so that their rows could not be written. */
  schedules: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What a trigger knows of adoption: whether the ledger has a row for whatever Temporal was started with. */
export interface Adoption {
  /** The database that this is about. */
  incarnation: string;
  /** All from the notice of a failover until it is known which namespaces there are. */
  held: Held | 'all';
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
export const NOTHING_HELD: Held = { namespaces: new Set(), schedules: new Map() };

/** Whether adoption is done. */
export function isAdopted({ held }: Adoption): boolean {
  return held !== 'all' && held.namespaces.size === 0 && held.schedules.size === 0;
}

/** Whether nothing may be claimed or started yet: of a namespace, or, without one, of any. */
export function isHeld({ held }: Adoption, namespace?: string): boolean {
  return held === 'all' || (namespace !== undefined && held.namespaces.has(namespace));
}

/** Schedules that every pass leaves out. Their namespaces have answered, but somebody kept these schedules locked. */
export function heldSchedules({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.schedules.values()].flatMap((scheduleIds) => [...scheduleIds]);
}

/** The namespaces that are held as a whole, after each was asked once. */
export function heldNamespaces({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.namespaces];
}

/** Hold namespaces that are still to be asked. Of a namespace that has answered, the same schedules stay held as before. */
export function holdNamespaces(adoption: Adoption, names: readonly string[]): void {
  const schedules = adoption.held === 'all' ? NOTHING_HELD.schedules : adoption.held.schedules;
  adoption.held = { namespaces: new Set(names.filter((name) => !schedules.has(name))), schedules };
}

/** A namespace has said what it knows: of it only schedules are held whose rows could not be written. */
export function holdSchedules(adoption: Adoption, name: string, scheduleIds: ReadonlySet<string>): void {
  if (adoption.held === 'all') return;
  const namespaces = new Set(adoption.held.namespaces);
  const schedules = new Map(adoption.held.schedules);
  namespaces.delete(name);
  schedules.set(name, scheduleIds);
  adoption.held = { namespaces, schedules };
}

/** Whether Temporal is to be asked what it knows: after a failover, once more after that, and once a day. */
export function isAdoptionDue({ adoption, clock }: { adoption: Adoption; clock: Clock }): boolean {
  const now = clock.now();
  if (!isAdopted(adoption) || (adoption.again && adoption.again.at <= now)) return true;
  return adoption.adoptedAt !== null && adoption.adoptedAt.getTime() + DAY <= now;
}
