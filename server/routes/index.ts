import type { AnyOperation } from '../operation';
import { previewRoutes } from './preview';
import { scheduleRoutes } from './schedules';

/** Every operation of the API. */
export const operations: AnyOperation[] = [...scheduleRoutes, ...previewRoutes];
