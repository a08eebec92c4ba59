import { clockOf, exactOf } from '../time/format';

/** Margins for the numbers on the left and the times below. */
const [LEFT, BOTTOM, TOP] = [46, 18, 8];
const [WIDTH, HEIGHT] = [640, 150];
const LABELS = 6;

export interface Axis {
  /** The start of each bucket of the horizontal axis. */
  at: number[];
  zone: string;
  show: (value: number) => string;
}

/** Bars of several series, stacked. */
export function Bars({
  axis,
  series,
  label,
}: {
  axis: Axis;
  series: { name: string; values: number[] }[];
  /** The chart in one sentence with its numbers, for screen readers. */
  label: string;
}) {
  const totals = axis.at.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const most = Math.max(1, ...totals);
  const width = (WIDTH - LEFT) / axis.at.length;
  const height = HEIGHT - BOTTOM - TOP;
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <Axes axis={axis} most={most} step={width} />
      {axis.at.map((at, index) => {
        let base = HEIGHT - BOTTOM;
        return (
          <g key={at}>
            <title>
              {`${exactOf(new Date(at), axis.zone, { seconds: false })}: ${series
                .filter(({ values }) => (values[index] ?? 0) > 0)
                .map(({ name, values }) => `${values[index]!.toLocaleString('en')} ${name}`)
                .join(', ')}`}
            </title>
            {series.map(({ name, values }) => {
              const value = values[index] ?? 0;
              if (value === 0) return null;
              const size = Math.max((value / most) * height, 1.5);
              base -= size;
              return (
                <rect
                  key={name}
                  class={name}
                  x={LEFT + index * width + width * 0.08}
                  y={Math.max(base, 0)}
                  width={Math.max(width * 0.84, 1)}
                  height={size}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

/** One line; points without a value are left out. */
export function Line({ axis, values, label }: { axis: Axis; values: (number | null)[]; label: string }) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = (WIDTH - LEFT) / Math.max(axis.at.length, 1);
  const height = HEIGHT - BOTTOM - TOP;
  const point = (value: number, index: number): [number, number] => [
    LEFT + (index + 0.5) * step,
    HEIGHT - BOTTOM - (value / most) * height,
  ];
  const points = values.flatMap((value, index) => (value === null ? [] : [{ value, index, at: point(value, index) }]));
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <Axes axis={axis} most={most} step={step} />
      <polyline class="line" points={points.map(({ at }) => at.map((x) => x.toFixed(1)).join(',')).join(' ')} />
      {points.map(({ value, index, at: [x, y] }) => (
        <circle key={index} class="dot" cx={x} cy={y} r={points.length > 60 ? 1.5 : 2.4}>
          <title>{`${exactOf(new Date(axis.at[index]!), axis.zone)}: ${axis.show(value)}`}</title>
        </circle>
      ))}
    </svg>
  );
}

function Axes({ axis, most, step }: { axis: Axis; most: number; step: number }) {
  const every = Math.max(1, Math.ceil(axis.at.length / LABELS));
  const bottom = HEIGHT - BOTTOM;
  return (
    <g>
      {[0, 0.5, 1].map((part) => {
        const y = bottom - part * (bottom - TOP);
        return (
          <g key={part}>
            <line class="axis" x1={LEFT} x2={WIDTH} y1={y} y2={y} />
            <text x={LEFT - 6} y={y + 4} text-anchor="end">
              {part === 0.5 && most < 2 ? '' : axis.show(most * part)}
            </text>
          </g>
        );
      })}
      {axis.at.map((at, index) =>
        index % every === 0 ? (
          <text key={at} x={LEFT + index * step} y={HEIGHT - 3}>
            {clockOf(new Date(at), axis.zone)}
          </text>
        ) : null,
      )}
    </g>
  );
}

export function Key({ names }: { names: string[] }) {
  return (
    <ul class="legend" aria-hidden="true">
      {names.map((name) => (
        <li key={name}>
          <svg class="chart swatch" viewBox="0 0 10 10" aria-hidden="true">
            <rect class={name} width="10" height="10" rx="2" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
