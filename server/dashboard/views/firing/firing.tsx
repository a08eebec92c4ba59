import { useResource } from '../../api/resource';
import type { LetterAnswer, LifeAnswer } from '../../api/types';
import { PageHead, Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { hrefOf } from '../../router';
import { exactOf } from '../../time/format';
import { useSettings } from '../../time/settings';
import { FiringActions } from './firing-actions';
import { FiringFacts } from './firing-facts';
import { FiringTag } from './firing-tag';
import { OfLetters } from './of-letters';
import { Timeline } from './timeline';

export function FiringView({ scheduleId, time }: { scheduleId: string; time: string }) {
  const { zone } = useSettings();
  const base = `v1/schedules/${encodeURIComponent(scheduleId)}/firings/${encodeURIComponent(time)}`;
  const life = useResource<LifeAnswer>(`${base}/life`);
  const isTime = !Number.isNaN(Date.parse(time));
  return (
    <>
      <PageHead
        title={isTime ? exactOf(time, zone) : time}
        sub={
          <>
            An occurrence of <a href={hrefOf(['schedules', scheduleId])}>{scheduleId}</a>
          </>
        }
      >
        {life.data ? <FiringActions answer={life.data} onChange={life.reload} /> : null}
      </PageHead>
      <Shown of={life}>{(data) => <Life scheduleId={scheduleId} data={data} />}</Shown>
    </>
  );
}

function Life({ scheduleId, data }: { scheduleId: string; data: LifeAnswer }) {
  const { explanation } = data;
  const firing = explanation.answer === 'firing' ? explanation.firing : undefined;
  const letterId =
    firing && explanation.answer === 'firing' && explanation.cause?.kind === 'failed'
      ? explanation.cause.letterId
      : undefined;
  const letter = useResource<LetterAnswer>(letterId === undefined ? undefined : `v1/dead-letters/${letterId}`);
  return (
    <div class="stack">
      <section class="verdict none" aria-label="The answer in words" aria-live="polite">
        <div>
          {firing ? (
            <p>
              <FiringTag firing={firing} />
            </p>
          ) : null}
          <p class="what">{explanation.sentence}</p>
        </div>
      </section>
      {firing ? (
        <div class="columns">
          <Panel title="Its life">
            <Timeline firing={firing} life={data.life} />
          </Panel>
          <div class="stack">
            <FiringFacts scheduleId={scheduleId} firing={firing} life={data.life} />
            {letter.data ? <OfLetters letter={letter.data} /> : null}
          </div>
        </div>
      ) : null}
      {explanation.answer === 'not_an_occurrence' ? (
        <Nearest scheduleId={scheduleId} nearest={explanation.nearest} />
      ) : null}
    </div>
  );
}

function Nearest({
  scheduleId,
  nearest,
}: {
  scheduleId: string;
  nearest: { before?: string | undefined; after?: string | undefined };
}) {
  const { zone } = useSettings();
  return (
    <Panel title="The occurrences around it">
      <ul class="list plain">
        {[nearest.before, nearest.after].map((time) =>
          time === undefined ? null : (
            <li key={time}>
              <a href={hrefOf(['schedules', scheduleId, 'at', time])}>{exactOf(time, zone)}</a>
            </li>
          ),
        )}
      </ul>
    </Panel>
  );
}
