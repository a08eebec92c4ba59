import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { useResource } from '../../api/resource';
import type { Mark, ScheduleAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { answerHref, Legend, Strip } from '../../parts/strip';
import { Table } from '../../parts/table';
import { markInWords } from '../../parts/words';
import { exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { Time } from '../../time/time';
import { NextTimes } from './next-times';
import { zoneOf } from './schedule-zone';
import { Stories } from './stories';
import { WhyNot } from './why-not';

export const LAST = 200;

export function stripPath(scheduleId: string): string {
  return `v1/strips?${new URLSearchParams({ scheduleId, last: String(LAST), errors: 'true' })}`;
}

export interface StripsAnswer {
  now: string;
  strips: Record<string, Mark[]>;
}

export function Glance({ schedule }: { schedule: ScheduleAnswer }) {
  const { scheduleId, info } = schedule;
  const zone = zoneOf(schedule);
  const strips = useResource<StripsAnswer>(stripPath(scheduleId));
  return (
    <>
      <Panel title={`The last ${LAST} answers`} aside={<span class="quiet">times in {zone}</span>}>
        <Shown of={strips}>
          {({ strips: { [scheduleId]: marks = [] } }) => (
            <div class="stack">
              <Strip scheduleId={scheduleId} marks={marks} zone={zone} />
              <Span marks={marks} zone={zone} />
              <Legend />
              <Stories scheduleId={scheduleId} marks={marks} zone={zone} />
              <OneByOne scheduleId={scheduleId} marks={marks} zone={zone} />
            </div>
          )}
        </Shown>
      </Panel>
      <div class="columns">
        <Panel title="When it fires">
          <div class="stack">
            <ul class="list plain words">
              {info.description.length === 0 ? <li>Only by hand</li> : null}
              {info.description.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <NextTimes schedule={schedule} zone={zone} />
          </div>
        </Panel>
        <div class="stack">
          <WhyNot scheduleId={scheduleId} zone={zone} />
          <Under schedule={schedule} />
        </div>
      </div>
    </>
  );
}

function Span({ marks, zone }: { marks: Mark[]; zone: string }) {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || marks.length < 2) return null;
  const short = (at: string) => exactOf(at, zone, { seconds: false, withZone: false });
  return (
    <p class="quiet small between-ends">
      <span>from {short(first.at)}</span>
      <span>to {short(last.to ?? last.at)}</span>
    </p>
  );
}

function OneByOne({ scheduleId, marks, zone }: { scheduleId: string; marks: Mark[]; zone: string }) {
  const [isOpen, setIsOpen] = useState(false);
  if (marks.length === 0) return null;
  return (
    <details onToggle={(event: JSX.TargetedToggleEvent<HTMLDetailsElement>) => setIsOpen(event.currentTarget.open)}>
      <summary>One by one, newest first</summary>
      {isOpen ? (
        <Table
          caption="Answers, newest first"
          keyOf={(mark) => mark.at}
          rows={[...marks].reverse()}
          columns={[
            {
              title: 'Nominal time',
              isName: true,
              cell: (mark) => <a href={answerHref(scheduleId, mark.at)}>{exactOf(mark.at, zone)}</a>,
            },
            { title: 'Answer', isWide: true, cell: markInWords },
          ]}
        />
      ) : null}
    </details>
  );
}

function Under({ schedule: { scheduleId, info } }: { schedule: ScheduleAnswer }) {
  const { zone } = useSettings();
  const running = info.runningActions;
  return (
    <Panel title="Now, and so far">
      <dl class="pairs">
        <dt>Running</dt>
        <dd>
          {running.length === 0 ? 'nothing' : counted(running.length, 'workflow')}
          {running.slice(0, 3).map(({ workflow }) => (
            <div key={workflow.workflowId} class="mono">
              {workflow.workflowId}
            </div>
          ))}
        </dd>
        {info.parkedActions.length === 0 ? null : (
          <>
            <dt>Parked</dt>
            <dd>
              {info.parkedActions.map(({ letterId, step, scheduledAt, since }) => (
                <div key={letterId}>
                  <a href={answerHref(scheduleId, scheduledAt)}>{step}</a> waits for a person since <Time at={since} />
                </div>
              ))}
            </dd>
          </>
        )}
        {info.delayedUntil ? (
          <>
            <dt>Held back</dt>
            <dd>
              by its tenant’s quota until <Time at={info.delayedUntil} />
            </dd>
          </>
        ) : null}
        <dt>Fired</dt>
        <dd>{counted(info.numActionsTaken, 'time')}</dd>
        <dt>Skipped</dt>
        <dd>{counted(info.numActionsSkippedOverlap, 'time')}, since an earlier one was open</dd>
        <dt>Missed</dt>
        <dd>{counted(info.numActionsMissedCatchupWindow, 'occurrence')}, not caught up</dd>
        <dt>Counted from</dt>
        <dd>{exactOf(info.countedFrom, zone)}</dd>
        <dt>Answered to</dt>
        <dd>
          <Time at={info.answeredTo} />
        </dd>
      </dl>
    </Panel>
  );
}
