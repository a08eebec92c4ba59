import type { LetterAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';
import { stepOf } from '../letters/letter-words';

export function OfLetters({ letter }: { letter: LetterAnswer }) {
  const { failedStep, state, note, actor, createdAt, letterId, reason } = letter;
  return (
    <Panel title="Its failure" aside={<a href={hrefOf(['letters'], { letter: letterId })}>The dead letter</a>}>
      <dl class="pairs">
        <dt>What</dt>
        <dd>{failedStep?.failure?.type ?? reason.replaceAll('_', ' ')}</dd>
        {failedStep?.failure?.message ? (
          <>
            <dt>Message</dt>
            <dd>{failedStep.failure.message}</dd>
          </>
        ) : null}
        {stepOf(letter) ? (
          <>
            <dt>Step</dt>
            <dd>
              {stepOf(letter)}
              {failedStep?.attempts ? `, tried ${failedStep.attempts} times` : ''}
            </dd>
          </>
        ) : null}
        <dt>Letter</dt>
        <dd>
          {state}
          {actor ? ` by ${actor}` : ''}
          {note ? `: ${note}` : ''}, written <Time at={createdAt} />
        </dd>
      </dl>
    </Panel>
  );
}
