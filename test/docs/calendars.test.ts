import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { wordsOf } from '../support/pages/page-commands';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const PAGE = readFileSync(resolve(__dirname, '../../docs/calendars.md'), 'utf8');
const FILE = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1
SUMMARY:Christmas Day
DTSTART;VALUE=DATE:20001225
RRULE:FREQ=YEARLY
END:VEVENT
END:VCALENDAR
`;

it('each command of the page is run in its order as it stands there', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'calendars-')), 'de-holidays.ics');
  writeFileSync(file, FILE.replaceAll('\n', '\r\n'));
  const [, block] = /```sh\n([\s\S]*?)```/.exec(PAGE)!;
  const lines = block!.split('\n').filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(8);
  const told: string[] = [];
  for (const line of lines) {
    const [, ...args] = wordsOf(line, {});
    const given = args.map((arg) => (arg === 'de-holidays.ics' ? file : arg));
    const { code, stdout, stderr } = await runCommand(given, { DATABASE_URL: ledger().databaseUrl });
    expect([line, code, stderr]).toEqual([line, 0, '']);
    told.push(stdout);
  }
  const [planned, put, , list, shown, next, , explained, , deleted] = told;
  expect(planned).toContain("Calendar 'de-holidays' would have 16 days (new).");
  expect(put).toBe("Calendar 'de-holidays' has 16 days (new).\n0 schedules follow the change.");
  expect(list).toContain('inventory');
  expect(shown).toContain('2026-12-25  Christmas Day');
  expect(next).toMatch(/^.+\(UTC\)\nSat 2026-12-26 02:00:00 .*$/);
  // By the time of whoever runs it the day may have passed.
  expect(explained).toMatch(/skipped: 2026-12-25 is in calendar de-holidays \(Christmas Day\)|did not exist/);
  expect(deleted).toBe("Calendar 'de-holidays' is deleted.");
});
