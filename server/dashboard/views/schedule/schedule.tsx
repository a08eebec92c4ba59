import { useResource } from '../../api/resource';
import type { ScheduleAnswer } from '../../api/types';
import { PageHead } from '../../parts/panel';
import { Shown, Tag } from '../../parts/state';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';
import { Actions } from './actions';
import { Answers } from './answers';
import { CalendarTab } from './calendar';
import { Definition } from './definition';
import { Glance } from './glance';
import { heldAt } from './held';
import { Performance } from './performance';
import { Versions } from './versions';

const TABS: [tab: string, title: string][] = [
  ['', 'At a glance'],
  ['answers', 'Answers'],
  ['calendar', 'Calendar'],
  ['performance', 'Durations and lag'],
  ['definition', 'Definition'],
  ['versions', 'Versions'],
];

export function ScheduleView({ scheduleId, query }: { scheduleId: string; query: URLSearchParams }) {
  const schedule = useResource<ScheduleAnswer>(`v1/schedules/${encodeURIComponent(scheduleId)}`);
  const tab = query.get('tab') ?? '';
  return (
    <>
      <PageHead title={scheduleId} sub={schedule.data ? <Standing schedule={schedule.data} /> : undefined}>
        {schedule.data ? <Actions schedule={schedule.data} onChange={schedule.reload} /> : null}
      </PageHead>
      <div class="stack">
        <nav class="tabs" aria-label="Parts of the schedule">
          {TABS.map(([name, title]) => (
            <a
              key={name}
              href={hrefOf(['schedules', scheduleId], { tab: name })}
              aria-current={tab === name ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        {tab === 'answers' ? <Answers scheduleId={scheduleId} query={query} /> : null}
        {tab === 'versions' ? <Versions scheduleId={scheduleId} query={query} /> : null}
        {tab === 'calendar' ? <CalendarTab scheduleId={scheduleId} /> : null}
        {tab === 'performance' ? <Performance scheduleId={scheduleId} /> : null}
        {tab === '' || tab === 'definition' ? (
          <Shown of={schedule}>
            {(data) =>
              tab === '' ? <Glance schedule={data} /> : <Definition schedule={data} onChange={schedule.reload} />
            }
          </Shown>
        ) : null}
      </div>
    </>
  );
}

function Standing({ schedule }: { schedule: ScheduleAnswer }) {
  const { state, info, action, namespace, tenant } = schedule;
  const isLive = !state.paused && !state.completed && !state.specError && !state.shadow && !info.frozen;
  const next = info.nextFireAt && [info.nextFireAt, ...info.nextActionTimes].find((time) => !heldAt(schedule, time));
  return (
    <>
      <p class="row">
        {state.specError ? <Tag tone="bad">cannot be evaluated: {state.specError}</Tag> : null}
        {state.paused ? <Tag tone="warn">paused</Tag> : null}
        {state.completed ? <Tag>completed</Tag> : null}
        {state.shadow ? <Tag>in shadow: starts nothing</Tag> : null}
        {info.frozen ? <Tag tone="warn">frozen</Tag> : null}
        {isLive ? <Tag tone="good">live</Tag> : null}
        {state.paused && state.pausedAt ? (
          <span>
            Paused by <strong>{state.pausedBy ?? 'its policy pauseOnFailure'}</strong> <Time at={state.pausedAt} />
            {state.pausedUntil ? (
              <>
                , ends <Time at={state.pausedUntil} />
              </>
            ) : null}
            {state.note ? `: ${state.note}` : ''}
          </span>
        ) : state.note ? (
          <span>{state.note}</span>
        ) : null}
        {info.frozen ? (
          <span>
            The freeze ends <Time at={info.frozen.until} />
            {info.frozen.note ? `: ${info.frozen.note}` : ''}
          </span>
        ) : null}
        {next ? (
          <span>
            Fires <Time at={next} />
          </span>
        ) : null}
      </p>
      <p>
        {action.workflowType} on {action.taskQueue}, namespace {namespace}
        {tenant === '' ? '' : `, tenant ${tenant}`}
      </p>
    </>
  );
}
