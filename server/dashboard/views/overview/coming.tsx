import { counted } from '../../../../core/counted';
import type { Overview } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty, Tag } from '../../parts/state';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';

/** The schedules whose next time is within 15 minutes, and the freezes in force, which may hold some of them. */
export function Coming({ coming, freezes = [] }: Pick<Overview, 'coming' | 'freezes'>) {
  return (
    <Panel title="Fires within 15 minutes" flush aside={<a href={hrefOf(['ahead'])}>The week ahead</a>}>
      {freezes.length === 0 ? null : (
        <ul class="list">
          {freezes.map(({ to, note }, n) => (
            <li key={n} class="break">
              <Tag tone="warn">freeze</Tag> Schedules that it selects do not fire. It ends <Time at={to} />
              {note ? `: ${note}` : ''}
            </li>
          ))}
        </ul>
      )}
      {coming.length === 0 ? (
        <Empty>Nothing.</Empty>
      ) : (
        <ul class="list">
          {coming.map(({ at, schedules, scheduleId }) => (
            <li key={at} class="row between">
              <Time at={at} />
              {schedules === 1 ? (
                <a class="break" href={hrefOf(['schedules', scheduleId])}>
                  {scheduleId}
                </a>
              ) : (
                <a href={hrefOf(['schedules'], { orderBy: 'nextFireAt', from: at, to: nextMinute(at) })}>
                  {counted(schedules, 'schedule')}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function nextMinute(at: string): string {
  return new Date(Date.parse(at) + 60_000).toISOString();
}
