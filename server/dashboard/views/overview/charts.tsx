import type { OutcomesOverTime } from '../../api/types';
import { Bars, Key, Line } from '../../parts/chart';
import { Panel } from '../../parts/panel';
import { Table } from '../../parts/table';
import { durationOf, exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { lagInWords } from './lag-words';

const SERIES = ['completed', 'failed', 'skipped', 'running', 'other', 'missed'] as const;

export function Charts({ answer }: { answer: OutcomesOverTime }) {
  const { zone } = useSettings();
  const { from, to, bucketMilliseconds, buckets, missed } = answer;
  const first = Date.parse(from);
  const at = Array.from(
    { length: Math.round((Date.parse(to) - first) / bucketMilliseconds) },
    (_, index) => first + index * bucketMilliseconds,
  );
  const byTime = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const missedByTime = new Map(missed.map((bucket) => [Date.parse(bucket.at), Number(bucket.missed)]));
  const series = SERIES.map((name) => ({
    name,
    values: at.map((time) => {
      if (name === 'missed') return missedByTime.get(time) ?? 0;
      const bucket = byTime.get(time);
      return (bucket?.[name] ?? 0) + (name === 'running' ? (bucket?.waiting ?? 0) : 0);
    }),
  }));
  const totals = series.map(({ name, values }) => ({ name, total: values.reduce((sum, value) => sum + value, 0) }));
  const shown = totals.filter(({ total }) => total > 0).map(({ name }) => name);
  const lag = at.map((time) => byTime.get(time)?.lagP99 ?? null);
  const said = totals
    .filter(({ total }) => total > 0)
    .map(({ name, total }) => `${total.toLocaleString('en')} ${name}`);
  return (
    <div class="columns">
      <Panel title="Firings of the last 24 hours, by outcome" aside={<Key names={shown} />}>
        <Bars
          axis={{ at, zone, show: shortNumber }}
          series={series}
          label={`Firings of the last 24 hours: ${said.join(', ') || 'none'}.`}
        />
      </Panel>
      <Panel title="Lag of the last 24 hours" aside={<span class="quiet">99 of 100 started within</span>}>
        <Line axis={{ at, zone, show: durationOf }} values={lag} label={lagInWords(lag)} />
        <details>
          <summary>Both as a table</summary>
          <Table
            caption="Firings and lag of the last 24 hours"
            keyOf={(bucket) => bucket.at}
            rows={[...buckets].reverse()}
            columns={[
              { title: 'From', isName: true, cell: (one) => exactOf(one.at, zone, { seconds: false }) },
              { title: 'Completed', isNumber: true, cell: (one) => one.completed.toLocaleString('en') },
              { title: 'Failed', isNumber: true, cell: (one) => one.failed.toLocaleString('en') },
              { title: 'Skipped', isNumber: true, cell: (one) => one.skipped.toLocaleString('en') },
              { title: 'Median lag', isNumber: true, cell: (one) => lagOf(one.lagP50) },
              { title: '99 of 100', isNumber: true, cell: (one) => lagOf(one.lagP99) },
              { title: 'Worst', isNumber: true, cell: (one) => lagOf(one.lagMax) },
            ]}
          />
        </details>
      </Panel>
    </div>
  );
}

function lagOf(milliseconds: number | null): string {
  return milliseconds === null ? '–' : durationOf(milliseconds);
}

function shortNumber(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(Math.round(value));
}
