import {
  ScheduleAlreadyRunning as TemporalScheduleAlreadyRunning,
  ScheduleNotFoundError as TemporalScheduleNotFoundError,
} from '@temporalio/client';

/**
 * A live schedule, or a live or deleted schedule of another tenant, has this ID already. `instanceof` of Temporal's
 * error of this name matches too.
 */
export class ScheduleAlreadyRunning extends TemporalScheduleAlreadyRunning {
  constructor(scheduleId: string) {
    super(
      `schedule '${scheduleId}' exists, or has existed for another tenant; choose another ID, or delete a live schedule first`,
      scheduleId,
    );
  }
}

/** This client cannot decode a part of the schedule that the change would lose. Nothing was written. */
export class CannotDecodeError extends Error {
  override readonly name = 'CannotDecodeError';
  constructor(
    /** ID of the schedule that was to be changed. */
    readonly scheduleId: string,
    /** The part that cannot be decoded, such as `action.memo`. */
    readonly path: string,
    problem: string,
  ) {
    super(
      `${path} of schedule '${scheduleId}' cannot be decoded here (${problem}); change the schedule with a client that has its data converter and codec`,
    );
  }
}

/** Another live schedule of the tenant has this external ID. Nothing was written for the schedule that wanted it. */
export class ExternalIdTakenError extends Error {
  override readonly name = 'ExternalIdTakenError';
  constructor(
    /** ID of the schedule that was to get the external ID. */
    readonly scheduleId: string,
    /** The external ID. */
    readonly externalId: string,
    /**
     * ID of the schedule that has the external ID; undefined if that schedule has given it up meanwhile, or if the ID
     * could not be read in time.
     */
    readonly takenBy: string | undefined,
    options: { cause?: unknown } = {},
  ) {
    const by = takenBy === undefined ? 'another schedule' : `schedule '${takenBy}'`;
    super(
      `external ID '${externalId}' of schedule '${scheduleId}' already belongs to ${by}; change or delete that schedule first, or use another ID`,
      options,
    );
  }
}

/**
 * Another open transaction holds a lock that the change needs, mostly the schedule's lock. This attempt wrote nothing.
 * But a backfill's earlier batches stay, and so does a schedule just created.
 */
export class ScheduleLockedError extends Error {
  override readonly name = 'ScheduleLockedError';
  constructor(
    /** ID of the schedule that was to be changed. */
    readonly scheduleId: string,
    options: { cause: unknown },
    /** Who holds the lock, in words; empty if that is unknown. */
    readonly holders: string[] = [],
  ) {
    const by = holders.length > 0 ? `, by ${holders.join(' and ')}` : '';
    super(
      `a lock that schedule '${scheduleId}' needs is held by another open transaction${by}; try again when that has ended`,
      options,
    );
  }
}

/**
 * Others changed the schedule, or a calendar that it names, while this change was prepared. This attempt wrote nothing.
 * But a backfill's earlier batches stay, and so does a schedule just created.
 */
export class ScheduleConflictError extends Error {
  override readonly name = 'ScheduleConflictError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** The version for which the change was prepared; 0 for a schedule that was to be created. */
    readonly expectedVersion: number,
    /** The version that was stored when the change was refused; 0 for a schedule that was to be created. */
    readonly actualVersion: number,
    problem: string,
  ) {
    const versions = expectedVersion > 0 ? ` (prepared for version ${expectedVersion}, now ${actualVersion})` : '';
    super(`schedule '${scheduleId}' ${problem}${versions}`);
  }
}

/** Why a time cannot be excluded, or cannot be included again. */
export type ExclusionProblem = 'not_an_occurrence' | 'too_late' | 'has_firing' | 'not_excluded';

/** This time cannot be excluded, or cannot be included again. Nothing was changed. */
export class ExclusionError extends Error {
  override readonly name = 'ExclusionError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** The time that was given. */
    readonly time: Date,
    /** Why the time was refused. */
    readonly problem: ExclusionProblem,
    message: string,
    /** The occurrences around the time; undefined if the schedule's spec cannot be evaluated. */
    readonly nearest:
      | {
          /** The last occurrence before the time. */
          before: Date | undefined;
          /** The first occurrence after the time. */
          after: Date | undefined;
        }
      | undefined,
  ) {
    super(message);
  }
}

/**
 * A requested time is in a retired month. Unless the month was restored, the ledger does not know which of its
 * occurrences fired, so an occurrence could fire twice.
 */
export class RetiredMonthError extends Error {
  override readonly name = 'RetiredMonthError';
  constructor(
    /** ID of the schedule. */
    readonly scheduleId: string,
    /** The retired month, such as `2025-11`. */
    readonly month: string,
  ) {
    super(
      `month ${month} of schedule '${scheduleId}' was retired, so the ledger may not know what fired; ` +
        "let the range begin after it, or give handle.backfill 'refire: true' to fire what has no firing in the ledger",
    );
  }
}

/** No live schedule has this ID. `instanceof` of Temporal's error of this name matches too. */
export class ScheduleNotFoundError extends TemporalScheduleNotFoundError {
  constructor(scheduleId: string) {
    super(`there is no schedule '${scheduleId}'; 'escapement schedule list' lists them`, scheduleId);
  }
}
