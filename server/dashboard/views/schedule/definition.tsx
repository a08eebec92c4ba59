import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { jsonOnce } from '../../api/once';
import { request } from '../../api/request';
import type { ScheduleAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { say } from '../../parts/toast';
import { SpecPreview } from './spec-preview';

export function Definition({ schedule, onChange }: { schedule: ScheduleAnswer; onChange: () => void }) {
  const [edited, setEdited] = useState<Edited>();
  // The schedule is read again with its ETag, so that a concurrent change is detected.
  const edit = async () => {
    try {
      const response = await request(`v1/schedules/${encodeURIComponent(schedule.scheduleId)}`);
      const etag = response.headers.get('etag');
      if (etag === null)
        throw new Error('A proxy removed the ETag, without which an edit could overwrite another one.');
      setEdited({ former: await response.json(), etag });
    } catch (error) {
      say((error as Error).message, { isBad: true });
    }
  };
  if (edited) {
    return (
      <Editor
        {...edited}
        onClose={(isChanged) => {
          setEdited(undefined);
          if (isChanged) onChange();
        }}
      />
    );
  }
  return (
    <Panel
      title={`Version ${schedule.info.version}`}
      aside={
        <button type="button" class="button" onClick={edit}>
          Edit
        </button>
      }
    >
      <div class="columns">
        {(['spec', 'action', 'policies'] as const).map((part) => (
          <div key={part}>
            <h3>{TITLES[part]}</h3>
            <pre class="json">{pretty(partOf(schedule, part))}</pre>
          </div>
        ))}
      </div>
    </Panel>
  );
}

const TITLES = { spec: 'When it fires', action: 'What it starts', policies: 'Policies' };

function partOf(schedule: ScheduleAnswer, part: 'spec' | 'action' | 'policies'): unknown {
  return part === 'spec' ? schedule.definition.spec : schedule[part];
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The schedule as it was when the edit began. */
interface Edited {
  former: ScheduleAnswer;
  etag: string;
}

function Editor({ former, etag, onClose }: Edited & { onClose: (isChanged: boolean) => void }) {
  const [texts, setTexts] = useState({
    spec: pretty(former.definition.spec),
    action: pretty(former.action),
    policies: pretty(former.policies),
  });
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const read = (part: keyof typeof texts) => {
    try {
      return JSON.parse(texts[part]);
    } catch (error) {
      throw new Error(`${TITLES[part]}: ${(error as Error).message}`);
    }
  };
  const save = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    try {
      const { state } = former;
      const kept = { paused: state.paused, ...(state.note === undefined ? {} : { note: state.note }) };
      const left = state.remainingActions === undefined ? {} : { remainingActions: state.remainingActions };
      const body = {
        // With `info`, this is a changed description, whose search attributes are in two forms.
        info: {},
        spec: read('spec'),
        action: read('action'),
        policies: read('policies'),
        state: { ...kept, ...left },
      };
      await jsonOnce(`v1/schedules/${encodeURIComponent(former.scheduleId)}`, {
        method: 'PUT',
        body,
        headers: { 'if-match': etag },
      });
      say(`${former.scheduleId} is changed.`);
      onClose(true);
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form class="stack" onSubmit={save}>
      <Panel title="Edit">
        <div class="columns">
          {(['spec', 'action', 'policies'] as const).map((part) => (
            <label key={part} class="field">
              <span>{TITLES[part]}, as JSON</span>
              <textarea
                class="input"
                rows={10}
                spellcheck={false}
                value={texts[part]}
                onInput={(event: JSX.TargetedInputEvent<HTMLTextAreaElement>) =>
                  setTexts({ ...texts, [part]: event.currentTarget.value })
                }
              />
            </label>
          ))}
        </div>
      </Panel>
      <SpecPreview schedule={former} text={texts.spec} />
      {problem ? (
        <p class="problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div class="row">
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? 'Working …' : 'Save'}
        </button>
        <button type="button" class="button" onClick={() => onClose(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
