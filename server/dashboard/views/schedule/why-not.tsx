import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { json } from '../../api/request';
import type { ExplanationAnswer } from '../../api/types';
import { TextField } from '../../parts/field';
import { Panel } from '../../parts/panel';
import { answerHref } from '../../parts/strip';
import { now } from '../../time/clock';
import { inputOf } from '../../time/format';

export function WhyNot({ scheduleId, zone }: { scheduleId: string; zone: string }) {
  const [time, setTime] = useState(() => inputOf(new Date(now()), zone));
  const [answer, setAnswer] = useState<ExplanationAnswer>();
  const [problem, setProblem] = useState<string>();
  const ask = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setAnswer(undefined);
    setProblem(undefined);
    try {
      const path = `v1/schedules/${encodeURIComponent(scheduleId)}/explain`;
      // The server reads a time without an offset as local time in the schedule's zone.
      setAnswer(await json(`${path}?${new URLSearchParams({ time: time.length === 16 ? `${time}:00` : time })}`));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Panel title="Why did it not run at …?">
      <form class="filters" onSubmit={ask}>
        <TextField
          label={`Time in ${zone}`}
          class="grow"
          type="datetime-local"
          step="1"
          required
          value={time}
          onChange={setTime}
        />
        <button type="submit" class="button">
          Explain
        </button>
      </form>
      <div aria-live="polite">
        {problem ? <p class="problem">{problem}</p> : null}
        {answer ? (
          <p class="answer break">
            {answer.sentence}{' '}
            {answer.answer === 'firing' ? (
              <a href={answerHref(scheduleId, answer.firing.scheduledTime)}>See the firing</a>
            ) : null}
          </p>
        ) : null}
      </div>
    </Panel>
  );
}
