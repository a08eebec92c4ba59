import type { FiringAnswer } from '../../api/types';
import { Tag, type Tone } from '../../parts/state';
import { reasonInWords } from '../../parts/words';

const STALLED: Record<NonNullable<FiringAnswer['stalled']>, string> = {
  no_worker: 'no worker takes its task',
  task_failing: 'its workflow task fails',
  paused: 'its workflow is paused in Temporal',
};

export function FiringTag({ firing }: { firing: FiringAnswer }) {
  const [tone, word] = wordOf(firing);
  const { reason, lastError, state, recovery, stalled } = firing;
  return (
    <>
      <Tag tone={tone}>{word}</Tag> {reason ? <span>{reasonInWords(reason)}</span> : null}
      {stalled ? <span>{STALLED[stalled]}</span> : null}
      {recovery ? <span class="quiet"> recovered by another trigger</span> : null}
      {lastError && state !== 'closed' ? <span class="quiet break"> {lastError}</span> : null}
    </>
  );
}

export function wordOf({ state, outcome }: Pick<FiringAnswer, 'state' | 'outcome'>): [Tone, string] {
  if (state === 'linked') return ['run', 'running'];
  if (state === 'buffered') return ['run', 'waits for its turn'];
  if (state === 'claimed') return ['run', 'waits for its start'];
  if (state === 'skipped') return ['warn', 'skipped'];
  if (state === 'abandoned') return ['bad', 'given up'];
  if (outcome === 'completed') return ['good', 'completed'];
  if (outcome === 'failed' || outcome === 'timed_out') return ['bad', outcome.replace('_', ' ')];
  return ['none', (outcome ?? state).replace('_', ' ')];
}
