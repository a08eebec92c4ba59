import { expect, it } from 'vitest';
import { readIcs } from '../../../client/calendars/read-ics';

const OPTIONS = { from: '2025-01-01', through: '2028-12-31', ignoreTimed: false };
const fileOf = (...events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...events.map(eventOf), 'END:VCALENDAR', ''].join('\r\n');
const eventOf = (lines: string) => ['BEGIN:VEVENT', 'UID:1', ...lines.split('\n'), 'END:VEVENT'].join('\r\n');
const daysOf = async (...events: string[]) => [...(await readIcs(fileOf(...events), OPTIONS)).keys()];

const read: [what: string, events: string[], days: string[]][] = [
  ['a day', ['DTSTART;VALUE=DATE:20261225'], ['2026-12-25']],
  [
    'several days',
    ['DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261228'],
    ['2026-12-25', '2026-12-26', '2026-12-27'],
  ],
  ['a duration', ['DTSTART;VALUE=DATE:20261231\nDURATION:P2D'], ['2026-12-31', '2027-01-01']],
  ['one outside of the years of what recurs', ['DTSTART;VALUE=DATE:20400101'], ['2040-01-01']],
  [
    'each year, without one',
    ['DTSTART;VALUE=DATE:19991225\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20261225'],
    ['2025-12-25', '2027-12-25', '2028-12-25'],
  ],
  ['the 29th of February', ['DTSTART;VALUE=DATE:20000229\nRRULE:FREQ=YEARLY'], ['2028-02-29']],
  [
    'a rule that February has no day of',
    ['DTSTART;VALUE=DATE:20250130\nRRULE:FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=30;COUNT=4'],
    ['2025-01-30', '2026-01-30'],
  ],
  [
    'the fourth Thursday of November',
    ['DTSTART;VALUE=DATE:20201126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH'],
    ['2025-11-27', '2026-11-26', '2027-11-25', '2028-11-23'],
  ],
  ['further dates', ['DTSTART;VALUE=DATE:20261224\nRDATE;VALUE=DATE:20270101'], ['2026-12-24', '2027-01-01']],
  [
    'one that was moved, and one that was cancelled',
    [
      'DTSTART;VALUE=DATE:20250501\nRRULE:FREQ=YEARLY;COUNT=3',
      'RECURRENCE-ID;VALUE=DATE:20260501\nDTSTART;VALUE=DATE:20260504',
      'RECURRENCE-ID;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270501\nSTATUS:CANCELLED',
    ],
    ['2025-05-01', '2026-05-04'],
  ],
  [
    'what is cancelled',
    ['DTSTART;VALUE=DATE:20261225', 'DTSTART;VALUE=DATE:20261226\nSTATUS:CANCELLED'],
    ['2026-12-25'],
  ],
];
it.each(read)('whole-day events are days: %s', async (_, events, days) => {
  expect(await daysOf(...events)).toEqual(days);
});

it('days are called as their events, and events with a time of day can be left out', async () => {
  const file = fileOf(
    'SUMMARY:Christmas Day\nDTSTART;VALUE=DATE:20261225',
    'SUMMARY:Office closed\nDTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261227',
    'SUMMARY:Party\nDTSTART:20261222T180000Z',
  );
  expect([...(await readIcs(file, { ...OPTIONS, ignoreTimed: true }))]).toEqual([
    ['2026-12-25', 'Christmas Day, Office closed'],
    ['2026-12-26', 'Office closed'],
  ]);
});

const refused: [what: string, file: string, problem: string][] = [
  ['no iCalendar file', 'hello', 'is not an iCalendar file'],
  ['an empty file', '', 'it has no VCALENDAR'],
  ['a file that ends in the middle', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\n', 'component began but did not end'],
  ['contacts', 'BEGIN:VCARD\nEND:VCARD', 'it has no VCALENDAR'],
  ['no event', fileOf(), 'has no whole-day event'],
  ['a time of day', fileOf('SUMMARY:Party\nDTSTART:20261222T180000Z'), 'event "Party" begins at a time of day'],
  ['no beginning', fileOf('SUMMARY:Party'), 'event "Party" has no beginning'],
  [
    'no such date',
    fileOf('SUMMARY:Party\nDTSTART;VALUE=DATE:20260230'),
    'event "Party" has "2026-02-30", which is not a date',
  ],
  ['a rule that cannot be', fileOf('DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=YEARLY;BYDAY=XX'), 'BYDAY'],
  ['each second', fileOf('DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=SECONDLY'), 'cannot be read'],
  ['a century', fileOf('DTSTART;VALUE=DATE:20000101\nDTEND;VALUE=DATE:21000101'), 'longer than ten years'],
  ['each day since 1970', fileOf('DTSTART;VALUE=DATE:19600101\nRRULE:FREQ=DAILY'), 'recurs too often'],
];
it.each(refused)('is refused by name: %s', async (_, file, problem) => {
  await expect(readIcs(file, OPTIONS)).rejects.toMatchObject({
    path: 'ics',
    message: expect.stringContaining(problem),
  });
});
