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

/** No live schedule has this ID. Caught by `instanceof` of Temporal's error of this name too. */
export class ScheduleNotFoundError extends TemporalScheduleNotFoundError {
  constructor(scheduleId: string) {
    super(`there is no schedule '${scheduleId}'; 'escapement schedule list' shows those that are`, scheduleId);
  }
}
