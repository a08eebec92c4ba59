import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource';
import type { Mark } from '../../api/types';
import { Line } from '../../parts/chart';
import { Panel } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { answerHref } from '../../parts/strip';
import { Table } from '../../parts/table';
import { LOOKS } from '../../parts/words';
import { durationOf, exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { LAST, type StripsAnswer, stripPath } from './glance';

const SHOWN = 20;

export function Performance({ scheduleId }: { scheduleId: string }) {
  const strips = useResource<StripsAnswer>(stripPath(scheduleId));
  return (
    <Shown of={strips}>
      {({ strips: { [scheduleId]: marks = [] } }) => <Charts scheduleId={scheduleId} marks={marks} />}
    </Shown>
  );
}

function Charts({ scheduleId, marks }: { scheduleId: string; marks: Mark[] }) {
  const { zone } = useSettings();
  const started = marks.filter(({ lag }) => lag !== undefined);
  if (started.length === 0) return <Empty>Nothing was started yet.</Empty>;
  const at = started.map((mark) => Date.parse(mark.at));
  const axis = { at, zone, show: durationOf };
  const durations = started.flatMap(({ duration }) => (duration === undefined ? [] : [duration]));
  const lags = started.flatMap(({ lag }) => (lag === undefined ? [] : [lag]));
  return (
    <>
      <div class="columns">
        <Panel title="How long it ran" aside={<Middle values={durations} />}>
          <Line
            axis={axis}
            values={started.map(({ duration }) => duration ?? null)}
            label={`Durations of the last ${started.length} firings: ${inWords(durations)}.`}
          />
        </Panel>
        <Panel title="How late it started" aside={<Middle values={lags} />}>
          <Line
            axis={axis}
            values={started.map(({ lag }) => lag ?? null)}
            label={`Lag of the last ${started.length} firings: ${inWords(lags)}.`}
          />
        </Panel>
      </div>
      <Panel title={`Of the last ${LAST} answers, those that were started`} flush>
        <Rows scheduleId={scheduleId} started={started} zone={zone} />
      </Panel>
    </>
  );
}

function Rows({ scheduleId, started, zone }: { scheduleId: string; started: Mark[]; zone: string }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <Table
        caption="Durations and lag, newest first"
        keyOf={(mark) => mark.at}
        rows={[...started].reverse().slice(0, shown)}
        columns={[
          {
            title: 'Nominal time',
            isName: true,
            cell: (mark) => <a href={answerHref(scheduleId, mark.at)}>{exactOf(mark.at, zone)}</a>,
          },
          { title: 'Answer', cell: ({ look }) => LOOKS[look] },
          { title: 'Lag', isNumber: true, cell: ({ lag }) => durationOf(lag ?? 0) },
          {
            title: 'Ran for',
            isNumber: true,
            cell: ({ duration }) => (duration === undefined ? '–' : durationOf(duration)),
          },
        ]}
      />
      {started.length > shown ? (
        <div class="pager">
          <button type="button" class="button plain" onClick={() => setShown(started.length)}>
            {started.length - shown} older ones
          </button>
        </div>
      ) : null}
    </>
  );
}

function Middle({ values }: { values: number[] }) {
  return <span class="quiet">{inWords(values)}</span>;
}

function inWords(values: number[]): string {
  if (values.length === 0) return 'none has ended';
  const sorted = [...values].sort((one, other) => one - other);
  const half = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return `half within ${durationOf(half)}, the longest ${durationOf(sorted.at(-1)!)}`;
}
