import { defineSchedule } from 'escapement/define';
import type { invoiceRun, orderSaga, regionalReport } from './workflows';

const TASK_QUEUE = 'jobs';

/** Every night at two, Berlin time. One at a time; what was missed runs late, each day for itself. */
export const invoices = defineSchedule<typeof invoiceRun>({
  scheduleId: 'invoices',
  spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
  action: { type: 'startWorkflow', workflowType: 'invoiceRun', taskQueue: TASK_QUEUE },
  policies: { overlap: 'BUFFER_ALL' },
});

/** On the last day of each month. It is asked to stop after an hour, so that it never meets the morning. */
export const report = defineSchedule<typeof regionalReport>({
  scheduleId: 'regional-report',
  spec: { cron: '0 22 L * *' },
  action: { type: 'startWorkflow', workflowType: 'regionalReport', taskQueue: TASK_QUEUE, softTimeout: '1 hour' },
});

/** A standing order, each Monday. It stops by itself when it fails, until a person has looked. */
export const standingOrder = defineSchedule<typeof orderSaga>({
  scheduleId: 'standing-order',
  spec: { cron: '0 6 * * 1' },
  action: { type: 'startWorkflow', workflowType: 'orderSaga', taskQueue: TASK_QUEUE, args: ['coffee'] },
  policies: { pauseOnFailure: true },
});
