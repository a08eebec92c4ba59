import { expect, it } from 'vitest';
import { cellsOf } from '../../../server/dashboard/views/ahead/cells';

const HOUR = 60;

/** One firing at each of these instants, within a number of hours that begin at `from`. */
function cellsWith({ from, hours, at }: { from: string; hours: number; at: string[] }, zone: string) {
  const minutes = new Array<number>(hours * HOUR).fill(0);
  for (const instant of at) minutes[(Date.parse(instant) - Date.parse(from)) / 60_000]! += 1;
  return cellsOf({ from, minutes, firings: at.length, leftOut: 0 }, zone);
}

/** The cells and the minutes of days that have firings. */
function filled({ hours, minutes }: ReturnType<typeof cellsOf>) {
  const some = [...hours].filter(([, count]) => count > 0).map(([cell]) => cell);
  const days = [...minutes].filter(([day]) => day !== '');
  return {
    cells: some,
    minutes: days.flatMap(([day, of]) => of.flatMap((count, at) => (count ? `${day} ${at}` : []))),
  };
}

it('in a zone of half hours, midnight is on its own day and each firing in its own hour', () => {
  const at = ['2026-11-26T18:30:00Z', '2026-11-27T03:30:00Z'];
  const cells = cellsWith({ from: '2026-11-26T18:00:00Z', hours: 24, at }, 'Asia/Kolkata');
  expect(filled(cells)).toEqual({
    cells: ['2026-11-27 0', '2026-11-27 9'],
    minutes: ['2026-11-27 0', `2026-11-27 ${9 * HOUR}`],
  });
});

it('a clock change in the midst of an hour of UTC moves what is after it', () => {
  // In Adelaide the clocks go from 02:00 to 03:00 at 16:30 in UTC.
  const at = ['2026-10-03T16:29:00Z', '2026-10-03T16:30:00Z'];
  const cells = cellsWith({ from: '2026-10-03T16:00:00Z', hours: 2, at }, 'Australia/Adelaide');
  expect(filled(cells).minutes).toEqual([`2026-10-04 ${HOUR + 59}`, `2026-10-04 ${3 * HOUR}`]);
});

it('a cell leads to exactly what it counts: the rest of an hour, an hour, or one that occurs twice', () => {
  const kolkata = cellsWith({ from: '2026-11-26T18:00:00Z', hours: 24, at: [] }, 'Asia/Kolkata');
  expect(kolkata.days.map(({ hours }) => hours.get(23))).toEqual([
    { from: Date.parse('2026-11-26T18:00:00Z'), to: Date.parse('2026-11-26T18:30:00Z') },
    { from: Date.parse('2026-11-27T17:30:00Z'), to: Date.parse('2026-11-27T18:00:00Z') },
  ]);
  expect(kolkata.days[1]!.hours.get(9)).toEqual({
    from: Date.parse('2026-11-27T03:30:00Z'),
    to: Date.parse('2026-11-27T04:30:00Z'),
  });
  const berlin = cellsWith({ from: '2026-10-24T22:00:00Z', hours: 24, at: [] }, 'Europe/Berlin');
  expect(berlin.days[0]!.hours.get(2)).toEqual({
    from: Date.parse('2026-10-25T00:00:00Z'),
    to: Date.parse('2026-10-25T02:00:00Z'),
  });
});
