/** The tenant has no calendar of this name. */
export class CalendarNotFoundError extends Error {
  override readonly name = 'CalendarNotFoundError';
  constructor(
    /** The name that was given. */
    readonly calendar: string,
    hint: string,
  ) {
    super(`there is no calendar '${calendar}'${hint}; 'escapement calendar list' lists them`);
  }
}

const NAMED = 5;

/** A calendar was not deleted, since schedules that are not deleted name it. Nothing was written. */
export class CalendarInUseError extends Error {
  override readonly name = 'CalendarInUseError';
  constructor(
    /** The name of the calendar. */
    readonly calendar: string,
    /** IDs of the first 100 schedules that name the calendar. */
    readonly scheduleIds: string[],
    /** How many schedules name the calendar. */
    readonly schedules: number,
  ) {
    const named = scheduleIds
      .slice(0, NAMED)
      .map((id) => `'${id}'`)
      .join(', ');
    const more = schedules > NAMED ? ` and ${(schedules - NAMED).toLocaleString('en')} more` : '';
    super(
      `calendar '${calendar}' is named by ${named}${more}; remove it from their skipDays and onlyDays first, or keep it and put it without days`,
    );
  }
}
