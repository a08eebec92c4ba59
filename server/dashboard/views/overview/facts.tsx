import { COUNTED_AT_MOST, orMore } from '../../../../core/counted';
import type { Overview } from '../../api/types';
import { hrefOf } from '../../router';
import { durationOf } from '../../time/format';
import { Time } from '../../time/time';
import { answersInWords } from './away-words';

const isCut = (count: number) => count >= COUNTED_AT_MOST;
const shown = (count: number) => orMore(count, isCut(count));

export function Facts({ data }: { data: Overview }) {
  const { lagMilliseconds, lag, due, waiting, running, letters, triggers, namespaces } = data;
  return (
    <dl class="facts">
      <Fact title="Lag now" note={lagMilliseconds < 1_000 ? startedWithin(lag) : 'wait of the oldest due firing'}>
        {lagMilliseconds < 1_000 ? 'none' : durationOf(lagMilliseconds)}
      </Fact>
      <Fact title="Backlog" note={`${shown(due)} due, ${shown(waiting)} to start`}>
        <a class="quiet-link" href={hrefOf(['schedules'], { orderBy: 'late' })}>
          {orMore(due + waiting, isCut(due) || isCut(waiting))}
        </a>
      </Fact>
      <Fact title="Running" note="workflows">
        {shown(running)}
      </Fact>
      <Fact
        title="Dead letters"
        note={letters.oldestAt === null ? 'none waits for a person' : <>oldest {<Time at={letters.oldestAt} />}</>}
      >
        <a class="quiet-link" href={hrefOf(['letters'])}>
          {letters.open.toLocaleString('en')}
        </a>
      </Fact>
      <Fact title="Triggers" note={triggers.length === 0 ? 'none: nothing fires' : 'alive'}>
        {triggers.length.toLocaleString('en')}
      </Fact>
      {namespaces.length === 0 ? null : (
        <Fact title="Namespaces" note={answersInWords(namespaces)}>
          {namespaces.length.toLocaleString('en')}
        </Fact>
      )}
    </dl>
  );
}

function Fact({
  title,
  note,
  children,
}: {
  title: string;
  note: preact.ComponentChildren;
  children: preact.ComponentChildren;
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {children}
        <span class="note">{note}</span>
      </dd>
    </div>
  );
}

function startedWithin({ p99Milliseconds }: Overview['lag']): string {
  if (p99Milliseconds === null) return 'nothing fired in the last 5 minutes';
  return `99 of 100 started within ${durationOf(p99Milliseconds)}, last 5 minutes`;
}
