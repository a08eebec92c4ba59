import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource';
import type { AgendaAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { counted } from '../../parts/words';
import { hrefOf } from '../../router';
import { now } from '../../time/clock';
import { useSettings } from '../../time/settings';
import { cellsOf, levelOf } from './cells';
import { MinuteMap } from './minute-map';
import { Stampedes } from './stampedes';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;

/** Seven days from this hour on. */
export function Week({ query }: { query: URLSearchParams }) {
  const { zone } = useSettings();
  // One question for as long as the page is open: answers to it are shared.
  const [from] = useState(() => Math.floor(now() / HOUR) * HOUR);
  const range = { from: new Date(from).toISOString(), to: new Date(from + WEEK).toISOString() };
  const agenda = useResource<AgendaAnswer>(`v1/agenda?${new URLSearchParams(range)}`, { every: 60_000 });
  return (
    <Shown of={agenda}>
      {(data) =>
        data.firings === 0 ? (
          <Empty>Nothing fires within seven days.</Empty>
        ) : (
          <>
            <p>
              <strong>{counted(data.firings, 'firing')}</strong> of {counted(data.schedules, 'schedule')} within seven
              days
              {data.isEstimated ? ', estimated from some of them' : ''}
              {data.leftOut > 0 ? `; ${counted(data.leftOut, 'schedule')} not counted` : ''}.
            </p>
            <Hours data={data} zone={zone} />
            <MinuteMap data={data} zone={zone} day={query.get('day') ?? ''} />
            <Stampedes data={data} zone={zone} />
          </>
        )
      }
    </Shown>
  );
}

/** Day by hour, each cell with its number. */
function Hours({ data, zone }: { data: AgendaAnswer; zone: string }) {
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
            {days.map(({ day, name, starts }) => (
              <tr key={day}>
                <th scope="row">{name}</th>
                {Array.from({ length: 24 }, (_, hour) => {
                  const start = starts.get(hour);
                  const count = hours.get(`${day} ${hour}`) ?? 0;
                  return (
                    <td key={hour}>
                      {start === undefined ? null : (
                        <a
                          class={`heat-cell level-${levelOf(count, most)}`}
                          href={hrefOf(['ahead'], {
                            tab: 'between',
                            from: new Date(start).toISOString(),
                            to: new Date(start + HOUR).toISOString(),
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
