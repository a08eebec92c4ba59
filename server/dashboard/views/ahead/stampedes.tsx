import { useResource } from '../../api/resource';
import { Panel } from '../../parts/panel';
import { Table } from '../../parts/table';
import { hrefOf } from '../../router';
import { durationOf, exactOf } from '../../time/format';
import type { Ahead } from './cells';

const MINUTE = 60_000;
const SHOWN = 10;
const JITTER_MINUTES = 5;
/** A stampede is a minute with at least this many times the mean number of firings. */
const CROWD = 3;
/** A minute with fewer firings than this is never a stampede. */
const LEAST = 10;

interface Crowd {
  at: number;
  count: number;
}

export function Stampedes({ data, zone }: { data: Ahead; zone: string }) {
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
                <span class="nowrap">{exactOf(new Date(at), zone, { seconds: false })}</span>
              </a>
            ),
          },
          { title: 'Firings', isNumber: true, cell: ({ count }) => <strong>{count.toLocaleString('en')}</strong> },
          { title: 'How it would change', isWide: true, cell: ({ at }) => <WhatIf at={at} /> },
        ]}
      />
      <p class="empty">
        <code>H</code> in a cron field spreads schedules by their names; <code>spec.jitter</code> moves starts and not
        nominal times; <code>policies.preStart</code> hands firings over ahead.
      </p>
    </Panel>
  );
}

interface WhatIfAnswer {
  firings: number;
  looked: number;
  hashed: number;
  jittered: number;
  preStart: { milliseconds: number | null; schedules: number }[];
}

function WhatIf({ at }: { at: number }) {
  const path = `v1/agenda/what-if?${new URLSearchParams({ at: iso(at) })}`;
  const { data } = useResource<WhatIfAnswer>(path, { every: 300_000 });
  if (!data) return <>…</>;
  return (
    <ul class="compact">
      <li>
        With <code>H</code> for the minute: at most {data.hashed.toLocaleString('en')} a minute, over the hour
      </li>
      <li>
        With {JITTER_MINUTES} minutes of jitter: at most {data.jittered.toLocaleString('en')} starts a second
      </li>
      <li>Handed over ahead, as it is now: {data.preStart.map(aheadInWords).join(', ')}</li>
    </ul>
  );
}

function aheadInWords({ milliseconds, schedules }: WhatIfAnswer['preStart'][number]): string {
  const count = schedules.toLocaleString('en');
  if (milliseconds === 0) return `${count} not at all`;
  return milliseconds === null
    ? `${count} as far as the trigger’s cap allows`
    : `${count} by up to ${durationOf(milliseconds)}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
