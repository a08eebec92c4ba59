import { expect, it } from 'vitest';
import { describedSpec } from '../../../client/describe/described-spec';
import type { ScheduleSpec } from '../../../core/schedule/spec';
import { zoneOf } from '../../../server/dashboard/views/schedule/schedule-zone';
import { olderThan } from '../../../server/dashboard/views/schedule/versions-page';

const zone = (spec: ScheduleSpec) => zoneOf({ spec: describedSpec(spec) });

it('dialogs name the zone in which the server reads their times, also that of CRON_TZ=', () => {
  expect(zone({ cronExpressions: ['CRON_TZ=Asia/Tokyo 0 * * * *'] })).toBe('Asia/Tokyo');
  expect(zone({ cron: '0 2 * * *', timezone: 'Europe/Berlin' })).toBe('Europe/Berlin');
  expect(zone({ cron: '0 2 * * *' })).toBe('UTC');
});

it('a link to a version beyond the first page asks for that one', () => {
  expect(olderThan({ asked: '3', nextCursor: '21' })).toBe(4);
  // The page has this one, but not the one before.
  expect(olderThan({ asked: '21', nextCursor: '21' })).toBe(22);
  expect(olderThan({ asked: '22', nextCursor: '21' })).toBeUndefined();
  expect(olderThan({ asked: '3', nextCursor: undefined })).toBeUndefined();
  for (const asked of [null, '', 'x', '-1', '2.5']) expect(olderThan({ asked, nextCursor: '21' })).toBeUndefined();
});
