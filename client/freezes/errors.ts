import type { Freeze } from '../../store/freezes/rows';

/** A freeze holds the schedule, and the call did not ask to fire anyway. Nothing was written. */
export class ScheduleFrozenError extends Error {
  override readonly name = 'ScheduleFrozenError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** ID of the freeze that holds the schedule. */
    readonly freezeId: string,
    /** When the freeze ends. */
    readonly until: Date,
    note: string | null,
  ) {
    super(
      `schedule '${scheduleId}' is frozen until ${until.toISOString()} by freeze ${freezeId}${note === null ? '' : ` ('${note}')`}; ` +
        'wait for its end, or fire all the same with duringFreeze: true (--during-freeze)',
    );
  }
}

/** No freeze that this client may read has this ID, or the freeze has already ended. */
export class FreezeNotFoundError extends Error {
  override readonly name = 'FreezeNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly freezeId: string,
    problem = 'was not found; list the existing ones',
  ) {
    super(`freeze '${freezeId}' ${problem}`);
  }
}

/**
 * A freeze as a client may see it. A client of one tenant sees a freeze of all tenants without its filters, its note
 * and the names of people. These may concern other tenants.
 */
export function asSeen(freeze: Freeze, tenant: string | undefined): Freeze {
  return tenant === undefined || freeze.tenant === tenant
    ? freeze
    : { ...freeze, source: null, query: null, scheduleIds: null, note: null, actor: '', endedBy: null };
}
