import { ALERT_DEFAULTS } from '../../core/alerts';
import { OVERDUE_READ_AT_MOST, readForgotten, readOverdue } from '../../store/alerts/overdue';
import { readSetAside } from '../../store/alerts/set-aside';
import { READ_AT_MOST } from '../../store/alerts/sighting';
import { readCalendarUses } from '../../store/calendars/rows';
import { type Check, counted, some } from '../finding';
import { before, type LedgerContext, MINUTE } from './context';

export const SCHEDULE_CHECKS: Check<LedgerContext>[] = [
  {
    name: 'occurrences without an answer',
    async find({ store, ...at }) {
      const query = { overdueBefore: before(at, ALERT_DEFAULTS.overdueMilliseconds) };
      const first = await readOverdue(store, query);
      // Whoever claims just now has done so by this second read.
      const overdue = first.length === 0 ? [] : await readOverdue(store, query);
      if (overdue.length === 0) return [];
      const [oldest] = overdue as [(typeof overdue)[number]];
      return [
        {
          id: 'overdue',
          severity: 'critical',
          text: `${counted(overdue.length, 'schedule', ['is', 'are'], OVERDUE_READ_AT_MOST)} due and not claimed, since ${oldest.at.toISOString()}: ${some(overdue.map(({ scheduleId }) => scheduleId))}.`,
          action: `Ask 'escapement explain ${oldest.scheduleId} ${oldest.at.toISOString()}' what holds it.`,
          runBook: 'late-firings',
        },
      ];
    },
  },
  {
    name: 'schedules that are set aside',
    async find({ store }) {
      const aside = await readSetAside(store);
      if (aside.length === 0) return [];
      const [first] = aside as [(typeof aside)[number]];
      return [
        {
          id: 'schedule_set_aside',
          severity: 'critical',
          text: `${counted(aside.length, 'schedule', ['cannot be evaluated and does', 'cannot be evaluated and do'], READ_AT_MOST)} not fire: ${some(aside.map(({ scheduleId }) => scheduleId))}. The first: ${first.detail}.`,
          action: "Mend its spec with 'escapement schedule update'; it fires again by then.",
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
  {
    name: 'schedules without a next time',
    async find({ store, now }) {
      const stuck = (await readForgotten(store, { now })).map(({ scheduleId }) => scheduleId);
      if (stuck.length === 0) return [];
      return [
        {
          id: 'never_fires',
          severity: 'critical',
          text: `${counted(stuck.length, 'schedule', ['is', 'are'], READ_AT_MOST)} not finished and yet without a next time: ${some(stuck)}.`,
          action: 'Pause and unpause it, which computes its next time again, and report that.',
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
  {
    name: 'calendars of days that end',
    async find({ store, now }) {
      const by = new Date(now.getTime() + DAYS_LEFT * 24 * 60 * MINUTE).toISOString().slice(0, DATE_LENGTH);
      const used = (await readCalendarUses(store, { tenant: undefined }, CALENDARS_READ_AT_MOST))
        .filter(({ schedules, days }) => schedules > 0 && days !== '')
        .map(({ name, days }) => ({ name, last: days.slice(-DATE_LENGTH) }));
      const ending = used.filter(({ last }) => last < by).sort((one, other) => (one.last < other.last ? -1 : 1));
      if (ending.length === 0) return [];
      return [
        {
          id: 'calendar_ends',
          severity: 'warning',
          text: `${counted(ending.length, 'calendar', ['that schedules name has', 'that schedules name have'])} no day after ${by}: ${some(ending.map(({ name }) => name))}. The first ends on ${ending[0]!.last}.`,
          action: "Put it again with the days to come ('escapement calendar put'), or take its name out of the specs.",
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
];

/** Two months: the holidays of a year are published long before it begins, and somebody must fetch them. */
const DAYS_LEFT = 60;
/** Such as `2026-12-26`. */
const DATE_LENGTH = 10;
const CALENDARS_READ_AT_MOST = 10_000;
