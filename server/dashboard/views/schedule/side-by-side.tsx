import { useMemo } from 'preact/hooks';
import type { VersionAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { linesOf } from './diff';

export function SideBySide({ older, newer }: { older: VersionAnswer; newer: VersionAnswer }) {
  const { left, right } = useMemo(() => linesOf(textOf(older), textOf(newer)), [older, newer]);
  return (
    <Panel title={`Version ${older.version} and version ${newer.version}`}>
      <div class="columns">
        <Side version={older} lines={left} changed="removed" />
        <Side version={newer} lines={right} changed="added" />
      </div>
    </Panel>
  );
}

function Side({
  version,
  lines,
  changed,
}: {
  version: VersionAnswer;
  lines: { text: string; isOwn: boolean }[];
  changed: 'added' | 'removed';
}) {
  return (
    <div>
      <h3>Version {version.version}</h3>
      <pre class="json">
        {lines.map(({ text, isOwn }, at) => (
          <span key={at} class={isOwn ? changed : 'same'}>
            {isOwn ? (changed === 'added' ? '+ ' : '- ') : '  '}
            {text}
          </span>
        ))}
      </pre>
    </div>
  );
}

function textOf({ namespace, spec, action, policies }: VersionAnswer): string {
  return JSON.stringify({ namespace, spec, action, policies }, null, 2);
}
