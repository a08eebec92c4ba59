import { ALERT_DEFAULTS } from '../../core/alert-defaults';
import { counted } from '../../core/counted';
import { inShell } from '../../core/shell';
import { readForgotten, readOverdue, readStillOverdue } from '../../store/alerts/overdue';
import type { Places } from '../../store/alerts/pages';
import { readSetAside } from '../../store/alerts/set-aside';
import { SCHEDULES_READ_AT_MOST, type Sighting } from '../../store/alerts/sighting';
import { type EndingCalendar, readEndingCalendars } from '../../store/calendars/rows';
import { readUnreadableFreezes } from '../../store/freezes/matching';
import { type Check, countedWith, listed, some } from '../finding';
import { before, type LedgerContext, MINUTE } from './context';

export const SCHEDULE_CHECKS: Check<LedgerContext>[] = [
  {
    name: 'occurrences without an answer',
    async find({ store, ...at }) {
      const overdueBefore = before(at, ALERT_DEFAULTS.overdueMilliseconds);
      const places: Places = {};
      let first: Sighting[];
      // A page of due timers may have no overdue schedule. Then the next page is read too.
      do first = await readOverdue(store, { overdueBefore, places });
      while (first.length === 0 && places.overdue);
      // Read a second time, since a trigger may have claimed the occurrences in between.
      const overdue = first.length === 0 ? [] : await readStillOverdue(store, { overdueBefore, only: first });
      if (overdue.length === 0) return [];
      const readAtMost = Object.keys(places).length > 0 ? overdue.length : undefined;
      const [oldest] = overdue as [(typeof overdue)[number]];
      return [
        {
          id: 'overdue',
          severity: 'critical',
          text: `${countedWith(overdue.length, 'schedule', ['is', 'are'], readAtMost)} due and not claimed, since ${oldest.at.toISOString()}: ${some(overdue.map(({ scheduleId }) => scheduleId))}.`,
          action: `To see why, run 'escapement explain ${inShell(oldest.scheduleId)} ${oldest.at.toISOString()}'.`,
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
          text: `${countedWith(aside.length, 'schedule', ['has a definition that cannot be used and does', 'have a definition that cannot be used and do'], SCHEDULES_READ_AT_MOST)} not fire: ${some(aside.map(({ scheduleId }) => scheduleId))}. The first: ${first.detail}.`,
          action: `Write its definition again: 'escapement schedule update ${inShell(first.scheduleId)}' with --cron, --type and --task-queue. Or delete it.`,
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
          text: `${countedWith(stuck.length, 'schedule', ['is', 'are'], SCHEDULES_READ_AT_MOST)} not finished, but without a next time: ${some(stuck)}.`,
          action: 'Pause and unpause it: that computes its next time again. Then report this as a bug.',
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
  {
    name: 'freezes that cannot be read',
    async find({ store, now }) {
      const unreadable = await readUnreadableFreezes(store, now);
      const [first] = unreadable;
      if (!first) return [];
      return [
        {
          id: 'freeze_unreadable',
          severity: 'warning',
          text: `${countedWith(unreadable.length, 'freeze', ['has a filter that this version cannot read, and holds all schedules of its', 'have filters that this version cannot read, and hold all schedules of their'])} tenant, source and IDs: ${some(unreadable.map(({ freezeId }) => freezeId))}. The first: ${first.problem}.`,
          action: `Upgrade this program and the triggers, or end it: 'escapement freeze end ${first.freezeId}'.`,
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
  {
    name: 'calendars of days that end',
    async find({ store, ...at }) {
      const days = CALENDAR_DAYS * 24 * 60 * MINUTE;
      const from = new Date(at.now.getTime() + days).toISOString().slice(0, 'yyyy-mm-dd'.length);
      const query = { from, finishedSince: before(at, days), limit: SCHEDULES_READ_AT_MOST };
      const ending = await readEndingCalendars(store, query);
      const [first] = ending;
      if (!first) return [];
      const put = `escapement calendar put ${inShell(first.name)} FILE${first.tenant === '' ? '' : ` --tenant ${inShell(first.tenant)}`}`;
      return [
        {
          id: 'calendar_ends',
          severity: 'warning',
          text: `${countedWith(ending.length, 'calendar', ['used by schedules has', 'used by schedules have'], SCHEDULES_READ_AT_MOST)} no day from ${from} on: ${listed(ending.map(calendarInWords))}.`,
          action: `Add the days to come ('${put}'), or remove its name from the specs.`,
          runBook: 'schedules-that-do-not-fire',
        },
      ];
    },
  },
];

function calendarInWords({ tenant, name, last, schedules }: EndingCalendar): string {
  const whose = tenant === '' ? '' : ` of tenant '${tenant}'`;
  const end = last === null ? 'it has no day at all' : `its last day is ${last}`;
  return `'${name}'${whose} (${counted(schedules, 'schedule')}; ${end})`;
}

/**
 * A calendar is reported less than this many days before its last day, so that somebody adds days in time. A calendar
 * also counts as in use until this many days after a schedule with `onlyDays` has run out of times.
 */
const CALENDAR_DAYS = 60;
