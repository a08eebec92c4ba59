import {
  ScheduleAlreadyRunning as TemporalScheduleAlreadyRunning,
  ScheduleNotFoundError as TemporalScheduleNotFoundError,
} from '@temporalio/client';

/** A live schedule has this ID already. Caught by `instanceof` of Temporal's error of this name too. */
export class ScheduleAlreadyRunning extends TemporalScheduleAlreadyRunning {
  constructor(scheduleId: string) {
    super(`schedule '${scheduleId}' exists already; choose another ID, or delete it first`, scheduleId);
  }
}

/** What is encoded of a schedule can't be decoded here, and would be lost by the change; nothing was written. */
export class CannotDecodeError extends Error {
  override readonly name = 'CannotDecodeError';
  constructor(
    /** The schedule that was to be changed. */
    readonly scheduleId: string,
    /** What cannot be decoded, such as `action.memo`. */
    readonly path: string,
    problem: string,
  ) {
    super(
      `${path} of schedule '${scheduleId}' cannot be decoded here (${problem}); change it where its data converter and codec are set up`,
    );
  }
}

/** Another live schedule of the tenant has this external ID; nothing was written. */
export class ExternalIdTakenError extends Error {
  override readonly name = 'ExternalIdTakenError';
  constructor(
    /** The schedule that was to have it. */
    readonly scheduleId: string,
    /** The external ID. */
    readonly externalId: string,
    /** The schedule that has it; undefined where it was given back meanwhile. */
    readonly takenBy: string | undefined,
    options: { cause?: unknown } = {},
  ) {
    const by = takenBy === undefined ? 'another schedule' : `schedule '${takenBy}'`;
    super(
      `external ID '${externalId}' of schedule '${scheduleId}' is that of ${by}; change or delete that one first, or use another`,
      options,
    );
  }
}

/**
 * Another transaction that is still open has registered, changed or deleted a schedule of this ID, and was waited for;
 * nothing was written by this call.
 */
export class ScheduleLockedError extends Error {
  override readonly name = 'ScheduleLockedError';
  constructor(
    /** The schedule that was to be changed. */
    readonly scheduleId: string,
    options: { cause: unknown },
    /** Who holds it, in words; empty where that could not be seen. */
    readonly holders: string[] = [],
  ) {
    const by = holders.length > 0 ? `, by ${holders.join(' and ')}` : '';
    super(
      `schedule '${scheduleId}' is being written by another transaction that stays open${by}; try again when it has ended`,
      options,
    );
  }
}

/** Others changed the schedule again and again while a change of it was prepared; nothing was written by this call. */
export class ScheduleConflictError extends Error {
  override readonly name = 'ScheduleConflictError';
  constructor(
    /** The schedule that was named. */
    readonly scheduleId: string,
    /** The version that the change was prepared for. */
    readonly expectedVersion: number,
    /** The version that is there. */
    readonly actualVersion: number,
    problem: string,
  ) {
    super(`schedule '${scheduleId}' ${problem} (prepared for version ${expectedVersion}, now ${actualVersion})`);
  }
}

/** Why a time cannot be excluded, or its exclusion taken back. */
export type ExclusionProblem = 'not_an_occurrence' | 'too_late' | 'has_firing' | 'not_excluded';

/** A time that cannot be excluded, or included again; nothing was changed. */
export class ExclusionError extends Error {
  override readonly name = 'ExclusionError';
  constructor(
    /** The schedule that was named. */
    readonly scheduleId: string,
    /** The time that was named. */
    readonly time: Date,
    /** Why not. */
    readonly problem: ExclusionProblem,
    message: string,
    /** The occurrences around a time that is none. */
    readonly nearest:
      | {
          /** The last occurrence before it. */
          before: Date | undefined;
          /** The first occurrence after it. */
          after: Date | undefined;
        }
      | undefined,
  ) {
    super(message);
  }
}

/** A backfill reaches into months that were retired: what fired in them is forgotten, and could fire again. */
export class RetiredMonthError extends Error {
  override readonly name = 'RetiredMonthError';
  constructor(
    /** The schedule that was named. */
    readonly scheduleId: string,
    /** Such as `2025-11`. */
    readonly month: string,
  ) {
    super(
      `month ${month} of schedule '${scheduleId}' is retired, and with it the record of what fired; ` +
        "begin later, or give 'refire: true' to handle.backfill, to fire all of it, also what fired before",
    );
  }
}

/** No live schedule has this ID. Caught by `instanceof` of Temporal's error of this name too. */
export class ScheduleNotFoundError extends TemporalScheduleNotFoundError {
  constructor(scheduleId: string) {
    super(`there is no schedule '${scheduleId}'; 'escapement schedule list' shows those that are`, scheduleId);
  }
}
