import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { useResource } from '../../api/resource';
import type { AgendaAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { hrefOf } from '../../router';
import { now } from '../../time/clock';
import { useSettings } from '../../time/settings';
import { type Ahead, cellsOf, levelOf } from './cells';
import { MinuteMap } from './minute-map';
import { weekStart } from './ranges';
import { Stampedes } from './stampedes';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 7;

/** Seven days, requested one by one, so that the first appears early. */
export function Week({ query }: { query: URLSearchParams }) {
  const { zone } = useSettings();
  const [first] = useState(() => Math.floor(now() / HOUR) * HOUR);
  const from = weekStart(first, now());
  const [asked, setAsked] = useState(1);
  const days = Array.from({ length: DAYS }, (_, day) => {
    const range = { from: iso(from + day * DAY), to: iso(from + (day + 1) * DAY) };
    const path = day < asked ? `v1/agenda?${new URLSearchParams(range)}` : undefined;
    return useResource<AgendaAnswer>(path, { every: 60_000 });
  });
  const unread = days.findIndex(({ data }) => data === undefined);
  // Days after one that is missing are left out, since the minutes of all days are shown as one row.
  const read = (unread < 0 ? days : days.slice(0, unread)).map(({ data }) => data!);
  useEffect(() => {
    if (read.length === asked && asked < DAYS) setAsked(asked + 1);
  }, [read.length, asked]);
  const failed = days.find(({ problem }) => problem);
  const problem = failed ? <Shown of={failed}>{() => null}</Shown> : null;
  if (read.length === 0) return problem ?? <Shown of={days[0]!}>{() => null}</Shown>;
  const week = joined(read);
  if (week.firings === 0) {
    return problem ?? <Empty>{read.length < DAYS ? 'Reading …' : 'Nothing fires within seven days.'}</Empty>;
  }
  return (
    <>
      {problem}
      <p aria-live="polite">
        <strong>{counted(week.firings, 'firing')}</strong> within {counted(read.length, 'day')}
        {week.leftOut > 0 ? `; ${counted(week.leftOut, 'schedule')} not counted` : ''}
        {read.length < DAYS ? '. Reading the days after …' : '.'}
      </p>
      <Hours data={week} zone={zone} />
      <MinuteMap data={week} zone={zone} day={query.get('day') ?? ''} />
      <Stampedes data={week} zone={zone} />
    </>
  );
}

function joined(days: AgendaAnswer[]): Ahead {
  return {
    from: days[0]!.from,
    minutes: days.flatMap(({ minutes }) => minutes),
    firings: days.reduce((sum, { firings }) => sum + firings, 0),
    leftOut: Math.max(...days.map(({ leftOut }) => leftOut)),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function Hours({ data, zone }: { data: Ahead; zone: string }) {
  const { days, hours } = cellsOf(data, zone);
  const most = Math.max(...hours.values());
  return (
    <Panel
      title="Firings by day and hour"
      aside={<span class="quiet">in {zone}; a cell leads to what fires in it</span>}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="heat-wrap" aria-label="Firings by day and hour" tabIndex={0}>
        <table class="heat-table">
          <thead>
            <tr>
              <td />
              {Array.from({ length: 24 }, (_, hour) => (
                <th key={hour} scope="col">
                  {String(hour).padStart(2, '0')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, name, hours: ranges }) => (
              <tr key={day}>
                <th scope="row">{name}</th>
                {Array.from({ length: 24 }, (_, hour) => {
                  const range = ranges.get(hour);
                  const count = hours.get(`${day} ${hour}`) ?? 0;
                  return (
                    <td key={hour}>
                      {range === undefined ? null : (
                        <a
                          class={`heat-cell level-${levelOf(count, most)}`}
                          href={hrefOf(['ahead'], {
                            tab: 'between',
                            from: iso(range.from),
                            to: iso(range.to),
                          })}
                          aria-label={`${name} ${hour} o’clock: ${counted(count, 'firing')}`}
                        >
                          {short(count)}
                        </a>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}

function short(count: number): string {
  if (count === 0) return '';
  if (count < 1_000) return String(count);
  return count < 10_000 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
}
