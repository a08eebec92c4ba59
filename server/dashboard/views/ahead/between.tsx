import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { useResource } from '../../api/resource';
import type { AgendaAnswer } from '../../api/types';
import { TextField } from '../../parts/field';
import { Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { go, hrefOf } from '../../router';
import { now } from '../../time/clock';
import { exactOf, inputOf, instantOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { tonightAfter } from './ranges';

const HOUR = 3_600_000;
const MINUTE = 60_000;

export function Between({ query }: { query: URLSearchParams }) {
  const { zone } = useSettings();
  const [begin] = useState(() => Math.floor(now() / MINUTE) * MINUTE);
  const from = query.get('from') ?? new Date(begin).toISOString();
  const to = query.get('to') ?? new Date(begin + HOUR).toISOString();
  const text = query.get('text') ?? '';
  const asked = { from, to, ...(text === '' ? {} : { text }) };
  const agenda = useResource<AgendaAnswer>(`v1/agenda?${new URLSearchParams(asked)}`, { every: 30_000 });
  return (
    <>
      <Range key={`${from} ${to} ${text} ${zone}`} from={from} to={to} text={text} zone={zone} />
      <Shown of={agenda}>{(data) => <Agenda data={data} zone={zone} />}</Shown>
    </>
  );
}

function Range({ from, to, text, zone }: { from: string; to: string; text: string; zone: string }) {
  const [start, setStart] = useState(() => inputOf(new Date(from), zone));
  const [end, setEnd] = useState(() => inputOf(new Date(to), zone));
  const [words, setWords] = useState(text);
  const show = (range: { from: string; to: string }) =>
    go(hrefOf(['ahead'], { tab: 'between', ...range, text: words }));
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const [first, last] = [instantOf(start, zone), instantOf(end, zone)];
    if (first && last) show({ from: first.toISOString(), to: last.toISOString() });
  };
  const tonight = () => {
    const { from: first, to: last } = tonightAfter(now(), zone);
    show({ from: first.toISOString(), to: last.toISOString() });
  };
  return (
    <form class="filters" onSubmit={submit}>
      <TextField label={`From, in ${zone}`} type="datetime-local" required value={start} onChange={setStart} />
      <TextField label={`To, in ${zone}`} type="datetime-local" required value={end} onChange={setEnd} />
      <TextField
        label="Only schedules whose name or note has"
        class="grow"
        type="search"
        value={words}
        onChange={setWords}
      />
      <button type="submit" class="button primary">
        Show
      </button>
      <button type="button" class="button" onClick={tonight}>
        Tonight, 1 to 3
      </button>
    </form>
  );
}

function Agenda({ data, zone }: { data: AgendaAnswer; zone: string }) {
  const { firings, schedules, forms, entries, leftOut } = data;
  const short = (at: string) => exactOf(at, zone, { withZone: false });
  return (
    <>
      <section class="verdict none" aria-label="In a sentence" aria-live="polite">
        <p>
          <span class="what">
            {firings === 0
              ? 'Nothing fires between them.'
              : `${counted(firings, 'firing')} of ${counted(schedules, 'schedule')}`}
          </span>
          {firings === 0 ? (
            leftOut === 0 ? (
              ' A pause between them would miss nothing.'
            ) : null
          ) : (
            <>
              <br />
              If these schedules were paused from {short(data.from)} to {short(data.to)}, all of them would be missed,
              and not caught up: a backfill afterwards fires them.
            </>
          )}
          {leftOut > 0 ? ` ${counted(leftOut, 'schedule')} could not be counted.` : ''}
        </p>
      </section>
      {firings === 0 ? null : (
        <div class="columns">
          <Panel title="By spec, most firings first" flush>
            <Table
              caption="Specs that fire, most firings first"
              keyOf={(form) => `${form.words.join()} ${form.scheduleIds[0]}`}
              rows={forms}
              columns={[
                { title: 'When', isName: true, cell: ({ words }) => words.join('; ') },
                { title: 'Schedules', isNumber: true, cell: (form) => form.schedules.toLocaleString('en') },
                { title: 'Firings', isNumber: true, cell: (form) => form.firings.toLocaleString('en') },
                { title: 'First', cell: ({ first }) => short(first) },
                { title: 'Last', cell: ({ last }) => short(last) },
              ]}
            />
          </Panel>
          <Panel title={firings > entries.length ? `The first ${entries.length}, one by one` : 'One by one'} flush>
            <Table
              caption="Firings, in order of time"
              keyOf={({ at, scheduleId }) => `${at} ${scheduleId}`}
              rows={entries}
              columns={[
                { title: 'Time', cell: ({ at }) => short(at) },
                {
                  title: 'Schedule',
                  isName: true,
                  cell: ({ scheduleId }) => <a href={hrefOf(['schedules', scheduleId])}>{scheduleId}</a>,
                },
              ]}
            />
          </Panel>
        </div>
      )}
    </>
  );
}
