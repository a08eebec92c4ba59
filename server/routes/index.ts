import type { AnyOperation } from '../operation';
import { auditRoutes } from './audit';
import { firingRoutes } from './firings';
import { ledgerRoutes } from './ledger';
import { previewRoutes } from './preview';
import { scheduleRoutes } from './schedules';
import { sourceRoutes } from './sources';
import { timezoneRoutes } from './timezones';

/** Every operation of the API. */
export const operations: AnyOperation[] = [
  ...scheduleRoutes,
  ...firingRoutes,
  ...ledgerRoutes,
  ...previewRoutes,
  ...timezoneRoutes,
  ...sourceRoutes,
  ...auditRoutes,
];
