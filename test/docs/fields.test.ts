import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SCHEDULE_FIELDS } from '../../core/definition/schedule-fields';
import type { ScheduleOptions } from '../../core/schedule/options';
import type { ScheduleSpec } from '../../core/schedule/spec';

const [, table] = readFileSync(resolve(__dirname, '../../docs/schedules.md'), 'utf8').split(/^## /m);

const PARTS = ['spec', 'action', 'policies', 'state'] as const satisfies (keyof ScheduleOptions)[];
/** What `describe` adds, and `create` ignores. */
const DESCRIBED = [
  ...['definition', 'info', 'source', 'raw', 'state.completed', 'state.completedAt', 'state.completedBy'],
  ...['state.pausedAt', 'state.pausedBy', 'state.pausedUntil', 'state.specError', 'state.setAsideAt', 'state.shadow'],
];
const SPEC: Record<keyof ScheduleSpec, true> = {
  ...{ cron: true, at: true, cronExpressions: true, calendars: true, intervals: true, dst: true, timezone: true },
  ...{ skip: true, skipDays: true, onlyDays: true, calendarDays: true, startAt: true, endAt: true, jitter: true },
};

it('docs/schedules.md has each field that a schedule may have, once, and no other', () => {
  const { options, ...parts } = { ...SCHEDULE_FIELDS, spec: Object.keys(SPEC) };
  const known = [
    ...options.filter((name) => !PARTS.includes(name as 'spec')),
    ...Object.entries(parts).flatMap(([part, names]) => names.map((name) => `${part}.${name}`)),
  ].filter((name) => !DESCRIBED.includes(name));
  const rows = table!.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual(known.sort());
});
