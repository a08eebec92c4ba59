import { useResource } from '../../api/resource';
import type { CalendarAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { reasonInWords } from '../../parts/words';

type Day = CalendarAnswer['days'][number];

export function CalendarTab({ scheduleId }: { scheduleId: string }) {
  const calendar = useResource<CalendarAnswer>(`v1/schedules/${encodeURIComponent(scheduleId)}/calendar`, {
    every: 60_000,
  });
  return (
    <Shown of={calendar}>
      {({ days, zone, today }) => (
        <Panel title="Twelve months" aside={<span class="quiet">days of {zone}</span>}>
          <div class="stack">
            <ul class="legend">
              <li>
                <span class="day-key day-good">1</span> all completed
              </li>
              <li>
                <span class="day-key day-bad">1</span> something failed
              </li>
              <li>
                <span class="day-key day-gap">1</span> something did not fire
              </li>
              <li>
                <span class="day-key day-ahead">1</span> will fire
              </li>
            </ul>
            <div class="months">
              {monthsOf(days).map(([month, own]) => (
                <Month key={month} month={month} days={own} today={today} />
              ))}
            </div>
          </div>
        </Panel>
      )}
    </Shown>
  );
}

function monthsOf(days: Day[]): [string, Day[]][] {
  const months = new Map<string, Day[]>();
  for (const day of days) {
    const month = day.day.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), day]);
  }
  return [...months];
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function Month({ month, days, today }: { month: string; days: Day[]; today: string }) {
  const name = new Date(`${month}-01T00:00Z`).toLocaleDateString('en', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const weeks: (Day | undefined)[][] = [];
  for (const day of days) {
    const weekday = (new Date(`${day.day}T00:00Z`).getUTCDay() + 6) % 7;
    if (weeks.length === 0 || weekday === 0) weeks.push(new Array(7).fill(undefined));
    weeks.at(-1)![weekday] = day;
  }
  return (
    <table class="month">
      <caption>{name}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((weekday) => (
            <th key={weekday} scope="col">
              <abbr title={weekday}>{weekday[0]}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find(Boolean)!.day}>
            {week.map((day, at) => (
              <td key={at} aria-current={day?.day === today ? 'date' : undefined}>
                {day ? <DayCell day={day} /> : null}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DayCell({ day }: { day: Day }) {
  const number = Number(day.day.slice(8));
  const said = sayDay(day);
  return (
    <span class={classOf(day)} title={`${day.day}: ${said}`}>
      {number}
      <span class="visually-hidden">: {said}</span>
    </span>
  );
}

function classOf({ failed, gap, completed, skipped, other, ahead }: Day): string {
  if (failed > 0) return 'day-bad';
  if (gap !== undefined || skipped > 0) return 'day-gap';
  if (completed > 0 || other > 0) return 'day-good';
  return ahead > 0 ? 'day-ahead' : 'day-none';
}

function sayDay({ completed, failed, skipped, other, gap, ahead }: Day): string {
  const said = [
    completed > 0 ? `${completed.toLocaleString('en')} completed` : '',
    failed > 0 ? `${failed.toLocaleString('en')} failed` : '',
    skipped > 0 ? `${skipped.toLocaleString('en')} skipped` : '',
    other > 0 ? `${other.toLocaleString('en')} others` : '',
    gap === undefined ? '' : `some did not fire: ${reasonInWords(gap)}`,
    ahead > 0 ? `${ahead.toLocaleString('en')} to come` : '',
  ].filter(Boolean);
  return said.length === 0 ? 'nothing' : said.join(', ');
}
