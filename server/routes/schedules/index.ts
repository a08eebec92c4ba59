import type { AnyOperation } from '../../operation';
import { scheduleActionRoutes } from './actions';
import { scheduleHistoryRoutes } from './history';
import { listSchedules } from './list';
import { oneScheduleRoutes } from './one';
import { runAgain } from './run-again';

export const scheduleRoutes: AnyOperation[] = [
  listSchedules,
  ...oneScheduleRoutes,
  ...scheduleActionRoutes,
  ...scheduleHistoryRoutes,
  runAgain,
];
