import type { AgendaAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Table } from '../../parts/table';
import { counted } from '../../parts/words';
import { hrefOf } from '../../router';
import { exactOf } from '../../time/format';

const MINUTE = 60_000;
const SHOWN = 10;
/** Jitter that the table reckons with. */
const JITTER_MINUTES = 5;
/** A minute is a crowd when it has so many times what the mean one has. */
const CROWD = 3;
/** Fewer are no crowd, whatever is usual. */
const LEAST = 10;

interface Crowd {
  at: number;
  count: number;
}

/** The fullest minutes, and what would become of them. */
export function Stampedes({ data, zone }: { data: AgendaAnswer; zone: string }) {
  const begin = Date.parse(data.from);
  const mean = data.firings / data.minutes.length;
  const crowds = data.minutes
    .map((count, minute): Crowd => ({ at: begin + minute * MINUTE, count }))
    .filter(({ count }) => count >= LEAST && count >= mean * CROWD)
    .sort((one, other) => other.count - one.count || one.at - other.at)
    .slice(0, SHOWN);
  if (crowds.length === 0) return null;
  return (
    <Panel title="Stampedes: the fullest minutes" flush>
      <Table
        caption="The fullest minutes, and what H, jitter and pre-start would make of them"
        keyOf={({ at }) => String(at)}
        rows={crowds}
        columns={[
          {
            title: 'Minute',
            isName: true,
            cell: ({ at }) => (
              <a href={hrefOf(['ahead'], { tab: 'between', from: iso(at), to: iso(at + MINUTE) })}>
                {exactOf(new Date(at), zone, { seconds: false })}
              </a>
            ),
          },
          { title: 'Firings', isNumber: true, cell: ({ count }) => <strong>{count.toLocaleString('en')}</strong> },
          { title: 'With H for the minute', cell: ({ count }) => `some ${rate(count / 60)} a minute, all hour` },
          {
            title: `With ${JITTER_MINUTES} minutes of jitter`,
            cell: ({ count }) =>
              `some ${rate(count / (JITTER_MINUTES * 60))} a second, the last ${JITTER_MINUTES} minutes late`,
          },
          {
            title: 'With pre-start, as it is unless turned off',
            isWide: true,
            cell: ({ count }) =>
              `all at their time, if Temporal takes ${rate(count / 10)} starts a second for 10 seconds ahead`,
          },
        ]}
      />
      <p class="empty">
        <code>H</code> in a cron field spreads schedules by their names; <code>spec.jitter</code> moves starts and not
        nominal times; <code>policies.preStart</code> hands firings over ahead. Of {counted(data.schedules, 'schedule')}{' '}
        that fire {jittered(data).toLocaleString('en')} have a jitter.
      </p>
    </Panel>
  );
}

function jittered({ forms }: AgendaAnswer): number {
  return forms.reduce((sum, form) => sum + form.jittered, 0);
}

function rate(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Math.max(0.1, Math.round(value * 10) / 10));
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
