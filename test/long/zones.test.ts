import { describe, expect, it } from 'vitest';
import { zoneNamed } from '../../core/occurrences/zones/zones';

const END = 4_133_980_799;
/** Shorter than any time between two changes, and not a multiple of the table's own interval. */
const STEP = 6 * 86_400 - 3 * 3600;
/** Two changes that the table overlooks have others around them: in Gaza and Hebron at most 50 days away. */
const SEASON = 100 * 86_400;

/** What the wall clock shows, in minutes of the day: an oracle that shares nothing with the table. */
function wallClock(timeZone: string): (second: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return (second) => {
    const text = format.format(second * 1000);
    return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  };
}

function minuteOfDay(local: number): number {
  return Math.floor((((local % 86_400) + 86_400) % 86_400) / 60);
}

describe('the tables of all time zones', () => {
  it('agree with the wall clock of each zone, on both sides of every change until 2100 and all around it', () => {
    const wrong: string[] = [];
    const look = (name: string, shows: (second: number) => number, second: number) => {
      const expected = minuteOfDay(second + zoneNamed(name, 'spec.timezone').offset(second));
      if (shows(second) !== expected) wrong.push(`${name} at ${new Date(second * 1000).toISOString()}`);
    };
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const shows = wallClock(name);
      const table = zoneNamed(name, 'spec.timezone');
      for (const second of [0, END]) table.cover(second);
      let second = 0;
      for (const start of table.starts) {
        if (start <= 0 || start > END) continue;
        for (second = Math.max(second, start - SEASON); second < start + SEASON; second += STEP)
          look(name, shows, second);
        look(name, shows, start - 1);
        look(name, shows, start);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });
});
