import { expect, it } from 'vitest';
import { readIcs } from '../../../client/calendars/read-ics';

const OPTIONS = { from: '2025-01-01', through: '2028-12-31', ignoreTimed: false };
const fileOf = (...events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...events.map(eventOf), 'END:VCALENDAR', ''].join('\r\n');
const eventOf = (lines: string) => ['BEGIN:VEVENT', ...withUid(lines).split('\n'), 'END:VEVENT'].join('\r\n');
const withUid = (lines: string) => (lines.includes('UID:') ? lines : `UID:1\n${lines}`);
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
    'several days, of which only those in the years count',
    ['DTSTART;VALUE=DATE:20241230\nDTEND;VALUE=DATE:20250102\nRRULE:FREQ=YEARLY;INTERVAL=4'],
    ['2025-01-01', '2028-12-30', '2028-12-31'],
  ],
  [
    'a change to several days, of which only those in the years count',
    ['RECURRENCE-ID;VALUE=DATE:20281224\nDTSTART;VALUE=DATE:20281230\nDTEND;VALUE=DATE:20290103'],
    ['2028-12-30', '2028-12-31'],
  ],
  [
    'a rule that February has no day of',
    ['DTSTART;VALUE=DATE:20250130\nRRULE:FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=30;COUNT=4'],
    ['2025-01-30', '2026-01-30', '2027-01-30', '2028-01-30'],
  ],
  [
    'the week of the school holidays',
    ['DTSTART;VALUE=DATE:20260223\nRRULE:FREQ=YEARLY;BYWEEKNO=9;BYDAY=MO,TU;COUNT=4'],
    ['2026-02-23', '2026-02-24', '2027-03-01', '2027-03-02'],
  ],
  [
    // Python's isocalendar: 2022-01-01 is the Saturday of week 52 of 2021, and 2021-01-02 that of week 53 of 2020.
    'week 52, across the end of a year',
    ['DTSTART;VALUE=DATE:20251227\nRRULE:FREQ=YEARLY;BYWEEKNO=52;BYDAY=SA', 'DTSTART;VALUE=DATE:20260101'],
    ['2025-12-27', '2026-12-26', '2028-01-01', '2028-12-30', '2026-01-01'],
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
    'one that was moved out, and one that was moved in',
    [
      'DTSTART;VALUE=DATE:20250101\nRRULE:FREQ=YEARLY',
      'RECURRENCE-ID;VALUE=DATE:20250101\nDTSTART;VALUE=DATE:20241231',
      'RECURRENCE-ID;VALUE=DATE:20290101\nDTSTART;VALUE=DATE:20281230',
    ],
    ['2026-01-01', '2027-01-01', '2028-01-01', '2028-12-30'],
  ],
  [
    'a change of one event is none of another',
    [
      'DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;COUNT=2',
      'UID:2\nRECURRENCE-ID;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270504',
    ],
    ['2027-05-01', '2028-05-01', '2027-05-04'],
  ],
  [
    'a change whose event is elsewhere',
    ['RECURRENCE-ID;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270504'],
    ['2027-05-04'],
  ],
  [
    'what is cancelled with its changes',
    [
      'UID:2\nDTSTART;VALUE=DATE:20260501\nRRULE:FREQ=YEARLY\nSTATUS:CANCELLED',
      'UID:2\nRECURRENCE-ID;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270504',
      'DTSTART;VALUE=DATE:20261225',
    ],
    ['2026-12-25'],
  ],
  [
    'exceptions that are written as midnight',
    ['DTSTART;VALUE=DATE:20270501\nRRULE:FREQ=YEARLY;UNTIL=20281231T235959Z\nEXDATE:20270501T000000Z'],
    ['2028-05-01'],
  ],
  [
    'a first day before the range, which its rule does not have',
    ['DTSTART;VALUE=DATE:20200101\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH'],
    ['2025-11-27', '2026-11-26', '2027-11-25', '2028-11-23'],
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

it('a file may begin with a byte order mark, and a label that could not be stored is mended', async () => {
  const file = fileOf(
    `SUMMARY:x${'😀'.repeat(150)}\nDTSTART;VALUE=DATE:20261225`,
    'SUMMARY:A\0B\nDTSTART;VALUE=DATE:20261226',
    `SUMMARY:${'a'.repeat(197)}\nDTSTART;VALUE=DATE:20261227`,
    'SUMMARY:😀\nDTSTART;VALUE=DATE:20261227',
  );
  expect([...(await readIcs(`\uFEFF${file}`, OPTIONS)).values()]).toEqual([
    `x${'😀'.repeat(99)}\uFFFD`,
    'A\uFFFDB',
    `${'a'.repeat(197)}, \uFFFD`,
  ]);
});

const rule = (text: string) => fileOf(`DTSTART;VALUE=DATE:20260101\nRRULE:${text}`);
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
  ['each second', rule('FREQ=SECONDLY'), 'has a rule without certain days: FREQ=SECONDLY'],
  ['another calendar', rule('FREQ=YEARLY;RSCALE=HEBREW'), 'RSCALE'],
  ['a week without its day', rule('FREQ=YEARLY;BYWEEKNO=1'), 'BYWEEKNO without FREQ=YEARLY and plain BYDAY'],
  ['every second week', rule('FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=TH'), 'BYWEEKNO with INTERVAL'],
  ['a day of the year in months', rule('FREQ=MONTHLY;BYYEARDAY=1'), 'BYYEARDAY with FREQ=MONTHLY'],
  ['a day of the month in weeks', rule('FREQ=WEEKLY;BYMONTHDAY=1'), 'BYMONTHDAY with FREQ=WEEKLY'],
  ['the second Thursday of a week', rule('FREQ=WEEKLY;BYDAY=2TH'), 'a numbered BYDAY with FREQ=WEEKLY'],
  ['an end at a time of day', rule('FREQ=YEARLY;UNTIL=20271231T230000Z'), 'UNTIL with a time of day'],
  [
    'a first day that the rule does not have',
    rule('FREQ=YEARLY;BYMONTH=2'),
    'its rule does not have; correct its DTSTART',
  ],
  [
    'such a first day that would count',
    fileOf('DTSTART;VALUE=DATE:20200101\nRRULE:FREQ=YEARLY;BYMONTH=2;COUNT=9'),
    'correct its DTSTART',
  ],
  ['a rule of exceptions', rule('FREQ=YEARLY\nEXRULE:FREQ=YEARLY;INTERVAL=2'), 'has an EXRULE'],
  [
    'a change of all later ones',
    fileOf('RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270504'),
    'RANGE=THISANDFUTURE',
  ],
  [
    'a cancellation of all later ones',
    fileOf(
      'DTSTART;VALUE=DATE:20250501\nRRULE:FREQ=YEARLY',
      'RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20270501\nDTSTART;VALUE=DATE:20270501\nSTATUS:CANCELLED',
    ),
    'RANGE=THISANDFUTURE',
  ],
  ['an additional time of day', rule('FREQ=YEARLY\nRDATE:20270101T230000Z'), 'in RDATE, which is no whole day'],
  ['a date that does not say so', fileOf('SUMMARY:New Year\nDTSTART:20260101'), 'event "New Year" cannot be read'],
  ['a century', fileOf('DTSTART;VALUE=DATE:20000101\nDTEND;VALUE=DATE:21000101'), 'longer than ten years'],
  [
    'each week since the year 1000, six times',
    fileOf(...Array(6).fill('DTSTART;VALUE=DATE:10000101\nRRULE:FREQ=WEEKLY;COUNT=999999')),
    'recurs too often',
  ],
  [
    'ten years, again from each day on',
    fileOf('DTSTART;VALUE=DATE:20000101\nDTEND;VALUE=DATE:20100101\nRRULE:FREQ=DAILY'),
    'recurs too often, or lasts too long',
  ],
];
it.each(refused)('is refused by name: %s', async (_, file, problem) => {
  await expect(readIcs(file, OPTIONS)).rejects.toMatchObject({
    path: 'ics',
    message: expect.stringContaining(problem),
  });
});

