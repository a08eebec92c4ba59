import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

const EACH_DAY = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'DTSTART;VALUE=DATE:19900101', 'RRULE:FREQ=DAILY']
  .concat(['END:VEVENT', 'END:VCALENDAR', ''])
  .join('\r\n');

const refused: [string, string, object][] = [
  ['x y', 'name', { days: [] }],
  ['2026-12-25', 'name', { days: [] }],
  ['x', 'days', {}],
  ['x', 'days', { days: [], ics: '' }],
  ['x', 'days[0]', { days: ['2026-02-30'] }],
  ['x', 'days', { days: ['1969-12-31'] }],
  ['x', 'from', { days: [], from: '2026-01-01' }],
  ['x', 'ics', { ics: 'hello' }],
  ['x', 'ics', { ics: EACH_DAY, from: '1990-01-01', through: '2030-12-31' }],
  ['x', 'dayz', { dayz: [] }],
];
it.each(refused)('what cannot be is refused and writes nothing: %s, %s', async (name, path, options) => {
  await expect(ledger().client.calendars.put(name, options)).rejects.toMatchObject({ path });
  expect(await ledger().client.calendars.list()).toEqual([]);
});
