import { counted } from '../../../../core/counted';
import type { Overview } from '../../api/types';
import { Tag } from '../../parts/state';
import { hrefOf } from '../../router';
import { exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';

const TONES = { ok: 'good', warning: 'warn', critical: 'bad' } as const;
const WORDS = { ok: 'On time', warning: 'Needs attention', critical: 'Not on time' } as const;

export function VerdictPanel({ verdict }: { verdict: Overview['verdict'] }) {
  const { status, id, sentence, action, others } = verdict;
  const { zone } = useSettings();
  return (
    <section class={`verdict ${TONES[status]}`} aria-label="The overall state" aria-live="polite">
      <div class="stack">
        <div>
          <Tag tone={TONES[status]}>{WORDS[status]}</Tag>
          <p class="what">{withTimes(sentence, zone)}</p>
          {action ? (
            <p class="quiet break">
              <Where id={id} /> {withTimes(action, zone)}
            </p>
          ) : null}
        </div>
        {others.length > 0 ? (
          <details open={others.length <= 3}>
            <summary>{counted(others.length, 'more thing', 'more things')} to look at</summary>
            <ul class="list plain">
              {others.map(({ id: of, severity, text, action: what }) => (
                <li key={text} class="break">
                  <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{severity}</Tag> {withTimes(text, zone)}{' '}
                  <Where id={of} /> <span class="quiet">{withTimes(what, zone)}</span>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
      </div>
    </section>
  );
}

/** Pages for some findings of `doctor`, by the ID of the finding. */
const PAGES: Record<string, [href: string, text: string]> = {
  dead_letter: [hrefOf(['letters']), 'See the dead letters.'],
  parked: [hrefOf(['letters']), 'See the dead letters.'],
  failing: [hrefOf(['schedules'], { orderBy: 'failing' }), 'See the failing schedules.'],
  overdue: [hrefOf(['schedules'], { orderBy: 'late' }), 'See the late schedules.'],
  late: [hrefOf(['schedules'], { orderBy: 'late' }), 'See the late schedules.'],
  backlog: [hrefOf(['schedules'], { orderBy: 'late' }), 'See the late schedules.'],
};

function Where({ id }: { id: string | undefined }) {
  const page = id === undefined ? undefined : PAGES[id];
  return page ? <a href={page[0]}>{page[1]}</a> : null;
}

/** The server's text has instants in ISO 8601, which are formatted here for people. */
function withTimes(text: string, zone: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) =>
    exactOf(instant, zone, { seconds: false }),
  );
}
