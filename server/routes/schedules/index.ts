import type { AnyOperation } from '../../operation';
import { scheduleActionRoutes } from './actions';
import { scheduleHistoryRoutes } from './history';
import { listSchedules } from './list';
import { oneScheduleRoutes } from './one';
import { runAgain } from './run-again';

/** The operations for schedules: register, change, fire and query them. */
export const scheduleRoutes: AnyOperation[] = [
  listSchedules,
  ...oneScheduleRoutes,
  ...scheduleActionRoutes,
  ...scheduleHistoryRoutes,
  runAgain,
];