it('refuses to move all later days of a series to a time of day, also where timed events are left out', async () => {
  for (const change of [
    ';VALUE=DATE:20270501\nDTSTART:20270501T090000Z',
    // Some programs write a whole day as its midnight.
    ':20270501T000000Z\nDTSTART:20270501T090000Z',
    ':20270501T000000Z\nDTSTART:20270501T000000Z\nSTATUS:CANCELLED',
  ]) {
    const moved = fileOf(
      'DTSTART;VALUE=DATE:20250501\nRRULE:FREQ=YEARLY',
      `RECURRENCE-ID;RANGE=THISANDFUTURE${change}`,
    );
    await expect(readIcs(moved, { ...OPTIONS, ignoreTimed: true })).rejects.toThrow('RANGE=THISANDFUTURE');
  }
  const timed = fileOf(
    'DTSTART;VALUE=DATE:20260101',
    'UID:2\nDTSTART:20250501T080000Z\nRRULE:FREQ=YEARLY',
    'UID:2\nRECURRENCE-ID;RANGE=THISANDFUTURE:20270501T080000Z\nDTSTART:20270501T090000Z',
  );
  expect([...(await readIcs(timed, { ...OPTIONS, ignoreTimed: true })).keys()]).toEqual(['2026-01-01']);
});
