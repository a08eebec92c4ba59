import { expect, it } from 'vitest';
import { describedSpec } from '../../../client/describe/described-spec';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { heldAt } from '../../../server/dashboard/views/schedule/held';
import { zoneOf } from '../../../server/dashboard/views/schedule/schedule-zone';
import { olderThan } from '../../../server/dashboard/views/schedule/versions-page';

const zone = (spec: ScheduleSpec) => zoneOf({ spec: describedSpec(spec) });

it('dialogs name the zone in which the server reads their times, also that of CRON_TZ=', () => {
  expect(zone({ cronExpressions: ['CRON_TZ=Asia/Tokyo 0 * * * *'] })).toBe('Asia/Tokyo');
  expect(zone({ cron: '0 2 * * *', timezone: 'Europe/Berlin' })).toBe('Europe/Berlin');
  expect(zone({ cron: '0 2 * * *' })).toBe('UTC');
});

it('a time is held by a pause up to its end, by one without an end, and by a freeze up to its end', () => {
  const [eight, nine] = ['2026-03-05T08:00:00.000Z', '2026-03-05T09:00:00.000Z'];
  const frozen = { freezeId: '', until: nine };
  expect(heldAt({ state: { paused: false }, info: {} }, eight)).toBeUndefined();
  expect(heldAt({ state: { paused: true }, info: {} }, nine)).toBe('paused');
  const both = { state: { paused: true, pausedUntil: eight }, info: { frozen } };
  expect(['2026-03-05T07:59:59.000Z', eight, nine].map((time) => heldAt(both, time))).toEqual([
    'paused',
    'frozen',
    undefined,
  ]);
});

it('a link to a version beyond the first page asks for that one', () => {
  expect(olderThan({ asked: '3', nextCursor: '21' })).toBe(4);
  // The page has this one, but not the one before.
  expect(olderThan({ asked: '21', nextCursor: '21' })).toBe(22);
  expect(olderThan({ asked: '22', nextCursor: '21' })).toBeUndefined();
  expect(olderThan({ asked: '3', nextCursor: undefined })).toBeUndefined();
  for (const asked of [null, '', 'x', '-1', '2.5']) expect(olderThan({ asked, nextCursor: '21' })).toBeUndefined();
});
