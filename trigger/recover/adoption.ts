import type { Clock } from '../clock';
import type { Complaint } from '../complaint';
import type { Complaints } from '../complaints';

/**
 * Namespaces and schedules for which nothing is claimed or started, since the ledger may lack a row for a workflow that
 * Temporal runs.
 */
export interface Held {
  /** Namespaces that have not answered yet which runs they have. */
  namespaces: ReadonlySet<string>;
  /** Schedules of the other namespaces that somebody kept locked, so that their rows could not be written. */
  schedules: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A trigger's knowledge of adoption: whether the ledger has a row for each workflow that Temporal has started. */
export interface Adoption {
  /** The database that this is about. */
  incarnation: string;
  /** 'all' from the notice of a failover until the namespaces are known. */
  held: Held | 'all';
  /** Namespaces that are done, while others do not answer. */
  done: Set<string>;
  /** Problems with namespaces that answer but could not be listed. */
  complaints: Map<string, Complaint>;
  /** Log lines about namespaces whose parked runs could not be asked for their dead letters. */
  asking: Complaints;
  /** When any trigger last asked Temporal which runs it has. */
  adoptedAt: Date | null;
  /** After a failover the list is read a second time, since Temporal's list lags behind. */
  again: { since: Date; at: number } | undefined;
}

const DAY = 24 * 60 * 60 * 1_000;
/** The value of `held` once adoption is done. */
export const NOTHING_HELD: Held = { namespaces: new Set(), schedules: new Map() };

/** Whether adoption is done. */
export function isAdopted({ held }: Pick<Adoption, 'held'>): boolean {
  return held !== 'all' && held.namespaces.size === 0 && held.schedules.size === 0;
}

/** Whether nothing may be claimed or started yet: in a namespace, or, without one, in any. */
export function isHeld({ held }: Adoption, namespace?: string): boolean {
  return held === 'all' || (namespace !== undefined && held.namespaces.has(namespace));
}

/**
 * Schedules that every pass leaves out. The namespaces of these schedules have answered, but somebody kept these
 * schedules locked.
 */
export function heldSchedules({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.schedules.values()].flatMap((scheduleIds) => [...scheduleIds]);
}

/** Namespaces that are held as a whole, after each was asked once. */
export function heldNamespaces({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.namespaces];
}

/**
 * Hold namespaces that are still to be asked. In a namespace that has answered, the held schedules stay as they are.
 */
export function holdNamespaces(adoption: Adoption, names: readonly string[]): void {
  const schedules = adoption.held === 'all' ? NOTHING_HELD.schedules : adoption.held.schedules;
  adoption.held = { namespaces: new Set(names.filter((name) => !schedules.has(name))), schedules };
}

/** A namespace has answered: from now on only schedules whose rows could not be written are held. */
export function holdSchedules(adoption: Adoption, name: string, scheduleIds: ReadonlySet<string>): void {
  if (adoption.held === 'all') return;
  const namespaces = new Set(adoption.held.namespaces);
  const schedules = new Map(adoption.held.schedules);
  namespaces.delete(name);
  schedules.set(name, scheduleIds);
  adoption.held = { namespaces, schedules };
}

/** Whether to ask Temporal which runs it has: after a failover, once more after that, and once a day. */
export function isAdoptionDue({
  adoption,
  clock,
}: {
  adoption: Pick<Adoption, 'held' | 'again' | 'adoptedAt'>;
  clock: Clock;
}): boolean {
  const now = clock.now();
  if (!isAdopted(adoption) || (adoption.again && adoption.again.at <= now)) return true;
  return adoption.adoptedAt !== null && adoption.adoptedAt.getTime() + DAY <= now;
}
