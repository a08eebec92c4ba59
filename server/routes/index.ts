import type { AnyOperation } from '../operation';
import { auditRoutes } from './audit';
import { previewRoutes } from './preview';
import { scheduleRoutes } from './schedules';
import { sourceRoutes } from './sources';
import { timezoneRoutes } from './timezones';

/** Every operation of the API. */
export const operations: AnyOperation[] = [
  ...scheduleRoutes,
  ...previewRoutes,
  ...timezoneRoutes,
  ...sourceRoutes,
  ...auditRoutes,
];
