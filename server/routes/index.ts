import type { AnyOperation } from '../operation';
import { agendaRoutes } from './agenda/agenda';
import { alertRoutes } from './alerts';
import { auditRoutes } from './audit';
import { operationRoutes } from './bulk/operations';
import { startBulkRoutes } from './bulk/start';
import { calendarRoutes } from './calendars';
import { firingRoutes } from './firings';
import { freezeRoutes } from './freezes';
import { ledgerRoutes } from './ledger';
import { readLetterRoutes } from './letters/read-letters';
import { settleLetterRoutes } from './letters/settle-letters';
import { letterTimeRoutes } from './overview/letters-over-time';
import { oneScheduleOverviewRoutes } from './overview/one-schedule';
import { overviewRoutes } from './overview/overview';
import { scheduleRowRoutes } from './overview/schedule-rows';
import { previewRoutes } from './preview';
import { scheduleRoutes } from './schedules';
import { sessionRoutes } from './session';
import { sourceRoutes } from './sources';
import { stripRoutes } from './strips/strips';
import { timezoneRoutes } from './timezones';

/** The operations that were made for the dashboard. */
const dashboardRoutes = [
  ...overviewRoutes,
  ...scheduleRowRoutes,
  ...oneScheduleOverviewRoutes,
  ...stripRoutes,
  ...agendaRoutes,
  ...letterTimeRoutes,
  ...sessionRoutes,
];

export const operations: AnyOperation[] = [
  ...scheduleRoutes,
  ...previewRoutes,
  ...timezoneRoutes,
  ...sourceRoutes,
  ...startBulkRoutes,
  ...operationRoutes,
  ...auditRoutes,
  ...firingRoutes,
  ...ledgerRoutes,
  ...dashboardRoutes,
  ...readLetterRoutes,
  ...settleLetterRoutes,
  ...alertRoutes,
  ...freezeRoutes,
  ...calendarRoutes,
];
