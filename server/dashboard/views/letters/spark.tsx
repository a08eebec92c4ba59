import type { LetterGroupAnswer } from '../../api/types';

export interface OverTime {
  from: string;
  days: number;
  counts: { failureType: string; step: string | null; workflowType: string | null; at: string; letters: number }[];
}

const DAY = 86_400_000;
const [BAR, HEIGHT] = [6, 20];

export function Spark({ overTime, group }: { overTime: OverTime | undefined; group: LetterGroupAnswer }) {
  if (!overTime) return null;
  const days = new Array<number>(overTime.days).fill(0);
  for (const { failureType, step, workflowType, at, letters } of overTime.counts) {
    if (failureType !== group.failureType || step !== group.step || workflowType !== group.workflowType) continue;
    const day = Math.floor((Date.parse(at) - Date.parse(overTime.from)) / DAY);
    if (day >= 0 && day < days.length) days[day]! += letters;
  }
  const most = Math.max(1, ...days);
  const total = days.reduce((sum, count) => sum + count, 0);
  const label = `${total} in ${overTime.days} days, ${days.at(-1)} today, ${most} on the worst day`;
  return (
    <svg class="chart spark" viewBox={`0 0 ${days.length * (BAR + 1)} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      {days.map((count, day) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
        return (
          <rect
            key={day}
            class={count === 0 ? 'other' : 'failed'}
            x={day * (BAR + 1)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          />
        );
      })}
    </svg>
  );
}
