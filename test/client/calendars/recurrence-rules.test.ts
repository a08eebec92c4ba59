import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readIcs } from '../../../client/calendars/read-ics';

/**
 * Days that python-dateutil 2.9 gives for random rules whose first day is theirs. `BYWEEKNO` has none of the last weeks
 * of a year: dateutil sees a week 53 in 2021, which ISO 8601 does not.
 */
const vectors = readFileSync(join(__dirname, '../../vectors/recurrence-rules.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { rule: string; start: string; through: string; days: string[] });

it('a rule has the days that another implementation of RFC 5545 gives it', async () => {
  expect(vectors).toHaveLength(400);
  for (const { rule, start, through, days } of vectors) {
    const event = [
      'BEGIN:VEVENT',
      'UID:1',
      `DTSTART;VALUE=DATE:${start.replaceAll('-', '')}`,
      `RRULE:${rule}`,
      'END:VEVENT',
    ];
    const file = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...event, 'END:VCALENDAR', ''].join('\r\n');
    const read = await readIcs(file, { from: start, through, ignoreTimed: false });
    expect([...read.keys()], `${rule} from ${start}`).toEqual(days);
    const later = await readIcs(file, { from: days.at(-1)!, through, ignoreTimed: false });
    expect([...later.keys()], `${rule} from ${start}, read from its last day on`).toEqual(days.slice(-1));
  }
});
