import type { ScheduleOptions } from '@temporalio/client';

type Case = Pick<ScheduleOptions, 'spec'> & Partial<ScheduleOptions>;

const day = (text: string) => new Date(`${text}T00:00:00Z`);

/** Fifty schedules as people write them for Temporal's ScheduleClient. */
export const fiftySchedules: Case[] = [
  // Calendars.
  { spec: { calendars: [{ hour: 2 }] } },
  { spec: { calendars: [{ hour: 2, minute: 30 }], timezone: 'Europe/Berlin' }, policies: { overlap: 'BUFFER_ONE' } },
  { spec: { calendars: [{ hour: 1, minute: 30 }], timezone: 'America/New_York' }, policies: { overlap: 'BUFFER_ALL' } },
  { spec: { calendars: [{ hour: 2, minute: 15 }], timezone: 'Australia/Lord_Howe' } },
  {
    spec: { calendars: [{ minute: '*', hour: { start: 9, end: 17 }, dayOfWeek: { start: 'MONDAY', end: 'FRIDAY' } }] },
  },
  { spec: { calendars: [{ minute: { start: 0, end: 59, step: 15 }, hour: '*', dayOfWeek: ['SATURDAY', 'SUNDAY'] }] } },
  { spec: { calendars: [{ second: [0, 20, 40], minute: '*', hour: [8, 20], dayOfMonth: [1, 15] }] } },
  { spec: { calendars: [{ month: ['JANUARY', { start: 'JUNE', end: 'AUGUST' }], dayOfMonth: 1, hour: 6 }] } },
  { spec: { calendars: [{ month: 'FEBRUARY', dayOfMonth: 29, hour: 12 }] } },
  { spec: { calendars: [{ year: [2028, { start: 2030, end: 2040, step: 5 }], month: 'MAY', dayOfMonth: 4 }] } },
  { spec: { calendars: [{ dayOfMonth: 31, hour: 0 }], timezone: 'Asia/Kathmandu' } },
  { spec: { calendars: [{ dayOfMonth: { start: 1, end: 7 }, dayOfWeek: 'TUESDAY', hour: 9, comment: 'patch day' }] } },
  {
    spec: {
      calendars: [{ dayOfWeek: ['MONDAY', 'WEDNESDAY', { start: 'FRIDAY', end: 'SATURDAY' }], hour: 23, minute: 59 }],
    },
  },
  { spec: { calendars: [{ hour: 6 }, { hour: 6, minute: 30 }, { hour: 6, dayOfWeek: 'MONDAY' }] } },
  { spec: { calendars: [{ hour: [0, 23], minute: [0, 59], second: 59 }], timezone: 'America/Santiago' } },
  // Intervals.
  { spec: { intervals: [{ every: '1 hour' }] } },
  { spec: { intervals: [{ every: '90 minutes', offset: '7 minutes' }] }, policies: { overlap: 'CANCEL_OTHER' } },
  { spec: { intervals: [{ every: '28 days', offset: '3 days' }] } },
  { spec: { intervals: [{ every: 86_400_000, offset: 3_600_000 }] }, policies: { overlap: 'TERMINATE_OTHER' } },
  { spec: { intervals: [{ every: '7 days' }, { every: '5 days', offset: '1 day' }] } },
  { spec: { intervals: [{ every: '45s' }], endAt: day('2026-12-24') } },
  { spec: { intervals: [{ every: '11h', offset: '30m' }], skip: [{ hour: { start: 0, end: 6 }, minute: '*' }] } },
  // Cron.
  { spec: { cronExpressions: ['0 2 * * *'] }, policies: { catchupWindow: '10 minutes' } },
  { spec: { cronExpressions: ['0 12 * * MON-WED,FRI'] }, policies: { pauseOnFailure: true } },
  { spec: { cronExpressions: ['*/10 8-18/2 * * 1-5'], timezone: 'Europe/London' } },
  { spec: { cronExpressions: ['30 2 * * *'], timezone: 'America/New_York' } },
  { spec: { cronExpressions: ['CRON_TZ=Europe/Berlin 30 2 * * *'] } },
  { spec: { cronExpressions: ['TZ=Asia/Tokyo 15 10 1,15 * *'] } },
  { spec: { cronExpressions: ['0 0 13 * 5'] } },
  { spec: { cronExpressions: ['0 0 1 JAN,APR,JUL,OCT *'] } },
  { spec: { cronExpressions: ['15 3 * * 7 # weekly vacuum'] } },
  { spec: { cronExpressions: ['0 5 4 7 * 2030'] } },
  { spec: { cronExpressions: ['*/20 0 5 * * 1 2026-2028'] } },
  { spec: { cronExpressions: ['@daily', '@hourly'] } },
  { spec: { cronExpressions: ['@weekly'], timezone: 'Pacific/Auckland' } },
  { spec: { cronExpressions: ['@monthly'] } },
  { spec: { cronExpressions: ['@yearly'] } },
  { spec: { cronExpressions: ['@every 2h/15m'] } },
  { spec: { cronExpressions: ['@every 36h'], skip: [{ dayOfWeek: 'SUNDAY', hour: '*', minute: '*', second: '*' }] } },
  { spec: { cronExpressions: ['0 9 * * 1', '0 17 * * 5'] } },
  // All of it.
  { spec: { calendars: [{ hour: 4 }], intervals: [{ every: '10 hours' }], cronExpressions: ['5 5 * * *'] } },
  {
    spec: { cronExpressions: ['0 * * * *'], skip: [{ hour: { start: 22, end: 23 } }, { month: 'AUGUST', hour: '*' }] },
  },
  { spec: { calendars: [{ hour: 9 }], skip: [{ month: 'DECEMBER', dayOfMonth: { start: 24, end: 26 }, hour: 9 }] } },
  {
    spec: {
      calendars: [{ hour: '*' }],
      startAt: day('2026-11-01'),
      endAt: day('2026-11-20'),
      timezone: 'America/New_York',
    },
  },
  {
    spec: { intervals: [{ every: '1 day' }], startAt: new Date('2026-04-01T12:34:56.789Z'), timezone: 'Europe/Berlin' },
  },
  {
    spec: {
      cronExpressions: ['0 8 * * *'],
      startAt: day('2031-03-30'),
      endAt: day('2031-04-10'),
      timezone: 'Europe/Paris',
    },
  },
  // Jitter: the same nominal instants, each moved within the same bound.
  { spec: { cronExpressions: ['0 * * * *'], jitter: '5 minutes' } },
  { spec: { intervals: [{ every: '1 day' }], jitter: 60_000, timezone: 'Europe/Berlin' } },
  // What an action carries.
  {
    spec: { calendars: [{ hour: [1, 3, 5] }], timezone: 'Europe/Berlin' },
    action: {
      type: 'startWorkflow',
      workflowType: 'nightly',
      taskQueue: 'reports',
      workflowId: 'nightly-report',
      args: ['emea', 5, { deep: [true, null] }],
      memo: { owner: 'finance' },
      retry: { maximumAttempts: 5, initialInterval: '10s', maximumInterval: '10 minutes', backoffCoefficient: 3 },
      workflowExecutionTimeout: '1 day',
      workflowRunTimeout: '6 hours',
      workflowTaskTimeout: '10s',
      staticSummary: 'nightly',
      staticDetails: '# Nightly',
    },
    memo: { team: 'billing' },
    state: { paused: true, note: 'not before the audit', remainingActions: 12 },
  },
  {
    spec: { cronExpressions: ['0 3 * * SUN'] },
    policies: { overlap: 'ALLOW_ALL', catchupWindow: '1 day', pauseOnFailure: false },
    state: { paused: true, note: 'weekly' },
  },
];
