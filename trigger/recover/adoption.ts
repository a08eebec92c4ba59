import type { Complaint } from '../../logging/complaint';
import type { Complaints } from '../../logging/complaints';
import type { TriggerProblem } from '../../store/table-values';
import type { Clock } from '../clock';

/**
 * Namespaces and schedules in which no occurrence is claimed and no claim is started, since the ledger may lack the row
 * of a workflow that Temporal runs.
 */
export interface Held {
  /** Namespaces that have not yet answered which runs they have. */
  namespaces: ReadonlySet<string>;
  /**
   * Schedules in other namespaces with a row that could not be written: the schedule was locked, Postgres refused the
   * row, or Temporal did not describe the run.
   */
  schedules: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What a trigger knows about adoption: whether the ledger has a row for each workflow that Temporal has started. */
export interface Adoption {
  /** The incarnation of the database and the loss that `done` is about. */
  about: string;
  /** What is held back; 'all' from the moment a failover is noticed until the namespaces are known. */
  held: Held | 'all';
  /** Namespaces whose runs are adopted already since the loss, until adoption is done for all. */
  done: Set<string>;
  /** Repeated log lines about namespaces that answer but whose runs could not be listed or adopted. */
  complaints: Map<string, Complaint>;
  /** Namespaces that answer but whose runs could not be listed: since when, and the last error. */
  unlisted: Map<string, { since: Date; error: string; isBusy: boolean }>;
  /** Repeated log lines about namespaces in which parked runs could not be asked for their dead letters. */
  asking: Complaints;
  /** When adoption was last recorded, by any trigger. */
  adoptedAt: Date | null;
  /** When this trigger was last seen to work in the present database; undefined while it may claim nothing there. */
  heardAt: Date | undefined;
  /** After a failover Temporal's list of runs is read a second time, since the list lags behind. */
  again: { since: Date; at: number } | undefined;
}

const DAY = 24 * 60 * 60 * 1_000;
export const NOTHING_HELD: Held = { namespaces: new Set(), schedules: new Map() };

export function isAdopted({ held }: Pick<Adoption, 'held'>): boolean {
  return held !== 'all' && held.namespaces.size === 0 && held.schedules.size === 0;
}

/**
 * Hold back everything, or nothing, and forget which namespaces have answered. An adopt pass in progress then finds
 * that `done` is a new set, and ends without a result.
 */
export function beginAnew(adoption: Adoption, held: Adoption['held']): void {
  adoption.held = held;
  adoption.done = new Set();
  adoption.unlisted.clear();
}

/** An overloaded namespace is reported as held only after this time. */
const BUSY_FOR_MILLISECONDS = 60_000;

/** The namespaces that are held back and do not count as away: no call fails there but the list. */
export function heldProblems(adoption: Adoption, now: number): TriggerProblem[] {
  return heldNamespaces(adoption).flatMap((namespace) => {
    const { since, error, isBusy } = adoption.unlisted.get(namespace) ?? {};
    if (!since || (isBusy && now - since.getTime() < BUSY_FOR_MILLISECONDS)) return [];
    return {
      condition: 'namespace_held',
      subject: namespace,
      since: since.toISOString(),
      text: `Nothing fires in namespace '${namespace}': Temporal has not listed its workflows since the database was replaced: ${error}.`,
      action: 'Allow triggers to list its workflows, or repair the visibility store of its server.',
    };
  });
}

/** Whether nothing may be claimed or started yet in this namespace or, if no namespace is given, in all of them. */
export function isHeld({ held }: Adoption, namespace?: string): boolean {
  return held === 'all' || (namespace !== undefined && held.namespaces.has(namespace));
}

export function heldSchedules({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.schedules.values()].flatMap((scheduleIds) => [...scheduleIds]);
}

export function heldNamespaces({ held }: Adoption): string[] {
  return held === 'all' ? [] : [...held.namespaces];
}

/**
 * Hold back the namespaces that have not answered yet. In a namespace that has answered, only those schedules stay held
 * back that were held back before.
 */
export function holdNamespaces(adoption: Adoption, names: readonly string[]): void {
  const schedules = adoption.held === 'all' ? NOTHING_HELD.schedules : adoption.held.schedules;
  adoption.held = { namespaces: new Set(names.filter((name) => !schedules.has(name))), schedules };
}

/**
 * Note that a namespace has answered: from now on only those of its schedules are held back whose rows could not be
 * written.
 */
export function holdSchedules(adoption: Adoption, name: string, scheduleIds: ReadonlySet<string>): void {
  if (adoption.held === 'all') return;
  const namespaces = new Set(adoption.held.namespaces);
  const schedules = new Map(adoption.held.schedules);
  namespaces.delete(name);
  schedules.set(name, scheduleIds);
  adoption.held = { namespaces, schedules };
}

/** Whether it is time to ask Temporal which runs it has: after a failover, once more after that, and once a day. */
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
