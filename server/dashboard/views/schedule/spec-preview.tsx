import { useEffect, useState } from 'preact/hooks';
import { json } from '../../api/request';
import type { ScheduleAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Tag } from '../../parts/state';
import { Table } from '../../parts/table';
import { exactOf } from '../../time/format';

const TIMES = 20;
const TYPED_MILLISECONDS = 300;

interface Preview {
  description: string[];
  times: string[];
}

interface SpecPreviewProps {
  schedule: Pick<ScheduleAnswer, 'scheduleId' | 'tenant' | 'definition'>;
  text: string;
}

export function SpecPreview({ schedule: { scheduleId, tenant, definition }, text }: SpecPreviewProps) {
  const [before, setBefore] = useState<Preview>();
  const [after, setAfter] = useState<Preview>();
  const [problem, setProblem] = useState<string>();
  const [after0] = useState(() => new Date().toISOString());
  const ask = (spec: unknown) =>
    json<Preview>('v1/preview', { method: 'POST', body: { spec, scheduleId, tenant, count: TIMES, after: after0 } });
  useEffect(() => {
    ask(definition.spec).then(setBefore, () => undefined);
  }, []);
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(async () => {
      try {
        const preview = await ask(JSON.parse(text));
        if (isOld) return;
        setAfter(preview);
        setProblem(undefined);
      } catch (error) {
        if (!isOld) setProblem((error as Error).message);
      }
    }, TYPED_MILLISECONDS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text]);
  const zone = zoneOf(text) ?? 'UTC';
  const changes = before && after ? changesOf(before.times, after.times) : [];
  const isSame = changes.every(({ change }) => change === 'stays');
  return (
    <Panel title={`How the next ${TIMES} times change`} aside={<span class="quiet">times in {zone}</span>}>
      <div class="stack" aria-live="polite">
        {problem ? <p class="problem">{problem}</p> : null}
        {after ? <p class="words">{after.description.join('; ') || 'Only by hand'}</p> : null}
        {before && after && isSame ? <p>They stay as they are.</p> : null}
        {before && after && !isSame ? (
          <Table
            caption="Times that stay, come and go"
            keyOf={({ time, change }) => `${time} ${change}`}
            rows={changes}
            columns={[
              { title: 'Time', isName: true, cell: ({ time }) => exactOf(time, zone) },
              {
                title: 'Change',
                cell: ({ change }) =>
                  change === 'stays' ? (
                    <Tag>stays</Tag>
                  ) : change === 'new' ? (
                    <Tag tone="good">new</Tag>
                  ) : (
                    <Tag tone="bad">no longer</Tag>
                  ),
              },
            ]}
          />
        ) : null}
      </div>
    </Panel>
  );
}

interface Change {
  time: string;
  change: 'stays' | 'new' | 'gone';
}

/** Merges both lists of times. A list of twenty times may go on, so the result ends where the first such list ends. */
function changesOf(before: string[], after: string[]): Change[] {
  const ends = [before, after].filter((times) => times.length === TIMES).map((times) => times.at(-1)!);
  const end = ends.sort()[0];
  const [was, is] = [new Set(before), new Set(after)];
  const all = [...new Set([...before, ...after])].sort().filter((time) => end === undefined || time <= end);
  return all.map((time) => ({ time, change: was.has(time) ? (is.has(time) ? 'stays' : 'gone') : 'new' }));
}

function zoneOf(text: string): string | undefined {
  try {
    const zone = JSON.parse(text).timezone;
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}
