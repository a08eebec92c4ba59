/** Maps a value to a position in pixels. */
export type Scale = (value: number) => number;

/** A mark on an axis. */
export interface Tick {
  value: number;
  label: string;
}

export interface Line {
  label: string;
  points: [x: number, y: number][];
}

const WIDTH = 840;
const PLOT = { left: 70, top: 46, width: 520, height: 320 };
const LEGEND_LEFT = PLOT.left + PLOT.width + 20;
/** The colours of Okabe and Ito, chosen for people with colour blindness. Further lines use them again, dashed. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

export function linear(from: number, to: number): Scale {
  return (value) => (value - from) / (to - from || 1);
}

/** A logarithmic scale; values below `from` are drawn at `from`. */
export function logarithmic(from: number, to: number): Scale {
  return (value) => Math.log(Math.max(value, from) / from) / Math.log(to / from);
}

/** A chart of lines with a legend, as a whole SVG document. The scales map values to 0 … 1. */
export function chart(options: {
  title: string;
  xLabel: string;
  yLabel: string;
  x: { scale: Scale; ticks: Tick[] };
  y: { scale: Scale; ticks: Tick[] };
  lines: Line[];
}): string {
  const { x, y, lines } = options;
  const across = (value: number) => round(PLOT.left + Math.min(1, Math.max(0, x.scale(value))) * PLOT.width);
  const up = (value: number) => round(PLOT.top + (1 - Math.min(1, Math.max(0, y.scale(value)))) * PLOT.height);
  const bottom = PLOT.top + PLOT.height;
  const right = PLOT.left + PLOT.width;
  const parts = [
    text(PLOT.left, 24, options.title, 'font-size="16" font-weight="bold"'),
    ...x.ticks.flatMap(({ value, label }) => [
      `<path d="M${across(value)} ${PLOT.top}V${bottom}" stroke="#ddd"/>`,
      text(across(value), bottom + 18, label, 'text-anchor="middle"'),
    ]),
    ...y.ticks.flatMap(({ value, label }) => [
      `<path d="M${PLOT.left} ${up(value)}H${right}" stroke="#ddd"/>`,
      text(PLOT.left - 8, up(value) + 4, label, 'text-anchor="end"'),
    ]),
    `<path d="M${PLOT.left} ${PLOT.top}V${bottom}H${right}" stroke="#333" fill="none"/>`,
    text(PLOT.left + PLOT.width / 2, bottom + 40, options.xLabel, 'text-anchor="middle"'),
    text(
      0,
      0,
      options.yLabel,
      `text-anchor="middle" transform="translate(18 ${PLOT.top + PLOT.height / 2}) rotate(-90)"`,
    ),
    ...lines.flatMap(({ label, points }, index) => {
      const dashes = index < COLOURS.length ? '' : ' stroke-dasharray="6 4"';
      const style = (width: number) => `stroke="${COLOURS[index % COLOURS.length]!}" stroke-width="${width}"${dashes}`;
      const path = points.map(([atX, atY], place) => `${place === 0 ? 'M' : 'L'}${across(atX)} ${up(atY)}`).join('');
      const row = PLOT.top + 14 + index * 22;
      return [
        `<path d="${path}" ${style(2)} fill="none" stroke-linejoin="round"/>`,
        `<path d="M${LEGEND_LEFT} ${row}h22" ${style(3)}/>`,
        text(LEGEND_LEFT + 28, row + 4, label, ''),
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${bottom + 56}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
