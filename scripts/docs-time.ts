/** Generates the tables of docs/time.md from the behaviour of the code: `npx tsx scripts/docs-time.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextOccurrences } from '../core/occurrences';
import type { ScheduleSpec } from '../core/schedule/spec';

export const PAGE = join(__dirname, '../docs/time.md');

const ZONE = 'Europe/Berlin';
const SCHEDULES = ['30 2 * * *', '0 3 * * *', '30 1-3 * * *', '0 * * * *', '*/30 * * * *', '0 */2 * * *'];
const CHANGES = [
  {
    title: 'The clock goes forward: 29 March 2026, 02:00 becomes 03:00',

    midnight: '2026-03-28T23:00:00Z',
    five: '2026-03-29T03:00:00Z',
  },
  {
    title: 'The clock goes back: 25 October 2026, 03:00 becomes 02:00',

    midnight: '2026-10-24T22:00:00Z',
    five: '2026-10-25T04:00:00Z',
  },
];

/** Local times with their offset, from midnight to 04:59 of the day. */
function times(spec: ScheduleSpec, midnight: string, five: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: ZONE,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  const bounded = { ...spec, timezone: ZONE, startAt: new Date(midnight), endAt: new Date(Date.parse(five) - 1) };
  const found = nextOccurrences(bounded, { after: new Date(0), count: 100 })
    .map((time) => format.format(time).replace(/ GMT\+0(\d):00/, '+$1'))
    .join(' ');
  return found === '' ? 'not at all' : found;
}

export function timeTables(): string {
  return CHANGES.map(({ title, midnight, five }) =>
    [
      `### ${title}`,
      '',
      "| schedule | `'ONCE'` | `'LITERAL'` | `cronExpressions` |",
      '| --- | --- | --- | --- |',
      ...SCHEDULES.map((cron) => {
        const cells = [{ cron }, { cron, dst: 'LITERAL' as const }, { cronExpressions: [cron] }];
        return `| \`${cron}\` | ${cells.map((spec) => times(spec, midnight, five)).join(' | ')} |`;
      }),
    ].join('\n'),
  ).join('\n\n');
}

/** The page with its tables written again. */
export function withTables(page: string): string {
  return page.replace(
    /(<!-- tables -->\n)[\s\S]*(\n<!-- end of tables -->)/,
    (_, start, end) => `${start}\n${timeTables()}\n${end}`,
  );
}

if (require.main === module) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
