import { counted } from '../../../../core/counted';
import { Choice } from '../../parts/field';
import { Panel } from '../../parts/panel';
import { go, hrefOf } from '../../router';
import { type Ahead, cellsOf, levelOf } from './cells';

const [CELL, LEFT, TOP] = [10, 26, 12];

export function MinuteMap({ data, zone, day }: { data: Ahead; zone: string; day: string }) {
  const { days, minutes } = cellsOf(data, zone);
  const shown = minutes.get(day) ?? minutes.get('')!;
  const most = Math.max(...shown);
  const fullest = shown.indexOf(most);
  const label = `Firings by minute of the day: the fullest minute is ${clock(fullest)} with ${counted(most, 'firing')}.`;
  return (
    <Panel
      title="Firings by minute of the day"
      aside={
        <Choice
          label="Day"
          value={day}
          options={[['', 'All seven together'], ...days.map(({ day: one, name }) => [one, name] as [string, string])]}
          onChange={(one: string) => go(hrefOf(['ahead'], { day: one }))}
        />
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="heat-wrap" aria-label="Map of minutes" tabIndex={0}>
        <svg
          class="chart minute-map"
          viewBox={`0 0 ${LEFT + 60 * CELL} ${TOP + 24 * CELL}`}
          role="img"
          aria-label={label}
        >
          {[0, 15, 30, 45].map((minute) => (
            <text key={minute} x={LEFT + minute * CELL} y={TOP - 3}>
              :{String(minute).padStart(2, '0')}
            </text>
          ))}
          {Array.from({ length: 24 }, (_, hour) => (
            <text key={hour} x={LEFT - 4} y={TOP + hour * CELL + 8.5} text-anchor="end">
              {String(hour).padStart(2, '0')}
            </text>
          ))}
          {shown.map((count, minute) => (
            <rect
              key={minute}
              class={`level-${levelOf(count, most)}`}
              x={LEFT + (minute % 60) * CELL}
              y={TOP + Math.floor(minute / 60) * CELL}
              width={CELL - 1}
              height={CELL - 1}
            >
              {count > 0 ? <title>{`${clock(minute)}: ${counted(count, 'firing')}`}</title> : null}
            </rect>
          ))}
        </svg>
      </section>
      <p class="quiet">{label}</p>
    </Panel>
  );
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
